/**
 * Links like drydock://jobs/ID, which any web page may hold: what they may open is in one table, and nothing of a link
 * reaches a page but an id. A link to a file, drydock://file/PATH:LINE, shows it in the file manager and opens nothing.
 * The arguments of a start are read here too, as a link may be among them.
 */
import { parseArgs } from 'node:util'

/** Scheme of the links, without the colon. */
export const SCHEME = 'drydock'

// Ids of endpoints, jobs, workers, apps and environments need no other characters.
const ID = '([A-Za-z0-9][A-Za-z0-9_-]{0,99})'

// Each row: what follows drydock://, and the address of the page. A section alone opens its list.
const PAGES: readonly (readonly [form: RegExp, page: (...ids: string[]) => string])[] = [
  [/^(endpoints|jobs|workers|apps|workflows|catalog|system|settings)$/, (section) => `/${section}`],
  [new RegExp(`^endpoints/${ID}$`), (id) => `/endpoints/${id}`],
  [new RegExp(`^endpoints/${ID}/(requests|jobs|workers|logs|settings)$`), (id, tab) => `/endpoints/${id}/${tab}`],
  [new RegExp(`^jobs/${ID}$`), (id) => `/jobs/${id}`],
  [new RegExp(`^workers/${ID}$`), (id) => `/workers?worker=${id}`],
  [new RegExp(`^apps/${ID}$`), (app) => `/apps/deployed/${app}`],
  [new RegExp(`^apps/${ID}/${ID}$`), (app, environment) => `/apps/deployed/${app}/${environment}`],
]

// Longer ones are no links of ours; browsers pass on what a page holds.
const LONGEST = 300

/** The address of the page that a link opens, from the origin on. @returns undefined for a link that opens nothing */
export function pageOfLink(link: string): string | undefined {
  const start = `${SCHEME}://`
  if (link.length > LONGEST || !link.startsWith(start)) return undefined
  // Some systems end a link without a path with a slash.
  const rest = link.slice(start.length).replace(/\/$/, '')
  for (const [form, page] of PAGES) {
    const found = form.exec(rest)
    if (found !== null) return page(...found.slice(1))
  }
  return undefined
}

// Escaped, the longest path of Linux is up to three times as long.
const LONGEST_FILE = 3 * 4096

/** The file that a link names, to be shown in its folder. @returns undefined for a link to no file */
export function fileOfLink(link: string): string | undefined {
  const [, path] = link.length > LONGEST_FILE ? [] : (/^drydock:\/\/file(\/[^?#]+):\d+$/.exec(link) ?? [])
  if (path === undefined) return undefined
  try {
    return decodeURIComponent(path).replace(/^\/(?=[A-Za-z]:)/, '')
  } catch {
    return undefined // Not escaped as a link is.
  }
}

/** The link among the arguments of a start: systems put it last, and may put options of their own before it. */
export function linkAmong(argv: readonly string[]): string | undefined {
  return argv.findLast((argument) => argument.startsWith(`${SCHEME}:`))
}

/** What the desktop is started with. */
type StartArguments = {
  /** As it was given; undefined: the user's default folder. */
  readonly data: string | undefined
  readonly port: number | undefined
  /** The link to open first. */
  readonly link: string | undefined
}

/** Reads them. Chromium's own switches, which systems and users add, are left alone. @param argv without the program */
export function readArguments(argv: readonly string[]): StartArguments {
  const { values } = parseArgs({
    args: [...argv],
    options: { data: { type: 'string' }, port: { type: 'string' } },
    strict: false,
    allowPositionals: true,
  })
  const port = typeof values.port === 'string' && /^\d{1,5}$/.test(values.port) ? Number(values.port) : undefined
  return {
    data: typeof values.data === 'string' && values.data !== '' ? values.data : undefined,
    port: port !== undefined && port <= 65_535 ? port : undefined,
    link: linkAmong(argv),
  }
}

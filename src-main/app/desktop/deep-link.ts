/**
 * Parses deep links like drydock://jobs/ID. Any web page may contain one, so a table lists the allowed pages, and only
 * ids pass. drydock://file/PATH:LINE only reveals the file.
 */
import { parseArgs } from 'node:util'

export const SCHEME = 'drydock'

const ID = '([A-Za-z0-9][A-Za-z0-9_-]{0,99})'

const PAGES: readonly (readonly [form: RegExp, page: (...ids: string[]) => string])[] = [
  [/^(endpoints|jobs|workers|apps|workflows|catalog|system|settings)$/, (section) => `/${section}`],
  [new RegExp(`^endpoints/${ID}$`), (id) => `/endpoints/${id}`],
  [new RegExp(`^endpoints/${ID}/(requests|jobs|workers|logs|settings)$`), (id, tab) => `/endpoints/${id}/${tab}`],
  [new RegExp(`^jobs/${ID}$`), (id) => `/jobs/${id}`],
  [new RegExp(`^workers/${ID}$`), (id) => `/workers?worker=${id}`],
  [new RegExp(`^apps/${ID}$`), (app) => `/apps/deployed/${app}`],
  [new RegExp(`^apps/${ID}/${ID}$`), (app, environment) => `/apps/deployed/${app}/${environment}`],
]

// Browsers pass on any link that a page contains; Drydock never creates longer ones.
const LONGEST = 300

export function pageOfLink(link: string): string | undefined {
  const start = `${SCHEME}://`
  if (link.length > LONGEST || !link.startsWith(start)) return undefined
  const rest = link.slice(start.length).replace(/\/$/, '')
  for (const [form, page] of PAGES) {
    const found = form.exec(rest)
    if (found !== null) return page(...found.slice(1))
  }
  return undefined
}

// Percent-encoding can triple a path's length; Linux limits paths to 4096 bytes.
const LONGEST_FILE = 3 * 4096

export function fileOfLink(link: string): string | undefined {
  const [, path] = link.length > LONGEST_FILE ? [] : (/^drydock:\/\/file(\/[^?#]+):\d+$/.exec(link) ?? [])
  if (path === undefined) return undefined
  try {
    return decodeURIComponent(path).replace(/^\/(?=[A-Za-z]:)/, '')
  } catch {
    return undefined
  }
}

/** Systems pass the link last and may add their own options before it. */
export function linkAmong(argv: readonly string[]): string | undefined {
  return argv.findLast((argument) => argument.startsWith(`${SCHEME}:`))
}

type StartArguments = {
  readonly data: string | undefined
  readonly port: number | undefined
  readonly link: string | undefined
}

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

/** What the desktop is started with. */
import { parseArgs } from 'node:util'
import { linkAmong, pageOfLink } from './deep-link.ts'

/** What it is started with. */
export type StartArguments = {
  /** As it was given; undefined: the user's default folder. */
  readonly data: string | undefined
  readonly port: number | undefined
  /** Page that a link among the arguments opens. */
  readonly page: string | undefined
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
    page: pageOfLink(linkAmong(argv) ?? ''),
  }
}

import { buildIfStale, PAGES, PROGRAM } from '../../src-main/cli/build.mjs'

/** Before the tests of pages and of the desktop, also where they are run without npm: what is built is of these sources. */
export function setup(): void {
  for (const part of [PAGES, PROGRAM])
    if (buildIfStale(part, process.execPath) !== 0) throw new Error(`the ${part.name} could not be built`)
}

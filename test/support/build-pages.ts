import { buildPagesIfStale } from '../../src-main/cli/build-pages.mjs'

/** Before the tests of the pages, also where they are run without npm: the pages are those of these sources. */
export function setup(): void {
  if (buildPagesIfStale(process.execPath) !== 0) throw new Error('the web pages could not be built')
}

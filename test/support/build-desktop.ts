import { buildDesktopIfStale } from '../../src-main/cli/build-desktop.mjs'
import { buildPagesIfStale } from '../../src-main/cli/build-pages.mjs'

/** Before the tests of the desktop: what Electron runs, and the pages of its window, are those of these sources. */
export function setup(): void {
  const node = process.execPath
  if (buildPagesIfStale(node) !== 0 || buildDesktopIfStale(node) !== 0)
    throw new Error('the desktop or the web pages could not be built')
}

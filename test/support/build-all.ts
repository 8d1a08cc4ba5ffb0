import { buildStale, partsOf } from '../../src-main/cli/build.mjs'

/** Before the tests of pages and of the desktop, also where they are run without npm: what is built is of these sources. */
export async function setup(): Promise<void> {
  const { code } = await buildStale(partsOf({ dev: true }), process.execPath)
  if (code !== 0) throw new Error('pages and program could not be built')
}

import { buildStale, partsOf } from '../../src-main/app/cli/build.mjs'

/** Builds what is out of date before the tests of pages and desktop, which may run without npm. */
export async function setup(): Promise<void> {
  const code = await buildStale(partsOf({ dev: true }), process.execPath)
  if (code !== 0) throw new Error('the build failed, see above')
}

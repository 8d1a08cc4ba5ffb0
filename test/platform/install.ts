import { preparePublicApps, preparePublicPython } from '../sdk/support-python.ts'

/** Installs the Python clients. @throws on failure, instead of skipping the tests */
export async function setup(): Promise<void> {
  for (const prepare of [preparePublicPython, preparePublicApps]) {
    const { ready, reason } = await prepare()
    if (!ready) throw new Error(reason)
  }
}

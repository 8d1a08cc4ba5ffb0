import { preparePublicApps, preparePublicPython } from '../sdk/support-python.ts'

/** Installs the Python clients. @throws if it fails, where the tests would skip themselves */
export async function setup(): Promise<void> {
  for (const prepare of [preparePublicPython, preparePublicApps]) {
    const { ready, reason } = await prepare()
    if (!ready) throw new Error(reason)
  }
}

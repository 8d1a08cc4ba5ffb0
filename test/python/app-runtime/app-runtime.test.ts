import { afterAll, beforeAll } from 'vitest'
import { PREPARE_LIMIT_MS, preparePublicApps } from '../../sdk/support-python.ts'
import { testPythonFiles } from '../run-python-tests.ts'

// The Python tests read it; without it those that need the package say that they are skipped.
const VARIABLE = 'DRYDOCK_TEST_RUNPOD_2'

beforeAll(async () => {
  const packages = await preparePublicApps()
  if (packages.ready) process.env[VARIABLE] = packages.folder
  else process.stdout.write(`tests of 2.0 apps are skipped: ${packages.reason}\n`)
}, PREPARE_LIMIT_MS)

afterAll(() => {
  delete process.env[VARIABLE]
})

testPythonFiles(import.meta.url, 'the runtime of 2.0 apps')

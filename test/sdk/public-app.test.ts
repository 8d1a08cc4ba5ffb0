/**
 * The public app SDK, unmodified: its scripts call functions that were deployed here, by names and headers of its own.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { appProject } from '../apps/support.ts'
import { startedService } from '../support/served-service.ts'
import { sharedInFile } from '../support/shared-in-file.ts'
import { PREPARE_LIMIT_MS, type PublicPython, preparePublicPython } from './support-python.ts'

let python: PublicPython
beforeAll(async () => {
  python = await preparePublicPython()
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => skip(!python.ready, python.reason))

const WORKER = `from runpod_flash import CpuInstanceType, Endpoint


@Endpoint(name="adder", cpu=CpuInstanceType.CPU3C_1_2)
async def add(a: int, b: int = 1) -> dict:
    return {"sum": a + b}


@Endpoint(name="counter", cpu="cpu3c-1-2")
class Counter:
    def __init__(self):
        self.n = 0

    def up(self, by: int) -> int:
        self.n += by
        return self.n
`

/** Deploys the app, and gives what runs a script in its folder with the public SDK. */
const setup = sharedInFile(async (whenOver) => {
  const service = await startedService({ env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } }, whenOver)
  const app = await appProject(service)
  app.keepOnly()
  app.write('worker.py', WORKER)
  await app.deploy()
  const key = readFileSync(join(app.service.data, 'account.key'), 'utf8').trim()
  return async (code: string, environment = 'production') => {
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: app.service.folder, // the package reads keys of the platform there
      PYTHONDONTWRITEBYTECODE: '1',
      RUNPOD_ENDPOINT_BASE_URL: `${app.service.url()}/v2`,
      RUNPOD_URL_MIXED_OK: '1',
      RUNPOD_API_KEY: key,
      FLASH_APP: 'demo',
      FLASH_ENV: environment,
    }
    return promisify(execFile)(python.python, ['-W', 'ignore', '-c', `import asyncio\n${code}`], {
      cwd: app.project,
      env,
    })
  }
})

test('its script calls a function and a class of an app that was deployed here', async () => {
  const run = await setup()
  const { stdout } = await run(`
from worker import Counter, add

async def main():
    print(await add(1, b=2), await add(5), await Counter().up(by=3))

asyncio.run(main())`)
  expect(stdout.trim().split('\n').at(-1)).toBe("{'sum': 3} {'sum': 6} 3")
})

test('where the environment is another one it says that the endpoint is not found there', async () => {
  const run = await setup()
  const code = 'from worker import add\nasyncio.run(add(1))'
  const error = await run(code, 'elsewhere').then(
    () => undefined,
    (reason: { readonly stderr: string }) => reason.stderr,
  )
  expect(error).toMatch(/adder.*not found|not found.*adder/s)
})

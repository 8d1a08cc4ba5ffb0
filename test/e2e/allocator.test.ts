import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startedService } from '../support/served-service.ts'

// Tests have a folder for compiled code; users have none.
delete process.env.NODE_COMPILE_CACHE

const ENVIRONMENT = `import os

def handler(job):
    return {"env": {name: value for name, value in os.environ.items() if name.startswith(("MALLOC_", "DRYDOCK_", "NODE_COMPILE"))}}
`

/** Allocator settings of a service, and those in the environment of its workers. */
async function settingsWith(env: Readonly<Record<string, string>>) {
  const service = await startedService({ env })
  await service.createHandler('tell', ENVIRONMENT)
  const { pid } = service.serviceFile()
  const started = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  return {
    isLaunched: pid === service.process().pid,
    started: started.filter((line) => /^(MALLOC_|NODE_COMPILE_CACHE)/.test(line)).sort(),
    worker: (await service.jobEnd('tell', await service.run('tell', {}))).output.env,
  }
}

test('a service gives large blocks back to the system, and its workers do as they would without it', async ({
  skip,
}) => {
  if (process.platform !== 'linux') return skip(true, 'only the allocator of glibc is set')
  expect(await settingsWith({})).toEqual({
    isLaunched: true,
    started: [
      'MALLOC_ARENA_MAX=2',
      'MALLOC_MMAP_THRESHOLD_=131072',
      'MALLOC_TRIM_THRESHOLD_=131072',
      expect.stringMatching(/^NODE_COMPILE_CACHE=.*compiled$/),
    ],
    worker: {},
  })
})

test('a launcher that restarts a service starts it with these settings at once', async ({ skip }) => {
  if (process.platform !== 'linux') return skip(true, 'only the allocator of glibc is set')
  expect(await settingsWith({ DRYDOCK_RESTART: '' })).toEqual({
    isLaunched: false,
    started: ['MALLOC_ARENA_MAX=2', 'MALLOC_MMAP_THRESHOLD_=131072', 'MALLOC_TRIM_THRESHOLD_=131072'],
    worker: {},
  })
})

test('settings of the user for the allocator stay as they are, for the service and its workers', async ({ skip }) => {
  if (process.platform !== 'linux') return skip(true, 'only the allocator of glibc is set')
  expect(await settingsWith({ MALLOC_ARENA_MAX: '7' })).toEqual({
    isLaunched: true,
    started: ['MALLOC_ARENA_MAX=7'],
    worker: { MALLOC_ARENA_MAX: '7' },
  })
})

test('a folder of the user for compiled code is passed on to the workers', async ({ skip }) => {
  if (process.platform !== 'linux') return skip(true, 'only the allocator of glibc is set')
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { worker } = await settingsWith({ NODE_COMPILE_CACHE: folder })
  expect(worker).toEqual({ NODE_COMPILE_CACHE: folder })
})

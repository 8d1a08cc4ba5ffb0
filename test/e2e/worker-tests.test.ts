import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { startedService } from '../support/served-service.ts'
import { startCommand, temporaryFolder } from './support-cli.ts'

const HANDLER = `
import os
import time


def handler(job):
    given = job["input"]
    if given.get("fail"):
        raise ValueError("asked to fail")
    time.sleep(given.get("seconds", 0))
    return {"echo": given, "mode": os.environ.get("MODE")}
`

/** A worker repository with a handler and these tests. */
function repository(files: Readonly<Record<string, unknown>>): string {
  const folder = temporaryFolder()
  for (const [name, content] of Object.entries({ 'src/handler.py': HANDLER, ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return folder
}

/** `drydock test` where no service runs: the data folder is one that nobody uses. */
const runTests = (cwd: string, ...more: readonly string[]) =>
  startCommand(['test', ...more], { cwd, env: { SVC_DATA: temporaryFolder() } }).ended

const MODE = { config: { gpuTypeId: 'NVIDIA GeForce RTX 4090', gpuCount: 1, env: [{ key: 'MODE', value: 'test' }] } }

test('the tests of a worker repository run on its handler, with their variables, without a service', async () => {
  const cwd = repository({
    '.runpod/tests.json': { tests: [{ name: 'short', input: { n: 1 }, timeout: 60_000 }], ...MODE },
    'test_input.json': '{"input": {"n": 18446744073709551615}}',
  })
  const { exitCode, stdout, stderr } = await runTests(cwd, '--json')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  // A seed above 2^53 arrives as it is written.
  expect(stdout).toContain('"n":18446744073709551615')
  expect(JSON.parse(stdout)).toMatchObject({
    passed: 2,
    failed: 0,
    tests: [
      { name: 'short', passed: true, status: 'COMPLETED', timeoutMs: 60_000, output: { echo: { n: 1 }, mode: 'test' } },
      { name: 'test_input.json', passed: true, timeoutMs: 600_000 },
    ],
  })
})

test('a test that fails, or runs longer than its limit, is named with its reason and ends the command with 1', async () => {
  const cwd = repository({
    '.runpod/tests.json': {
      tests: [
        { name: 'broken', input: { fail: true } },
        { name: 'slow', input: { seconds: 0.3 }, timeout: 100 },
        { name: 'good', input: {} },
      ],
    },
  })
  const { exitCode, stdout, stderr } = await runTests(cwd)
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/^broken +failed .* 10 min$/m)
  expect(stdout).toMatch(/^slow +failed .* 100 ms$/m)
  expect(stdout).toMatch(/^good +passed /m)
  expect(stdout).toMatch(/^broken: .*asked to fail/m)
  expect(stdout).toMatch(/^slow: it ran \d+ ms, longer than 100 ms$/m)
  expect(stderr).toContain('drydock: 2 of 3 tests failed.')
})

test('a service that runs is used, and keeps nothing of the tests', async () => {
  const service = await startedService()
  const cwd = repository({ 'tests.json': { tests: [{ name: 'one', input: {} }] } })
  const { exitCode, stdout } = await service.command('test', cwd, '--json', '--env', 'MODE=mine')
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout).tests).toMatchObject([{ passed: true, output: { mode: 'mine' } }])
  expect((await service.get('/api/endpoints')).endpoints).toEqual([])
})

test('a handler that cannot be tested is refused in one line', async () => {
  const without = await runTests(temporaryFolder())
  expect(without).toMatchObject({ exitCode: 2, stdout: '' })
  expect(without.stderr).toMatch(/has no tests: neither \.runpod\/tests\.json nor test_input\.json is there\.\n$/)

  const wrong = await runTests(repository({ '.runpod/tests.json': { tests: [{ input: {} }] } }))
  expect(wrong.exitCode).toBe(1)
  expect(wrong.stderr).toMatch(/tests\.json is not valid: tests\.0\.name: .+\.\n$/)

  const noHandler = repository({ 'test_input.json': { input: {} } })
  const other = await runTests(noHandler, '--handler', 'missing.py')
  expect(other.exitCode).not.toBe(0)
  expect(other.stderr).toContain('missing.py')
})

test('an endpoint has what the hub.json of its repository gives, a preset and what is typed', async () => {
  const service = await startedService()
  const form = {
    title: 'Painter',
    config: {
      gpuIds: 'ADA_24',
      presets: [{ name: 'Fast', defaults: { STEPS: 4 } }],
      env: [
        { key: 'STEPS', input: { type: 'number', max: 100, default: 20 } },
        { key: 'MODE', value: 'fixed' },
      ],
    },
  }
  const cwd = repository({ '.runpod/hub.json': form })
  const create = (...more: readonly string[]) =>
    service.command('endpoint', 'create', 'painter', '--image', 'ada/painter:1', '--hub', cwd, '--json', ...more)
  expect(JSON.parse((await create('--preset', 'Fast', '--env', 'MODE=mine')).stdout)).toMatchObject({
    env: { STEPS: '4', MODE: 'mine' },
    container: { gpu: 'ADA_24', gpuCount: 1 },
  })
  const tooMany = await create('--env', 'STEPS=200')
  expect(tooMany.exitCode).toBe(2)
  expect(tooMany.stderr).toContain('STEPS must be at most 100. Set it with --env NAME=VALUE.')
  expect((await create('--preset', 'Slow')).stderr).toContain('There are: Fast.')
})

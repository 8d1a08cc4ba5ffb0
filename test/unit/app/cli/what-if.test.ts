import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { setupCli } from './support.ts'

const SPAN = { from: 'history', count: 9, p50: 1000, p95: 2000 }
const row = (at: number) => ({
  setting: {
    workersMin: 0,
    workersMax: at + 1,
    idleTimeoutMs: 5000,
    concurrency: 1,
    scaler: { type: 'QUEUE_DELAY', value: 4 },
  },
  isPresent: at === 0,
  onFrontier: at === 41,
  waiting: { p50: 1, p95: 2, p99: 3 },
  coldStarts: 0,
  coldShare: 0,
  workerSeconds: 9,
  unserved: 0,
  abandoned: 0,
})
const setup = () =>
  setupCli({
    'POST /api/endpoints/hello/what-if': {
      jobs: 9,
      spanMs: 60_000,
      measured: { executionMs: SPAN, coldStartMs: SPAN, stopMs: SPAN, turnaroundMs: 1, slowdown: [1], lostShare: 0 },
      rows: Array.from({ length: 96 }, (_row, at) => row(at)),
      notes: [],
    },
  })

test('what-if prints the settings that nothing beats, with their row numbers, and says what it leaves out', async () => {
  const { run } = await setup()
  const { stdout } = await run(['what-if', 'hello'])
  expect(stdout.split('\n').filter((line) => line.includes('0 to '))).toEqual([
    expect.stringMatching(/^1 +\* +0 to 1 /),
    expect.stringMatching(/^42 +> +0 to 42 /),
  ])
  expect(stdout).toContain('94 further settings are left out, because another one is at least as cheap and as quick.')
  expect(stdout).toContain('--all')
})

test('what-if --all prints every setting', async () => {
  const { run } = await setup()
  const { stdout } = await run(['what-if', 'hello', '--all'])
  expect(stdout.split('\n').filter((line) => line.includes('0 to '))).toHaveLength(96)
  expect(stdout).not.toContain('left out')
})

test('what-if sends the trace of a file', async () => {
  const { run, folder, service } = await setup()
  const trace = '{"at": 0}\n{"at": 5000, "executionMs": 10}\n'
  writeFileSync(join(folder, 'trace.jsonl'), trace)
  expect(await run(['what-if', 'hello', '--trace', 'trace.jsonl'])).toMatchObject({ exitCode: 0 })
  expect(service.seen.at(-1)?.body).toMatchObject({ load: { type: 'trace', text: trace } })
})

test.each([
  ['a trace that is not there', ['--trace', 'none.jsonl'], /The trace could not be read/],
  ['prices that are not JSON', ['--steady', '1', '--prices', 'prices.json'], /prices could not be read/],
  ['two loads', ['--steady', '1', '--since', '2h'], /Give one load/],
])('what-if refuses %s', async (_what, options, why) => {
  const { run, folder } = await setup()
  writeFileSync(join(folder, 'prices.json'), '[{"card": "mine", "perSecond": 0.001}')
  const { exitCode, stderr } = await run(['what-if', 'hello', ...options])
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(why)])
})

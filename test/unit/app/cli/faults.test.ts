import { expect, test } from 'vitest'
import type { Faults } from '../../../../src-main/contract/faults.ts'
import { HELLO_VIEW, setupCli } from './support.ts'

/** A service whose endpoint has these switches on, before and after a change. */
async function setup(faults?: Faults) {
  const view = { ...HELLO_VIEW, ...(faults && { faults }) }
  const cli = await setupCli({
    'GET /api/endpoints': { endpoints: [view] },
    'GET /api/endpoints/hello': view,
    'PATCH /api/endpoints/hello': view,
  })
  const sent = () => cli.service.seen.map(({ line, body }) => [line.split(' ')[0], body])
  return { ...cli, sent }
}

const ALL: Required<Faults> = {
  delayMs: 1500,
  failPercent: 20,
  killPercent: 10,
  outOfMemoryPercent: 0.5,
  throttle: true,
  coldStart: true,
}
const IN_WORDS =
  'delays each job by 1.5 s, fails 20 %, kills the worker of 10 %, runs out of memory on 0.5 %, has no capacity for further workers, starts cold for every job'

test('faults without an option shows the switches and how to turn them off', async () => {
  const { run, sent } = await setup(ALL)
  expect(await run(['faults', 'hello'])).toMatchObject({
    exitCode: 0,
    stdout: `Fault injection on hello is on: ${IN_WORDS}. Off: drydock faults hello --off\n`,
  })
  expect(sent()).toEqual([['GET', undefined]])
})

test('faults says that all switches are off', async () => {
  const { run } = await setup()
  expect((await run(['faults', 'hello'])).stdout).toBe('Fault injection on hello is off.\n')
  expect((await run(['faults', 'hello', '--json'])).json()).toEqual({ endpointId: 'hello', faults: {} })
})

test('faults sends the switches that are given and no other', async () => {
  const { run, sent } = await setup(ALL)
  const options = ['--delay', '1500ms', '--fail', '20', '--kill', '10', '--out-of-memory', '0.5']
  const { json } = await run(['faults', 'hello', ...options, '--throttle', '--cold-start', '--json'])
  expect(json()).toEqual({ endpointId: 'hello', faults: ALL })
  await run(['faults', 'hello', '--fail', '0', '--no-throttle', '--no-cold-start'])
  expect(sent()).toEqual([
    ['PATCH', { faults: ALL }],
    ['PATCH', { faults: { failPercent: 0, throttle: false, coldStart: false } }],
  ])
})

test('faults --off turns all off but what else is given', async () => {
  const { run, sent } = await setup()
  const off = { delayMs: 0, failPercent: 0, killPercent: 0, outOfMemoryPercent: 0, throttle: false, coldStart: false }
  await run(['faults', 'hello', '--off'])
  await run(['faults', 'hello', '--off', '--delay', '2'])
  expect(sent()).toEqual([
    ['PATCH', { faults: off }],
    ['PATCH', { faults: { ...off, delayMs: 2000 } }],
  ])
})

test.each([
  ['2s', 2000],
  ['0.25', 250],
  ['1.5min', 90_000],
  ['7ms', 7],
])('a delay of %s is %i ms', async (text, delayMs) => {
  const { run, sent } = await setup()
  await run(['faults', 'hello', '--delay', text])
  expect(sent()).toEqual([['PATCH', { faults: { delayMs } }]])
})

test('a delay that is no span is refused before anything is sent', async () => {
  const { run, sent } = await setup()
  const { exitCode, stderr } = await run(['faults', 'hello', '--delay', 'soon'])
  expect(exitCode).toBe(2)
  expect(stderr).toContain('It must be a duration, like 500ms, 30s, 15min or 2h.')
  expect(sent()).toEqual([])
})

test('endpoint list and show mark an endpoint with a switch on, and no other', async () => {
  const on = await setup({ failPercent: 20 })
  expect((await on.run(['endpoint', 'list'])).stdout).toContain('Asleep, faults on')
  expect((await on.run(['endpoint', 'show', 'hello'])).stdout).toMatch(/fault injection\s+on: fails 20 %/)
  const off = await setup()
  expect((await off.run(['endpoint', 'list'])).stdout).not.toContain('faults')
  expect((await off.run(['endpoint', 'show', 'hello'])).stdout).not.toContain('fault')
})

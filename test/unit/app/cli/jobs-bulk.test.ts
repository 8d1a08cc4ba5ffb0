import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { HELLO_VIEW, sendError, setupCli } from './support.ts'

const result = { changed: 3, refused: [{ reason: 'COMPLETED; retry needs one of FAILED, TIMED_OUT', count: 1 }] }
const setup = () => setupCli({ 'POST /api/jobs/bulk': result })

describe('jobs retry and jobs cancel', () => {
  test.each([
    [['retry', '--endpoint', 'hello'], { action: 'retry', filter: { endpoint: 'hello' } }],
    [
      ['cancel', '--status', 'IN_QUEUE,IN_PROGRESS', '--worker', 'w', '--yes'],
      { action: 'cancel', filter: { status: ['IN_QUEUE', 'IN_PROGRESS'], worker: 'w' } },
    ],
    [['retry', '--search', 'out of memory'], { action: 'retry', filter: { q: 'out of memory' } }],
    [['cancel', '--all', '--yes'], { action: 'cancel', filter: {} }],
    [['rerun', '--status', 'FAILED'], { action: 'rerun', filter: { status: ['FAILED'] } }],
  ])('%j sends %j', async (argv, body) => {
    const { run, service } = await setup()
    await run(['jobs', ...argv])
    expect(service.seen).toMatchObject([{ line: 'POST /api/jobs/bulk', body }])
  })

  test('say how many were moved, and why the others were not', async () => {
    const { run } = await setup()
    const { stdout, stderr } = await run(['jobs', 'retry', '--endpoint', 'hello'])
    expect(stdout).toContain('3 jobs queued again.')
    expect(`${stdout}${stderr}`).toContain('1 job not changed: COMPLETED; retry needs one of FAILED, TIMED_OUT.')
  })

  test('refuse to move all jobs unless they are told so', async () => {
    const { run, service } = await setup()
    const { exitCode, stderr } = await run(['jobs', 'cancel'])
    expect([exitCode, service.seen.length]).toEqual([2, 0])
    expect(stderr).toContain('--all')
  })
})

const EFFECTS = 'POST /api/jobs/cancel-effects'
const HEALTH = {
  jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 3, retried: 0 },
  workers: { idle: 0, initializing: 0, ready: 0, running: 0, throttled: 0, unhealthy: 0 },
}

describe.each([
  {
    argv: ['jobs', 'cancel', '--endpoint', 'hello'],
    looks: ['GET /api/endpoints/hello', EFFECTS],
    act: 'cancel 5 matching unfinished jobs',
  },
  {
    argv: ['batch', 'cancel', 'b1'],
    looks: [EFFECTS],
    body: { batch: 'b1' },
    act: 'cancel 5 unfinished jobs of batch b1',
  },
  {
    argv: ['workflow', 'sweeps', 'cancel', 's1'],
    looks: [EFFECTS],
    body: { sweep: 's1' },
    act: 'cancel 5 unfinished runs of sweep s1',
  },
  {
    argv: ['compare', 'stop', 'c1'],
    looks: [EFFECTS],
    body: { comparison: 'c1' },
    act: 'stop comparison c1 and cancel its 5 unfinished jobs',
  },
  {
    argv: ['purge', 'hello'],
    looks: ['GET /v2/hello/health'],
    act: 'cancel 3 waiting jobs of hello',
  },
])('$argv', ({ argv, looks, body, act }) => {
  const setup = (others: number) =>
    setupCli({
      'GET /api/endpoints/hello': HELLO_VIEW,
      'GET /v2/hello/health': HEALTH,
      [EFFECTS]: { count: 5, more: false, running: 1, others },
    })

  test('refuses without a terminal, and says how many jobs would be cancelled', async () => {
    const { run, service } = await setup(2)
    const done = act.startsWith('stop') ? 'stopped' : 'cancelled'
    expect(await run(argv)).toMatchObject({
      exitCode: 5,
      stderr: `drydock: Nothing was ${done}. This would ${act}; confirm it with --yes.\n`,
    })
    expect(service.seen.map(({ line }) => line)).toEqual(looks)
    if (body !== undefined) expect(service.seen).toMatchObject([{ body }])
  })

  test.each([
    [0, ''],
    [2, 'This worker also runs 2 other jobs.'],
  ])('asks a person, warns of %i other jobs of the same worker, and does nothing after a no', async (others, note) => {
    const { run, service } = await setup(others)
    const { exitCode, asked, stderr } = await run(argv, { person: { yes: false } })
    const question = `${act[0]?.toUpperCase()}${act.slice(1)}?`
    expect({ exitCode, asked }).toEqual({ exitCode: 1, asked: [question] })
    if (looks.includes(EFFECTS)) expect(stderr).toContain(note)
    expect(service.seen.map(({ line }) => line)).toEqual(looks)
  })

  test('of something that does not exist says so instead of asking', async () => {
    const isUnknown = (response: ServerResponse) => sendError(response, 404, 'NOT_THERE', 'It does not exist.')
    const { run } = await setupCli({ [looks[0] ?? '']: isUnknown })
    expect(await run(argv)).toMatchObject({ exitCode: 6, stderr: 'drydock: It does not exist.\n' })
  })
})

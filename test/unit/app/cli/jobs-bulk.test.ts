import { describe, expect, test } from 'vitest'
import { setupCli } from './support.ts'

const result = { changed: 3, refused: [{ reason: 'COMPLETED; retry needs one of FAILED, TIMED_OUT', count: 1 }] }
const setup = () => setupCli({ 'POST /api/jobs/bulk': result })

describe('jobs retry and jobs cancel', () => {
  test.each([
    [['retry', '--endpoint', 'hello'], { action: 'retry', filter: { endpoint: 'hello' } }],
    [
      ['cancel', '--status', 'IN_QUEUE,IN_PROGRESS', '--worker', 'w'],
      { action: 'cancel', filter: { status: ['IN_QUEUE', 'IN_PROGRESS'], worker: 'w' } },
    ],
    [['retry', '--search', 'out of memory'], { action: 'retry', filter: { q: 'out of memory' } }],
    [['cancel', '--all'], { action: 'cancel', filter: {} }],
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

  test('ask a person before other jobs of the same workers may start again', async () => {
    const { run, service } = await setupCli({
      'POST /api/jobs/cancel-effects': { running: 2, others: 1 },
      'POST /api/jobs/bulk': result,
    })
    const argv = ['jobs', 'cancel', '--endpoint', 'hello', '--status', 'IN_QUEUE,IN_PROGRESS']
    const { exitCode, asked, stderr } = await run(argv, { person: { yes: false } })
    expect({ exitCode, asked }).toEqual({ exitCode: 1, asked: ['Cancel these jobs?'] })
    expect(stderr).toContain('Their workers also run 1 other job.')
    expect(service.seen).toMatchObject([
      {
        line: 'POST /api/jobs/cancel-effects',
        body: { filter: { endpoint: 'hello', status: ['IN_QUEUE', 'IN_PROGRESS'] } },
      },
    ])
  })

  test.each([
    [['batch', 'cancel', 'b1'], { batch: 'b1' }, 'Cancel the batch?'],
    [['workflow', 'sweeps', 'cancel', 's1'], { sweep: 's1' }, 'Cancel the sweep?'],
    [['compare', 'stop', 'c1'], { comparison: 'c1' }, 'Stop the comparison?'],
  ])('%j asks the same, and does nothing after a no', async (argv, body, question) => {
    const { run, service } = await setupCli({ 'POST /api/jobs/cancel-effects': { running: 1, others: 2 } })
    const { exitCode, asked, stderr } = await run(argv, { person: { yes: false } })
    expect({ exitCode, asked }).toEqual({ exitCode: 1, asked: [question] })
    expect(stderr).toContain('This worker also runs 2 other jobs.')
    expect(service.seen).toMatchObject([{ line: 'POST /api/jobs/cancel-effects', body }])
  })

  test('refuse to move all jobs unless they are told so', async () => {
    const { run, service } = await setup()
    const { exitCode, stderr } = await run(['jobs', 'cancel'])
    expect([exitCode, service.seen.length]).toEqual([2, 0])
    expect(stderr).toContain('--all')
  })
})

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
    const workers = [
      { id: 'w', endpointId: 'hello', state: 'running', startedAt: 0, jobsDone: 0, jobs: ['a', 'b', 'c'] },
    ]
    const job = { endpointId: 'hello', status: 'IN_PROGRESS', createdAt: 0 }
    const { run, service } = await setupCli({
      'GET /api/workers': { workers },
      'GET /api/jobs': { requests: ['a', 'b'].map((id) => ({ id, ...job })) },
      'POST /api/jobs/bulk': result,
    })
    const cancel = (status: string) =>
      run(['jobs', 'cancel', '--endpoint', 'hello', '--status', status], { person: { yes: false } })
    const { exitCode, asked, stderr } = await cancel('IN_QUEUE,IN_PROGRESS')
    expect({ exitCode, asked }).toEqual({ exitCode: 1, asked: ['Cancel these jobs?'] })
    expect(stderr).toContain('Their workers also run 1 other job.')
    expect(service.seen.map(({ line }) => line).toSorted()).toEqual([
      'GET /api/jobs?endpoint=hello&status=IN_PROGRESS&limit=500',
      'GET /api/workers?endpoint=hello',
    ])
    expect(await cancel('IN_QUEUE')).toMatchObject({ exitCode: 0, asked: [] })
  })

  test('refuse to move all jobs unless they are told so', async () => {
    const { run, service } = await setup()
    const { exitCode, stderr } = await run(['jobs', 'cancel'])
    expect([exitCode, service.seen.length]).toEqual([2, 0])
    expect(stderr).toContain('--all')
  })
})

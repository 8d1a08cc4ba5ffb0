import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup } from '../support/core.ts'

/** A service with paused endpoints and jobs: so many that wait on each, and so many that have failed on e. */
async function withJobs({ waiting, failed }: { readonly waiting: number; readonly failed: number }) {
  const service = await setup()
  const { storage, clock, post, get } = service
  for (const id of ['e', 'other']) {
    await service.createEndpoint(id, { workersMin: 0 })
    await post(`/api/endpoints/${id}/pause`)
  }
  const made = { failed: [] as string[], waiting: [] as string[] }
  for (let n = 0; n < failed; n++) made.failed.push(await service.run({ n, word: 'keel' }))
  await storage().write(() => {
    const moment = { now: clock.wall(), steady: clock.wall() }
    for (const id of made.failed) {
      const seq = storage().jobs.find(id)?.seq ?? 0
      storage().jobs.move(seq, 'claim', { workerId: 'w' }, moment)
      storage().jobs.move(seq, 'fail', { error: 'x' }, moment)
    }
  })
  for (let n = 0; n < waiting; n++)
    for (const id of ['e', 'other']) made.waiting.push(await service.run({ n, word: 'mast' }, {}, id))
  const count = async (status: string) => (await get(`/api/job-count?status=${status}`)).count
  const bulk = (body: object) => post('/api/jobs/bulk', body)
  return { ...service, made, count, bulk }
}

describe('a bulk move', () => {
  it('retries jobs by id, and says why others are not moved', async () => {
    const { bulk, made, count, get } = await withJobs({ waiting: 1, failed: 2 })
    const [first = ''] = made.failed
    expect(await bulk({ action: 'retry', ids: [first, first, ...made.waiting, 'gone'] })).toEqual({
      changed: 1,
      refused: [
        { reason: 'unknown, or its retention is over', count: 1 },
        { reason: 'IN_QUEUE; retry needs one of FAILED, TIMED_OUT', count: 2 },
      ],
    })
    expect(await count('FAILED')).toBe(1)
    expect((await get(`/api/jobs/${first}`)).history.at(-1)).toMatchObject({
      event: 'retry',
      reason: 'retried by a client, with others',
    })
  })

  for (const [filter, changed] of [
    [{}, 6],
    [{ endpoint: 'other' }, 3],
    [{ status: ['IN_QUEUE'] }, 6],
    [{ status: ['FAILED'] }, 0],
    [{ q: 'mast' }, 6],
    [{ q: 'keel' }, 0],
    [{ worker: 'w' }, 0],
    [{ cursor: '1' }, 0],
    [{ to: 1 }, 0],
  ] as const) {
    it(`cancels what ${JSON.stringify(filter)} lets through`, async () => {
      const { bulk, count } = await withJobs({ waiting: 3, failed: 2 })
      expect((await bulk({ action: 'cancel', filter })).changed).toBe(changed)
      expect([await count('CANCELLED'), await count('FAILED')]).toEqual([changed, 2])
    })
  }

  it('of several batches moves each job once, and none that comes meanwhile', async () => {
    const { bulk, count, run, made } = await withJobs({ waiting: 0, failed: 1001 })
    const moving = bulk({ action: 'retry', filter: { status: ['FAILED'] } })
    const late = await run({ word: 'late' })
    expect(await moving).toEqual({ changed: made.failed.length, refused: [] })
    expect([await count('FAILED'), await count('IN_QUEUE')]).toEqual([0, 1002])
    const cancelling = bulk({ action: 'cancel', filter: {} })
    const later = await run({ word: 'later' })
    const { changed } = await cancelling
    expect(changed).toBeGreaterThanOrEqual(1002)
    expect([await count('CANCELLED'), await count('IN_QUEUE')]).toEqual([changed, 1003 - changed])
    expect([late, later]).not.toContain(undefined)
  })

  it('waits for the index of the search, however far it is behind', async () => {
    const { bulk } = await withJobs({ waiting: 0, failed: 700 })
    expect((await bulk({ action: 'retry', filter: { q: 'keel' } })).changed).toBe(700)
  })

  it('stops the container of a running job', async () => {
    const { createEndpoint, running, post, waitForJob } = await setup()
    await createEndpoint()
    const { jobId, worker } = await running()
    const orders = worker.stopOrders()
    await post('/api/jobs/bulk', { action: 'cancel', filter: { status: ['IN_PROGRESS'] } })
    expect(await orders).toEqual([jobId])
    await waitForJob(jobId, 'CANCELLED')
  })

  for (const [what, body] of [
    ['neither ids nor a filter', { action: 'retry' }],
    ['both', { action: 'retry', ids: ['x'], filter: {} }],
    ['an unknown action', { action: 'purge', filter: {} }],
    ['no id', { action: 'retry', ids: [] }],
    ['too many ids', { action: 'retry', ids: Array.from({ length: limit('bulkIds') + 1 }, () => 'x') }],
    ['an unknown state', { action: 'retry', filter: { status: ['NOPE'] } }],
    ['an unknown field', { action: 'retry', filter: { state: 'FAILED' } }],
  ] as const) {
    it(`with ${what} is refused`, async () => {
      const { ask } = await setup()
      expect((await ask('POST', '/api/jobs/bulk', { body })).body.code).toBe('BAD_FIELD')
    })
  }
})

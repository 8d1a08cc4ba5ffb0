import { describe, expect, it, vi } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'

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
        { reason: 'unknown, or no longer stored', count: 1 },
        { reason: 'IN_QUEUE; retry needs one of FAILED, TIMED_OUT', count: 2 },
      ],
    })
    expect(await count('FAILED')).toBe(1)
    expect((await get(`/api/jobs/${first}`)).history.at(-1)).toMatchObject({
      event: 'retry',
      reason: 'retried by a client together with others',
    })
  })

  for (const [filter, changed] of [
    [{}, 6],
    [{ endpoint: 'other' }, 3],
    [{ status: ['IN_QUEUE'] }, 6],
    [{ status: ['FAILED'] }, 0],
    [{ q: 'mast' }, 6],
    [{ q: 'keel' }, 0],
    [{ q: '"n":1' }, 2],
    [{ q: '"n":4' }, 0],
    [{ q: 'a' }, 0],
    [{ worker: 'w' }, 0],
    [{ cursor: '1' }, 0],
    [{ to: 1 }, 0],
    [{ expired: true }, 0],
    [{ expired: false }, 6],
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

  it('of expired jobs says why none of them is moved, and moves no others', async () => {
    const { bulk, clock, count, get, run } = await withJobs({ waiting: 0, failed: 2 })
    await clock.leap(31 * 60_000)
    await vi.waitFor(async () => expect((await get('/api/job-count?expired=true')).count).toBe(2))
    await run({ word: 'keel' })
    for (const [action, filter] of [
      ['retry', { q: 'keel' }],
      ['cancel', {}],
    ] as const)
      expect(await bulk({ action, filter: { ...filter, expired: true } })).toEqual({
        changed: 0,
        refused: [{ reason: 'expired for the job API; it can only be run again as a new job', count: 2 }],
      })
    expect(await count('IN_QUEUE')).toBe(1)
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

  it('runs again what has ended, as new jobs with the same input and policy, and leaves the old ones', async () => {
    const { bulk, made, get, count, clock, run, storage } = await withJobs({ waiting: 1, failed: 2 })
    await clock.leap(31 * 60_000)
    for (let n = 0; n < 10; n++) await settle()
    const [first = ''] = made.failed
    const low = await run({ word: 'low' }, { policy: { lowPriority: true, ttl: 20_000 } })
    await storage().write(() =>
      storage().jobs.move(
        storage().jobs.find(low)?.seq ?? 0,
        'cancel',
        {},
        { now: clock.wall(), steady: clock.wall() },
      ),
    )
    await bulk({ action: 'rerun', ids: [low] })
    const [{ id }] = (await get('/api/jobs?limit=1')).requests
    expect(await get(`/api/jobs/${id}`)).toMatchObject({
      status: 'IN_QUEUE',
      input: { word: 'low' },
      lowPriority: true,
    })
    expect(storage().jobs.find(id)).toMatchObject({ ttlMs: 20_000, webhook: null })
    expect(await bulk({ action: 'rerun', ids: [...made.failed, made.waiting[0] ?? '', 'gone'] })).toEqual({
      changed: 2,
      refused: [
        { reason: 'unknown, or no longer stored', count: 1 },
        { reason: 'IN_QUEUE; only ended jobs can be run again', count: 1 },
      ],
    })
    expect(await get(`/api/jobs/${first}`)).toMatchObject({ status: 'FAILED', input: { n: 0, word: 'keel' } })
    expect(await count('FAILED')).toBe(2)
    expect((await bulk({ action: 'rerun', filter: { q: 'keel', status: ['FAILED'] } })).changed).toBe(2)
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

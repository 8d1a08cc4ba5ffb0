import { describe, expect, it } from 'vitest'
import { JOB_STATES } from '../../src-main/contract/job.ts'
import { setup } from '../support/core.ts'

const ids = (page: { requests: readonly { id: string }[] }) => page.requests.map(({ id }) => id)

async function withJobs(count: number) {
  const service = await setup()
  await service.createEndpoint('e', { workersMin: 0 })
  await service.createEndpoint('other', { workersMin: 0 })
  await service.post('/api/endpoints/e/pause')
  const made: string[] = []
  for (let n = 0; n < count; n++) made.push(await service.run({ n }))
  return { ...service, newestFirst: made.toReversed() }
}

for (const [name, path] of [
  ['requests', '/v2/e/requests?'],
  ['the list of all jobs', '/api/jobs?endpoint=e&'],
] as const) {
  describe(name, () => {
    it('gives rows of jobs, newest first, without payloads', async () => {
      const { createEndpoint, running, run, get, clock } = await setup()
      await createEndpoint()
      const { jobId, worker } = await running()
      await clock.advance(30)
      await worker.done(jobId, { error: 'no', output: 'x' })
      const waiting = await run()
      expect(await get(path.slice(0, -1))).toEqual({
        requests: [
          { id: waiting, endpointId: 'e', status: 'IN_QUEUE', createdAt: clock.wall() },
          {
            id: jobId,
            endpointId: 'e',
            status: 'FAILED',
            createdAt: expect.any(Number),
            finishedAt: clock.wall(),
            expiresAt: clock.wall() + 30 * 60_000,
            delayTime: 0,
            executionTime: 30,
            workerId: worker.id,
            attempt: 1,
            error: 'no',
          },
        ],
      })
    })

    it('counts how many times a worker took a job, including after a manual retry', async () => {
      const { createEndpoint, running, get, post } = await setup()
      await createEndpoint()
      const { jobId, worker } = await running()
      await worker.done(jobId, { error: 'no' })
      await post(`/v2/e/retry/${jobId}`)
      expect((await worker.take())?.id).toBe(jobId)
      expect((await get(path.slice(0, -1))).requests).toMatchObject([{ id: jobId, attempt: 2 }])
    })

    it('gives pages of 50 by default, and every job once', async () => {
      const { newestFirst, get } = await withJobs(60)
      const first = await get(path.slice(0, -1))
      expect(ids(first)).toEqual(newestFirst.slice(0, 50))
      const second = await get(`${path}cursor=${first.cursor}`)
      expect(second).toEqual({ requests: expect.anything() })
      expect(ids(second)).toEqual(newestFirst.slice(50))
    })

    it('gives no cursor when the page ends the list exactly', async () => {
      const { newestFirst, get } = await withJobs(4)
      const first = await get(`${path}limit=2`)
      const second = await get(`${path}limit=2&cursor=${first.cursor}`)
      expect(second.cursor).toBe(undefined)
      expect([...ids(first), ...ids(second)]).toEqual(newestFirst)
    })

    it('does not shift when jobs come between two pages', async () => {
      const { newestFirst, get, run } = await withJobs(4)
      const first = await get(`${path}limit=2`)
      await run()
      expect(ids(await get(`${path}limit=2&cursor=${first.cursor}`))).toEqual(newestFirst.slice(2))
    })

    for (const state of JOB_STATES) {
      it(`filters by ${state}, over pages`, async () => {
        const { newestFirst, get, storage, clock } = await withJobs(6)
        const moment = { now: clock.wall(), steady: clock.wall() }
        const fields = { workerId: 'w', error: 'x' }
        const moves = { COMPLETED: 'complete', FAILED: 'fail', CANCELLED: 'cancel', TIMED_OUT: 'expire' } as const
        await storage().write(() => {
          for (const seq of [2, 3, 5]) {
            if (state === 'IN_QUEUE') continue
            storage().jobs.move(seq, 'claim', fields, moment)
            if (state !== 'IN_PROGRESS') storage().jobs.move(seq, moves[state], fields, moment)
          }
        })
        const wanted = state === 'IN_QUEUE' ? newestFirst : [5, 3, 2].map((seq) => newestFirst.at(-seq))
        const first = await get(`${path}status=${state}&limit=2`)
        expect(ids(first)).toEqual(wanted.slice(0, 2))
        expect(ids(await get(`${path}status=${state}&cursor=${first.cursor}`))).toEqual(wanted.slice(2))
      })
    }

    it('finds words of input, output, error and id, the last letters of each may be missing', async () => {
      const { createEndpoint, run, worker, get, storage } = await setup()
      await createEndpoint('e', { concurrency: 10 })
      const a = await run({ prompt: 'A Lighthouse at dawn, Überblick' })
      const b = await run({ prompt: 'something else' })
      const taker = await worker()
      await taker.takeBatch(2)
      await taker.done(a, { output: { text: 'the tower blinks' } })
      await taker.done(b, { error: 'CUDA out of memory' })
      const find = async (q: string) => ids(await get(`${path}q=${encodeURIComponent(q)}`))
      expect(await find('lighthouse')).toEqual([a])
      expect(await find('light daw')).toEqual([a])
      expect(await find('uberblick')).toEqual([a])
      expect(await find('tower')).toEqual([a])
      expect(await find('out of memory')).toEqual([b])
      expect(await find(b)).toEqual([b])
      expect(await find('lighthouse memory')).toEqual([])
      expect(await find('"OR* NEAR(')).toEqual([])
      expect(await find('!!')).toEqual([])
      expect(await find('')).toEqual([b, a])
      expect(ids(await get(`${path}q=memory&status=FAILED`))).toEqual([b])
      await storage().write(() => storage().jobs.remove(storage().jobs.find(a)?.seq ?? 0))
      expect(await find('lighthouse')).toEqual([])
    })

    it('finds what changed after it was indexed, and pages through what it found', async () => {
      const { newestFirst, get, post } = await withJobs(5)
      await get(`${path}q=nothing`)
      await post(`/v2/e/cancel/${newestFirst[0]}`)
      const first = await get(`${path}q=n&limit=3`)
      expect(ids(first)).toEqual(newestFirst.slice(0, 3))
      expect(ids(await get(`${path}q=n&limit=3&cursor=${first.cursor}`))).toEqual(newestFirst.slice(3))
      expect(ids(await get(`${path}q=n&status=CANCELLED`))).toEqual(newestFirst.slice(0, 1))
    })

    it('keeps to its endpoint', async () => {
      const { newestFirst, get, run } = await withJobs(1)
      await run({ n: 1 }, {}, 'other')
      for (const query of ['', 'q=n', 'status=IN_QUEUE']) expect(ids(await get(`${path}${query}`))).toEqual(newestFirst)
    })

    for (const [query, status] of [
      ['limit=1', 200],
      ['limit=499', 200],
      ['limit=500', 200],
      ['limit=501', 400],
      ['limit=0', 400],
      ['limit=-1', 400],
      ['limit=x', 400],
      ['limit=1.5', 400],
      ['status=DONE', 400],
      ['status=in_queue', 400],
      ['cursor=abc', 400],
      ['cursor=-1', 400],
      ['cursor=1', 200],
      [`q=${'x'.repeat(499)}`, 200],
      [`q=${'x'.repeat(500)}`, 200],
      [`q=${'x'.repeat(501)}`, 400],
    ] as const) {
      it(`answers ${query.slice(0, 12)} (${query.length}) with ${status}`, async () => {
        const { ask } = await withJobs(1)
        const answer = await ask('GET', `${path}${query}`)
        expect([answer.status, answer.body.code]).toEqual([status, status === 400 ? 'BAD_FIELD' : undefined])
      })
    }
  })
}

it('the list of all jobs covers all endpoints', async () => {
  const { newestFirst, get, run } = await withJobs(1)
  const other = await run({ n: 1 }, {}, 'other')
  for (const query of ['', '?q=n', '?status=IN_QUEUE'])
    expect(ids(await get(`/api/jobs${query}`))).toEqual([other, ...newestFirst])
})

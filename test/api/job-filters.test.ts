import { describe, expect, it } from 'vitest'
import type { JobState } from '../../src-main/contract/job.ts'
import { limit } from '../../src-main/contract/limits.ts'
import type { JobEvent } from '../../src-main/features/jobs/rules/transitions.ts'
import { setup } from '../support/core.ts'

const MINUTE_MS = 60_000
const MOVES: Readonly<Partial<Record<JobState, JobEvent>>> = {
  COMPLETED: 'complete',
  FAILED: 'fail',
  CANCELLED: 'cancel',
  TIMED_OUT: 'expire',
}

type Made = {
  readonly endpointId?: string
  readonly worker?: string
  readonly state?: JobState
  readonly text?: string
}

/** A service with jobs as described, one a minute; `list` gives their places in the description. */
async function withJobs(made: readonly Made[]) {
  const service = await setup()
  const { clock, storage, get } = service
  for (const id of ['e', 'other']) {
    await service.createEndpoint(id, { workersMin: 0 })
    await service.post(`/api/endpoints/${id}/pause`)
  }
  const ids: string[] = []
  const begin = clock.wall()
  for (const { endpointId = 'e', worker, state, text = 'nothing' } of made) {
    // Before and not after: the last one may be in progress, and its worker is not there to renew the lease.
    if (ids.length > 0) await clock.advance(MINUTE_MS)
    const id = await service.run({ text }, {}, endpointId)
    ids.push(id)
    await storage().write(() => {
      const seq = storage().jobs.find(id)?.seq ?? 0
      const moment = { now: clock.wall(), steady: clock.wall() }
      const fields = { workerId: worker ?? 'w', error: 'x' }
      if (worker !== undefined || state !== undefined) storage().jobs.move(seq, 'claim', fields, moment)
      const move = state === undefined ? undefined : MOVES[state]
      if (move !== undefined) storage().jobs.move(seq, move, fields, moment)
    })
  }
  const list = async (query: string) =>
    (await get(`/api/jobs?${query}`)).requests.map(({ id }: { id: string }) => ids.indexOf(id))
  const count = async (query: string) => (await get(`/api/job-count?${query}`)).count
  return { ...service, ids, begin, list, count }
}

const VARIED: readonly Made[] = [
  { state: 'FAILED', worker: 'w1', text: 'crane' },
  { endpointId: 'other', state: 'FAILED', worker: 'w2', text: 'crane' },
  { state: 'COMPLETED', worker: 'w1', text: 'crane harbour' },
  { text: 'crane' },
  { state: 'TIMED_OUT', worker: 'w1' },
  { endpointId: 'other', state: 'CANCELLED' },
  { worker: 'w1', state: 'IN_PROGRESS', text: 'harbour' },
]

describe('a list and its count', () => {
  for (const [query, places] of [
    ['', [6, 5, 4, 3, 2, 1, 0]],
    ['endpoint=other', [5, 1]],
    ['endpoint=nobody', []],
    ['status=FAILED', [1, 0]],
    ['status=FAILED,TIMED_OUT,IN_QUEUE', [4, 3, 1, 0]],
    ['status=IN_QUEUE,IN_PROGRESS,COMPLETED,FAILED,CANCELLED,TIMED_OUT', [6, 5, 4, 3, 2, 1, 0]],
    ['status=FAILED,FAILED', [1, 0]],
    ['status=FAILED,CANCELLED&endpoint=other', [5, 1]],
    ['worker=w1', [6, 4, 2, 0]],
    ['worker=w1&status=FAILED,COMPLETED', [2, 0]],
    ['worker=w1&endpoint=other', []],
    ['q=crane', [3, 2, 1, 0]],
    ['q=crane&endpoint=e', [3, 2, 0]],
    ['q=crane&status=FAILED', [1, 0]],
    ['q=crane&worker=w1', [2, 0]],
    ['q=crane+harbour', [2]],
    ['q=...', []],
  ] as const) {
    it(`agree on "${query}"`, async () => {
      const { list, count } = await withJobs(VARIED)
      expect(await list(query)).toEqual(places)
      expect(await count(query)).toBe(places.length)
      expect(await list(`${query}&limit=2&offset=1`)).toEqual(places.slice(1, 3))
    })
  }

  it('hold what was created within a span, both ends included', async () => {
    const { list, count, begin } = await withJobs(VARIED)
    const at = (minute: number) => begin + minute * MINUTE_MS
    for (const [query, places] of [
      [`from=${at(5)}`, [6, 5]],
      [`from=${at(5) + 1}`, [6]],
      [`to=${at(1)}`, [1, 0]],
      [`to=${at(1) - 1}`, [0]],
      [`from=${at(2)}&to=${at(4)}`, [4, 3, 2]],
      [`from=${at(2)}&to=${at(4)}&status=TIMED_OUT,FAILED`, [4]],
      [`from=${at(2)}&to=${at(4)}&worker=w1`, [4, 2]],
      [`from=${at(2)}&to=${at(4)}&q=crane`, [3, 2]],
      [`from=${at(50)}`, []],
    ] as const) {
      expect(await list(query), query).toEqual(places)
      expect(await count(query), query).toBe(places.length)
    }
  })

  it('go on where jobs have been removed in between', async () => {
    const { list, count, begin, storage } = await withJobs(VARIED)
    await storage().write(() => [2, 3, 4].map((seq) => storage().jobs.remove(seq)))
    expect(await list(`from=${begin + 2 * MINUTE_MS}`)).toEqual([6, 5, 4])
    expect(await count(`to=${begin + 3 * MINUTE_MS}`)).toBe(1)
  })

  it('that begin with the cursor of a count hold no job that came after it, and a count tells those', async () => {
    const { get, list, count, run, ids } = await withJobs(VARIED)
    const { cursor } = await get('/api/job-count?status=IN_QUEUE')
    ids.push(await run())
    expect(await list(`status=IN_QUEUE&cursor=${cursor}`)).toEqual([3])
    expect(await count(`status=IN_QUEUE&cursor=${cursor}`)).toBe(1)
    expect(await count(`status=IN_QUEUE&after=${cursor}`)).toBe(1)
    expect(await list('status=IN_QUEUE')).toEqual([7, 3])
  })
})

it('jobs that ran longer than their executionTimeout are FAILED, and found among those that timed out', async () => {
  const { createEndpoint, run, worker, clock, get, post, storage } = await setup()
  await createEndpoint()
  const policy = { executionTimeout: 5000 }
  const [slow, bad] = [await run({}, { policy }), await run({}, { policy })]
  const taker = await worker()
  await taker.take()
  await clock.advance(5201)
  await taker.take()
  await storage().write(() => {
    const { seq = 0, workerId = '' } = storage().jobs.find(bad) ?? {}
    storage().jobs.move(
      seq,
      'fail',
      { workerId: workerId ?? '', error: 'x' },
      { now: clock.wall(), steady: clock.wall() },
    )
  })
  const found = async (query: string) => (await get(`/api/jobs?${query}`)).requests.map(({ id }: { id: string }) => id)
  for (const query of ['status=TIMED_OUT', 'status=TIMED_OUT&endpoint=e', 'status=TIMED_OUT&q=executionTimeout']) {
    expect(await found(query), query).toEqual([slow])
    expect((await get(`/api/job-count?${query}`)).count, query).toBe(1)
  }
  expect(await found('status=FAILED')).toEqual([bad, slow])
  expect(await found('status=FAILED,TIMED_OUT')).toEqual([bad, slow])
  expect((await get('/v2/e/requests?status=TIMED_OUT')).requests).toEqual([])
  expect((await get('/v2/e/requests?status=FAILED')).requests.length).toBe(2)
  const retried = await post('/api/jobs/bulk', { action: 'retry', filter: { status: ['TIMED_OUT'] } })
  expect(retried).toMatchObject({ changed: 1 })
  expect((await get(`/v2/e/status/${slow}`)).status).toBe('IN_QUEUE')
})

describe('the list', () => {
  it('gives jobs by id, in that order, without those that are gone', async () => {
    const { list, ids } = await withJobs(VARIED)
    expect(await list(`ids=${ids[3]},gone,${ids[0]}`)).toEqual([3, 0])
  })

  it(`takes ${limit('listIds')} ids and refuses one more`, async () => {
    const { ask } = await withJobs([])
    const asked = (count: number) => ask('GET', `/api/jobs?ids=${Array.from({ length: count }, () => 'x').join(',')}`)
    expect((await asked(limit('listIds'))).body).toEqual({ requests: [] })
    expect((await asked(limit('listIds') + 1)).body.code).toBe('BAD_FIELD')
  })

  it('cuts a long error, which the job has whole', async () => {
    const { createEndpoint, running, get } = await setup()
    await createEndpoint()
    const { jobId, worker } = await running()
    const error = `begins ${'x'.repeat(limit('listErrorLength'))} ends`
    await worker.done(jobId, { error })
    const { error: short } = (await get('/api/jobs')).requests[0]
    expect([short.length, short]).toEqual([limit('listErrorLength'), expect.stringMatching(/^begins x+ … x+ ends$/)])
    expect((await get(`/api/jobs/${jobId}`)).error).toBe(error)
  })
})

for (const query of ['status=FAILED,NOPE', 'status=', 'from=x', 'to=-1', 'cursor=x', 'after=1.5']) {
  it(`a count by ${query} is refused`, async () => {
    const { ask } = await withJobs([])
    expect((await ask('GET', `/api/job-count?${query}`)).body.code).toBe('BAD_FIELD')
  })
}

it('the chunks of a stream come from a place on, as many as are asked for', async () => {
  const { createEndpoint, running, get } = await setup()
  await createEndpoint()
  const { jobId, worker } = await running()
  for (const n of [1, 2, 3]) await worker.chunk(jobId, { output: n })
  const outputs = async (query: string) =>
    (await get(`/api/jobs/${jobId}/chunks${query}`)).chunks.map(({ output }: { output: number }) => output)
  expect(await outputs('')).toEqual([1, 2, 3])
  expect(await outputs('?after=1')).toEqual([2, 3])
  expect(await outputs('?after=1&limit=1')).toEqual([2])
})

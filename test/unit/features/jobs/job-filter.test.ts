import { expect, it, onTestFinished } from 'vitest'
import { endpointConfig } from '../../../../src-main/contract/endpoint.ts'
import { isTimedOut, TIME_LIMIT_ERROR } from '../../../../src-main/features/jobs/rules/time-limit.ts'
import type { PlainFilter } from '../../../../src-main/features/jobs/store/job.ts'
import { openStorage } from '../../../../src-main/storage/open-storage.ts'
import type { Job } from '../../../../src-main/storage/storage.ts'

// More than are looked at before the ranges of each endpoint are.
const JOBS = 1500
const ENDPOINTS = ['a', 'b', 'c']

/** Jobs of three endpoints: most have ended well, some were archived, one of the oldest has failed, limits ended some. */
async function setup(): Promise<{
  readonly jobs: ReturnType<typeof openStorage>['jobs']
  readonly all: readonly Job[]
}> {
  const { jobs, archive, endpoints, write, close } = openStorage(':memory:')
  onTestFinished(close)
  const moment = { now: 1, steady: 1 }
  const none = { s3Config: undefined, webhook: undefined, idempotencyKey: undefined }
  const times = { executionTimeoutMs: 1000, ttlMs: 1000, retentionMs: 1000 }
  const endpoint = { paused: false, keyHash: new Uint8Array(32), revision: 1, createdAt: 1, updatedAt: 1 }
  await write(() => {
    for (const id of ENDPOINTS)
      endpoints.save({ ...endpoint, id, config: endpointConfig.parse({ name: id, command: 'true' }) }, 'created', 1)
    for (let n = 0; n < JOBS; n++) {
      const endpointId = ENDPOINTS[n % 3] ?? ''
      const job = { id: `job-${n}`, endpointId, input: '{}', lowPriority: n % 7 === 0, ...times, ...none }
      const { seq } = jobs.insert(job, moment)
      if (n % 11 === 0) continue
      jobs.move(seq, 'claim', { workerId: 'w' }, moment)
      const end = n === 5 ? 'fail' : n % 17 === 0 ? 'exceedExecution' : n % 101 === 0 ? 'expire' : 'complete'
      const error = end === 'exceedExecution' ? TIME_LIMIT_ERROR : 'e'
      jobs.move(seq, end, { workerId: 'w', error, ...(end === 'complete' ? { output: '1' } : {}) }, moment)
      if (n % 13 === 0) archive.add(seq, moment)
    }
  })
  const all = Array.from({ length: JOBS }, (_, n) => jobs.find(`job-${n}`)).filter((job) => job !== undefined)
  return { jobs, all: all.reverse() }
}

const FILTERS: readonly PlainFilter[] = [
  {},
  { archived: false },
  { archived: true },
  { states: ['FAILED'] },
  { states: ['COMPLETED'] },
  { states: ['IN_QUEUE', 'FAILED'], archived: false },
  { states: ['COMPLETED'], archived: true },
  { states: ['COMPLETED'], before: 700, after: 40 },
  { states: ['TIMED_OUT'] },
  { states: ['TIMED_OUT'], withTimeLimits: true },
  { states: ['TIMED_OUT'], withTimeLimits: true, archived: false, before: 700 },
  { states: ['TIMED_OUT', 'FAILED'], withTimeLimits: true },
  { states: ['FAILED'], withTimeLimits: true },
  { states: ['TIMED_OUT', 'IN_QUEUE'], withTimeLimits: true, endpointId: 'b' },
  { states: ['TIMED_OUT'], withTimeLimits: true, workerId: 'w' },
  { endpointId: 'b', states: ['COMPLETED', 'IN_QUEUE'] },
  { before: 900 },
]
const PAGES = [
  { limit: 50, offset: 0 },
  { limit: 50, offset: 480 },
  { limit: 2000, offset: 0 },
]

it('lists and counts hold the same as looking at each job', async () => {
  const { jobs, all } = await setup()
  const isIn =
    ({ states, withTimeLimits = false, endpointId, archived, before = Infinity, after = 0 }: PlainFilter) =>
    (job: Job) =>
      (states === undefined ||
        states.includes(job.status) ||
        (withTimeLimits && states.includes('TIMED_OUT') && isTimedOut(job))) &&
      (endpointId === undefined || job.endpointId === endpointId) &&
      (archived === undefined || job.archived === Number(archived)) &&
      job.seq < before &&
      job.seq > after
  for (const filter of FILTERS) {
    const newestFirst = all.filter(isIn(filter)).map(({ seq }) => seq)
    expect(jobs.count(filter)).toEqual({ count: newestFirst.length, more: false })
    for (const page of PAGES)
      for (const oldestFirst of [false, true]) {
        const wanted = oldestFirst ? newestFirst.toReversed() : newestFirst
        const listed = jobs.list({ ...filter, ...page, oldestFirst }).map(({ seq }) => seq)
        expect({ filter, page, listed }).toEqual({
          filter,
          page,
          listed: wanted.slice(page.offset, page.offset + page.limit),
        })
      }
  }
})

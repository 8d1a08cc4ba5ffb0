/**
 * Random operations on the jobs of one endpoint, done to the service and to a small model side by side. The model knows
 * only the sentences of the specification; after every operation both must agree. Source: docs/spec/targets.md, 2.11.
 */
import fc from 'fast-check'
import { expect } from 'vitest'
import type { JobState } from '../../src-main/contract/job.ts'
import type { TestService } from './core.ts'
import { settle } from './fake-clock.ts'
import type { TestWorker } from './worker-client.ts'

type ModelJob = {
  readonly id: string
  readonly low: boolean
  state: JobState
  retries: number
  holder: TestWorker | undefined
  shown: { error?: string; output?: unknown }
}

/** One operation; `at` chooses a job, `by` a worker. */
export type JobOperation = { readonly kind: (typeof KINDS)[number]; readonly at: number; readonly by: number }

const KINDS = [
  'submit',
  'submitLow',
  'take',
  'complete',
  'fail',
  'progress',
  'chunk',
  'cancel',
  'retry',
  'purge',
  'expire',
  'loseWorker',
  'wait',
] as const
const WORKERS = 4

/** Sequences of operations, with few jobs and workers to choose from, so that what is rare happens to one job twice. */
export const jobOperations: fc.Arbitrary<readonly JobOperation[]> = fc.array(
  fc.record({
    kind: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom('submit' as const, 'take' as const, 'take' as const, 'loseWorker' as const),
      },
      { weight: 4, arbitrary: fc.constantFrom(...KINDS) },
    ),
    at: fc.nat(4),
    by: fc.nat(1),
  }),
  { minLength: 1, maxLength: 30 },
)

/** Does the operations on a fresh endpoint and compares after each. */
export async function compareWithModel(service: TestService, operations: readonly JobOperation[]): Promise<void> {
  const endpoint = `m${service.storage().events.lastId()}`
  await service.createEndpoint(endpoint, {
    workersMin: WORKERS,
    workersMax: WORKERS,
    concurrency: 10,
    ttlWhileRunning: 'keep',
  })
  const workers: TestWorker[] = []
  for (let n = 0; n < WORKERS; n++) workers.push(await service.worker(endpoint, workers))
  const jobs: ModelJob[] = []
  const sums = { completed: 0, failed: 0, retried: 0 }
  for (const operation of operations) {
    const touched = await apply({ service, endpoint, workers, jobs, sums }, operation)
    for (const job of touched) await agree(service, endpoint, job)
  }
  for (const job of jobs) await agree(service, endpoint, job)
  const count = (state: JobState) => jobs.filter((job) => job.state === state).length
  expect((await service.get(`/v2/${endpoint}/health`)).jobs).toEqual({
    ...sums,
    inQueue: count('IN_QUEUE'),
    inProgress: count('IN_PROGRESS'),
  })
  await service.ask('DELETE', `/api/endpoints/${endpoint}`)
}

type World = {
  readonly service: TestService
  readonly endpoint: string
  readonly workers: TestWorker[]
  readonly jobs: ModelJob[]
  readonly sums: { completed: number; failed: number; retried: number }
}

async function agree(service: TestService, endpoint: string, job: ModelJob): Promise<void> {
  const { status, error, output, retries = 0, workerId } = await service.status(job.id, endpoint)
  const ran = job.state === 'IN_PROGRESS' ? job.holder?.id : undefined
  expect({ status, error, output, retries, ...(ran === undefined ? {} : { workerId }) }).toEqual({
    status: job.state,
    error: job.shown.error,
    output: job.shown.output,
    retries: job.retries,
    ...(ran === undefined ? {} : { workerId: ran }),
  })
}

async function apply(world: World, { kind, at, by }: JobOperation): Promise<readonly ModelJob[]> {
  const { service, endpoint, workers, jobs, sums } = world
  const job = jobs[at % Math.max(1, jobs.length)]
  const worker = workers[by % Math.max(1, workers.length)]
  switch (kind) {
    case 'submit':
    case 'submitLow': {
      const low = kind === 'submitLow'
      const id = await service.run({}, { policy: { lowPriority: low } }, endpoint)
      const made: ModelJob = { id, low, state: 'IN_QUEUE', retries: 0, holder: undefined, shown: {} }
      jobs.push(made)
      return [made]
    }
    case 'take':
      return worker === undefined ? [] : take(world, worker)
    case 'complete':
    case 'fail':
    case 'progress': {
      if (job === undefined || worker === undefined) return []
      const body = { complete: { output: at }, fail: { error: 'no' }, progress: { status: 'IN_PROGRESS', output: at } }
      expect((await worker.done(job.id, body[kind])).status).toBe(200)
      if (job.state !== 'IN_PROGRESS' || job.holder !== worker) return [job]
      if (kind === 'progress') job.shown = { output: at }
      else
        end(job, kind === 'complete' ? 'COMPLETED' : 'FAILED', kind === 'complete' ? { output: at } : { error: 'no' })
      if (kind === 'complete') sums.completed += 1
      if (kind === 'fail') sums.failed += 1
      return [job]
    }
    case 'chunk': {
      if (job === undefined || worker === undefined) return []
      const holds = job.state === 'IN_PROGRESS' && job.holder === worker
      const read = async () => (await service.get(`/api/jobs/${job.id}/chunks`)).chunks.length
      const before = await read()
      await worker.chunk(job.id, { output: at })
      expect(await read()).toBe(before + (holds ? 1 : 0))
      return [job]
    }
    case 'cancel':
    case 'retry': {
      if (job === undefined) return []
      const from = kind === 'cancel' ? ['IN_QUEUE', 'IN_PROGRESS'] : ['FAILED', 'TIMED_OUT']
      const legal = from.includes(job.state)
      const answer = await service.ask('POST', `/v2/${endpoint}/${kind}/${job.id}`)
      expect(answer.status).toBe(legal ? 200 : 400)
      if (!legal) return [job]
      if (kind === 'cancel') {
        await obeyStop(world, job)
        end(job, 'CANCELLED', {})
        return [job]
      }
      Object.assign(job, { state: 'IN_QUEUE', retries: 0, shown: {}, holder: undefined })
      await service.get(`/v2/${endpoint}/status/${job.id}?ttl=86400000`) // else the 1 ms of an 'expire' before would end it
      return [job]
    }
    case 'purge': {
      const waiting = jobs.filter(({ state }) => state === 'IN_QUEUE')
      expect(await service.post(`/v2/${endpoint}/purge-queue`)).toEqual({
        removed: waiting.length,
        status: 'completed',
      })
      for (const one of waiting) end(one, 'CANCELLED', {})
      return jobs
    }
    case 'expire': {
      if (job === undefined) return []
      await service.get(`/v2/${endpoint}/status/${job.id}?ttl=1`)
      await pass(world, 500)
      if (job.state !== 'IN_QUEUE' && job.state !== 'IN_PROGRESS') return [job]
      await obeyStop(world, job)
      end(job, 'TIMED_OUT', {})
      return [job]
    }
    case 'loseWorker': {
      if (worker === undefined || workers.length === 1) return []
      workers.splice(workers.indexOf(worker), 1)
      service.fleet().end(worker.id, { signal: 'SIGKILL' })
      await settle()
      const held = jobs.filter((one) => one.state === 'IN_PROGRESS' && one.holder === worker)
      for (const one of held) {
        if (one.retries > 0) {
          end(one, 'FAILED', { error: 'job timed out after 1 retries: killed by SIGKILL' })
          sums.failed += 1
        } else {
          Object.assign(one, { state: 'IN_QUEUE', retries: 1, shown: {}, holder: undefined })
          sums.retried += 1
        }
      }
      return held
    }
    case 'wait':
      await pass(world, 3000)
      return jobs
  }
}

function end(job: ModelJob, state: JobState, shown: ModelJob['shown']): void {
  Object.assign(job, { state, shown, holder: undefined })
}

async function take({ jobs }: World, worker: TestWorker): Promise<readonly ModelJob[]> {
  const waiting = jobs.filter(({ state }) => state === 'IN_QUEUE')
  const next = waiting.find(({ low }) => !low) ?? waiting[0]
  const away = new AbortController()
  const open = worker.take({ busy: true, signal: away.signal })
  if (next === undefined) {
    await settle()
    away.abort()
    expect(await open).toBe(undefined)
    return []
  }
  expect((await open)?.id).toBe(next.id)
  Object.assign(next, { state: 'IN_PROGRESS', holder: worker })
  await worker.ping(heldBy(jobs, worker))
  return [next]
}

const heldBy = (jobs: readonly ModelJob[], worker: TestWorker) =>
  jobs.filter((job) => job.state === 'IN_PROGRESS' && job.holder === worker).map(({ id }) => id)

// A worker that is told to stop a job does so and says it.
async function obeyStop({ jobs }: World, job: ModelJob): Promise<void> {
  const { holder } = job
  if (job.state !== 'IN_PROGRESS' || holder === undefined) return
  expect(await holder.stopOrders()).toEqual([job.id])
  await holder.ping(heldBy(jobs, holder).filter((id) => id !== job.id))
}

async function pass({ service, workers, jobs }: World, ms: number): Promise<void> {
  for (const worker of workers) await worker.ping(heldBy(jobs, worker))
  await service.clock.advance(ms)
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup, type TestService } from '../support/core.ts'
import type { TestWorker } from '../support/worker-client.ts'

const headers = { 'content-type': 'application/x-ndjson' }

async function service(settings: object = {}, options: Parameters<typeof setup>[0] = {}) {
  const service = await setup(options)
  await service.createEndpoint('e', { scaler: { type: 'QUEUE_DELAY', value: 0 }, idleTimeoutMs: 5000, ...settings })
  const workers = async (): Promise<readonly { id: string; pool: string; state: string; reason?: string }[]> =>
    (await service.get('/api/workers')).workers
  /** Waits for the jobs that a worker asked for; scaling takes a moment. */
  const taken = async (asked: ReturnType<TestWorker['takeBatch']>): Promise<readonly unknown[]> => {
    let jobs: Awaited<typeof asked> | undefined
    void asked.then((got) => {
      jobs = got
    })
    return (await service.clock.until(() => jobs)).map(({ input }) => (input as { n: unknown }).n)
  }
  return {
    ...service,
    taken,
    workers,
    pools: async () => (await workers()).map(({ pool, state }) => `${pool} ${state}`).sort(),
    /** Waits for the worker of a pool that runs or starts. */
    of: async (pool: string): Promise<TestWorker> => {
      const id = await service.clock.until(async () => (await workers()).find((one) => one.pool === pool)?.id)
      const others = [...service.fleet().place.workers.values()].flatMap(({ spec }) =>
        spec.workerId === id ? [] : [{ id: spec.workerId } as TestWorker],
      )
      return await service.worker('e', others)
    },
  }
}

async function addBatch({ post, ask }: Pick<TestService, 'post' | 'ask'>, jobs: number, policy: object = {}) {
  const { id } = await post('/api/endpoints/e/batches', { name: 'evening', total: jobs })
  const body = Array.from({ length: jobs }, (_, n) => JSON.stringify({ input: { n }, policy })).join('\n')
  const { status } = await ask('POST', `/api/batches/${id}/lines?from=1`, { body, headers })
  expect(status).toBe(200)
  await post(`/api/batches/${id}/finalize`)
  return id
}

describe('jobs of a batch', () => {
  it('run on a worker of their own, and other jobs never wait behind them', async () => {
    const test = await service()
    const main = await test.of('main')
    const asked = main.takeBatch(5)
    await addBatch(test, 3)
    const batch = await test.of('batch')
    expect(await test.taken(batch.takeBatch(1))).toEqual([0])
    await test.run({ n: 'run' })
    expect(await test.taken(asked)).toEqual(['run'])
    expect(await test.taken(batch.takeBatch(5))).toEqual([1, 2])
    expect(await test.pools()).toEqual(['batch running', 'main running'])
  })

  it('wait for a batch worker, and say so', async () => {
    const test = await service({ workersMax: 2 })
    const batch = await addBatch(test, 2)
    await test.of('batch')
    const [, newest] = (await test.get('/api/endpoints/e/queue')).jobs
    expect(newest).toMatchObject({ pool: 'batch' })
    const { waitingReason, queue } = await test.get(`/api/jobs/${newest.id}`)
    expect(waitingReason).toMatch(/^A batch worker is starting/)
    expect(queue).toMatchObject({ before: 1 })
    expect((await test.get(`/api/batches/${batch}`)).waitingReason).toMatch(/^A batch worker is starting/)
  })

  it('start no more batch workers than the setting allows, and those leave when they are done', async () => {
    const test = await service({ workersMin: 0, batchWorkersMax: 2 })
    await addBatch(test, 9)
    expect(await test.clock.until(async () => (await test.workers()).length === 2 && (await test.pools()))).toEqual([
      'batch initializing',
      'batch initializing',
    ])
    const first = await test.of('batch')
    const jobs = await first.takeBatch(9)
    for (const { id } of jobs) await first.done(id, { output: 1 })
    await test.clock.advance(5000)
    await test.clock.until(async () => (await test.workers()).every(({ id }) => id !== first.id))
    expect(await test.get('/api/endpoints/e')).toMatchObject({ batchWorkersMax: 2 })
  })

  it('stay on the same kind of worker when the service is killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const test = await service({}, { file: join(folder, 'drydock.db') })
    await addBatch(test, 2)
    const [job] = await (await test.of('batch')).takeBatch(1)
    await test.restart('killed')
    await (await test.of('batch')).ping([job?.id ?? ''])
    expect(await test.pools()).toEqual(['batch running', 'main initializing'])
    await test.run({ n: 'run' })
    expect(await test.taken((await test.of('batch')).takeBatch(5))).toEqual([1])
    expect(await test.taken((await test.of('main')).takeBatch(5))).toEqual(['run'])
  })

  it('start no worker if they have low priority', async () => {
    const test = await service()
    const main = await test.of('main')
    await addBatch(test, 1, { lowPriority: true })
    expect(await test.taken(main.takeBatch(5))).toEqual([0])
    expect(await test.pools()).toEqual(['main running'])
  })

  it('swap places only with each other', async () => {
    const test = await service({ workersMin: 0, paused: true })
    await test.post('/api/endpoints/e/pause')
    await addBatch(test, 2)
    const run = await test.run({ n: 'run' })
    const [other, one, two] = (await test.get('/api/endpoints/e/queue')).jobs
    expect(other.id).toBe(run)
    const mixed = await test.ask('POST', `/api/jobs/${one.id}/place`, { body: { before: run } })
    expect([mixed.status, mixed.body.error]).toEqual([
      400,
      'before: waits for other workers: only one of the two jobs is part of a batch.',
    ])
    await test.post(`/api/jobs/${two.id}/place`, { to: 'front' })
    const { jobs } = await test.get('/api/endpoints/e/queue')
    expect(jobs.map(({ id }: { id: string }) => id)).toEqual([run, two.id, one.id])
    expect(await test.get(`/api/jobs/${run}`)).toMatchObject({ queue: { before: 0 } })
  })
})

describe('batch workers', () => {
  const WORDS = "ModuleNotFoundError: No module named 'torch'"

  it('hold back no main worker when they crash, and the reason names them', async () => {
    const test = await service()
    const main = await test.of('main')
    const asked = main.takeBatch(1)
    test.fleet().failStarts = WORDS
    await addBatch(test, 1)
    const read = () => test.get('/api/endpoints/e')
    const crash = await test.clock.until(async () => {
      const { crash } = await read()
      return crash?.count === 3 && crash
    }, 20_000)
    expect(crash).toMatchObject({ pool: 'batch', lastWords: WORDS })
    const { state, waitingReason } = await read()
    expect({ state, waitingReason }).toEqual({
      state: 'waiting',
      waitingReason: expect.stringMatching(/^No batch worker runs: batch worker failed 3 times/),
    })
    const { workers, batchWorkers } = await test.get('/v2/e/health')
    expect({ workers, batchWorkers }).toMatchObject({
      workers: { idle: 1, unhealthy: 0 },
      batchWorkers: { unhealthy: 1 },
    })
    await test.run({ n: 'run' })
    expect(await test.taken(asked)).toEqual(['run'])
    expect((await test.get('/api/doctor')).rows).toContainEqual(
      expect.objectContaining({ found: expect.stringMatching(/^batch worker failed/) }),
    )
  })

  it('start at once although main workers crashed', async () => {
    const test = await service()
    test.fleet().failStarts = WORDS
    await test.clock.until(async () => (await test.get('/api/endpoints/e')).crash?.count === 4, 20_000)
    test.fleet().failStarts = undefined
    await addBatch(test, 1)
    expect(await test.taken((await test.of('batch')).takeBatch(1))).toEqual([0])
    expect(await test.get('/api/endpoints/e')).toMatchObject({ crash: { pool: 'main' } })
  })
})

describe('batch jobs that wait', () => {
  it('count towards the limit of waiting jobs of the platform', async () => {
    const test = await service({ workersMin: 0 })
    await test.post('/api/endpoints/e/pause')
    const total = limit('batchQueue')
    await addBatch(test, 1)
    const { batches, write } = test.storage()
    const large = { id: 'large', endpointId: 'e', name: 'large', fingerprint: null, total, createdAt: 0 } as const
    await write(() => batches.insert({ ...large, state: 'DRAFT' }))
    // So many requests take a minute to store.
    const counts = batches.counts
    batches.counts = (seq) => (batches.get('large')?.seq === seq ? { UNQUEUED: total } : counts(seq))
    const { status, body } = await test.ask('POST', '/v2/e/batch/large/finalize')
    expect([status, body.code]).toEqual([429, 'QUEUE_FULL'])
  })
})

describe('without batch workers', () => {
  it('the other workers run batch jobs after all other jobs', async () => {
    const test = await service({ batchWorkersMax: 0 })
    const main = await test.of('main')
    await addBatch(test, 2)
    await test.run({ n: 'run' })
    const [, , last] = (await test.get('/api/endpoints/e/queue')).jobs
    expect(await test.get(`/api/jobs/${last.id}`)).toMatchObject({ queue: { before: 2 } })
    expect(await test.taken(main.takeBatch(1))).toEqual(['run'])
    expect(await test.taken(main.takeBatch(5))).toEqual([0, 1])
    expect(await test.pools()).toEqual(['main running'])
  })
})

describe('on a machine with one slot', () => {
  const oneSlot = { settings: { maxWorkers: 1 } }

  it('an idle worker runs batch jobs while no other job waits', async () => {
    const test = await service({}, oneSlot)
    const main = await test.of('main')
    const asked = main.takeBatch(1)
    await addBatch(test, 3)
    expect(await test.taken(asked)).toEqual([0])
    await test.run({ n: 'run' })
    expect(await test.taken(main.takeBatch(1))).toEqual(['run'])
    expect(await test.taken(main.takeBatch(1))).toEqual([1])
    const { waitingReason } = await test.get(`/api/jobs/${(await test.get('/api/endpoints/e/queue')).jobs[0].id}`)
    expect(waitingReason).toBe(
      'No capacity for a batch worker: 1 of 1 worker processes are in use. Until there is, other workers run batch jobs while no other job waits.',
    )
    expect(await test.pools()).toEqual(['main running'])
  })

  it('a batch worker gives its slot to a worker for another job after its own job', async () => {
    const test = await service({ workersMin: 0 }, oneSlot)
    await addBatch(test, 3)
    const batch = await test.of('batch')
    const [job] = await batch.takeBatch(1)
    await test.run({ n: 'run' })
    await test.clock.until(async () => (await test.pools()).includes('batch stopping'))
    expect((await test.workers())[0]?.reason).toBe('a worker for other jobs needs its slot')
    await batch.done(job?.id ?? '', { output: 1 })
    const main = await test.of('main')
    expect(await test.taken(main.takeBatch(5))).toEqual(['run'])
    expect((await test.pools()).filter((one) => one.startsWith('batch'))).toEqual([])
  })

  it('a batch worker gives its slot to a worker of another endpoint, and does not take it back', async () => {
    const test = await service({ workersMin: 0 }, oneSlot)
    await addBatch(test, 3)
    await test.of('batch')
    await test.createEndpoint('other', { workersMin: 0 })
    const jobId = await test.run({}, {}, 'other')
    const other = await test.worker('other')
    expect((await other.take())?.id).toBe(jobId)
    await test.clock.advance(1000)
    expect(await test.pools()).toEqual(['main running'])
  })
})

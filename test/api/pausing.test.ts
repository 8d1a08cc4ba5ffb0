/**
 * Idle workers that are frozen and woken, and workers that are made before they are needed; the fleet is the fake one.
 */
import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { type SetupOptions, setup } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'

const IDLE_MS = 1000
const KEEP_MS = 60_000

/** A service with an endpoint whose idle worker is frozen after a second. */
async function pausing(container: object = {}, options: SetupOptions = {}) {
  const service = await setup(options)
  const rests = { workersMin: 0, workersMax: 2, idleTimeoutMs: IDLE_MS, redispatches: 1 }
  const createPausing = (id = 'e', more: object = {}) =>
    service.createEndpoint(id, {
      ...rests,
      container: { image: 'an-image', keepPausedMs: KEEP_MS, prepared: 0, ...container },
      ...more,
    })
  await createPausing()
  const stateOf = async (id: string) =>
    (await service.get('/api/workers')).workers.find((worker: { id: string }) => worker.id === id)?.state
  /** Runs one job and waits until its worker is frozen; the request for the next job stays open. */
  const frozen = async (endpointId = 'e') => {
    const { jobId, worker } = await service.running({}, endpointId)
    await worker.done(jobId, { output: 1 })
    const asks = worker.take()
    await service.clock.until(async () => (await stateOf(worker.id)) === 'paused')
    return { worker, asks }
  }
  return { ...service, createPausing, stateOf, frozen }
}

it('freezes a worker that was idle for the idle time-out, and wakes it for the next job', async () => {
  const { frozen, run, stateOf, fleet, waitForJob, clock } = await pausing()
  const { worker, asks } = await frozen()
  expect(fleet().place.workers.get(worker.id)?.frozen).toBe(true)
  const jobId = await run()
  await clock.until(async () => (await stateOf(worker.id)) === 'running')
  expect(await asks).toMatchObject({ id: jobId })
  expect(fleet().place.workers.get(worker.id)?.frozen).toBe(false)
  await worker.done(jobId, { output: 2 })
  await waitForJob(jobId, 'COMPLETED')
  expect(fleet().started).toHaveLength(1)
})

it('gives a job to a worker whose request came in the moment in which it was frozen', async () => {
  const { running, stateOf, run, clock } = await pausing({}, {})
  const { jobId, worker } = await running()
  await worker.done(jobId, { output: 1 })
  await clock.until(async () => (await stateOf(worker.id)) === 'paused')
  const asks = worker.take()
  await settle()
  const next = await run()
  await clock.until(async () => (await stateOf(worker.id)) === 'running')
  expect(await asks).toMatchObject({ id: next })
})

it('ends a frozen worker when its time is over', async () => {
  const { frozen, clock, stateOf, fleet } = await pausing()
  const { worker } = await frozen()
  await clock.advance(KEEP_MS - 1)
  expect(await stateOf(worker.id)).toBe('paused')
  await clock.advance(1)
  await clock.until(() => fleet().place.workers.size === 0)
})

it('freezes no workers if none are kept, and no processes', async () => {
  for (const container of [{ image: 'an-image', keepPausedMs: 0, prepared: 0 }, undefined]) {
    const { running, createEndpoint, clock, fleet, stateOf } = await setup().then((service) => ({
      ...service,
      stateOf: async (id: string) =>
        (await service.get('/api/workers')).workers.find((worker: { id: string }) => worker.id === id)?.state,
    }))
    await createEndpoint('e', { workersMin: 0, idleTimeoutMs: IDLE_MS, ...(container && { container }) })
    const { jobId, worker } = await running()
    await worker.done(jobId, { output: 1 })
    const seen = new Set<string>()
    await clock.until(async () => {
      seen.add(String(await stateOf(worker.id)))
      return fleet().place.workers.size === 0
    })
    expect(seen).not.toContain('paused')
  }
})

it('ends the longest frozen worker of another endpoint when there is no place left', async () => {
  const {
    frozen,
    createPausing,
    clock,
    run,
    worker: workerOf,
    fleet,
    stateOf,
  } = await pausing({}, { settings: { maxWorkers: 2 } })
  await createPausing('second')
  await createPausing('third')
  const first = await frozen()
  await clock.advance(10)
  const second = await frozen('second')
  await run({}, {}, 'third')
  await workerOf('third')
  expect(fleet().place.workers.has(first.worker.id)).toBe(false)
  expect(await stateOf(second.worker.id)).toBe('paused')
})

it('makes the next container when one has started, uses it, and throws it away with changed settings', async () => {
  const { running, run, fleet, worker, ask, clock } = await pausing({ prepared: 1 }, {})
  const first = await running()
  const [next] = await clock.until(() => {
    const ids = [...fleet().place.prepared.keys()]
    return ids.length === 1 && ids
  })
  await ask('PATCH', '/api/endpoints/e', { body: { scaler: { type: 'REQUEST_COUNT', value: 1 }, env: { A: '1' } } })
  await clock.until(() => !fleet().place.prepared.has(next ?? ''))
  await run()
  const second = await worker('e', [first.worker])
  expect(second.id).not.toBe(next)
  expect(second.spec.env.A).toBe('1')
})

it('leaves nothing prepared for an endpoint that goes while its worker starts', async () => {
  const { running, fleet, ask, clock } = await pausing({ prepared: 2 })
  await running()
  await clock.until(() => fleet().place.prepared.size === 2)
  expect(await ask('DELETE', '/api/endpoints/e')).toMatchObject({ status: 200 })
  await clock.until(() => fleet().place.prepared.size === 0)
})

/**
 * A service with an endpoint whose workers are processes. `rested`: its worker has had a job, and was idle until
 * frozen.
 */
async function processes(more: object = {}) {
  const service = await setup()
  await service.createEndpoint('e', { workersMin: 1, workersMax: 2, idleTimeoutMs: 60_000, ...more })
  const lifeOf = (id: string) => service.fleet().place.workers.get(id)
  const rested = async () => {
    const { jobId, worker } = await service.running()
    await worker.done(jobId, { output: 1 })
    const asks = worker.take()
    await service.clock.until(() => lifeOf(worker.id)?.frozen === true)
    return { worker, asks }
  }
  return { ...service, lifeOf, rested }
}

describe('an idle process', () => {
  it('is frozen while it stays idle, and continues with the next job', async () => {
    const { rested, run, get, lifeOf, clock, fleet } = await processes()
    const { worker, asks } = await rested()
    expect((await get('/api/workers')).workers).toMatchObject([{ state: 'idle', reason: 'frozen until its next job' }])
    expect(await get('/v2/e/health')).toMatchObject({ workers: { idle: 1, ready: 1 } })
    const jobId = await run()
    expect(await asks).toMatchObject({ id: jobId })
    expect(lifeOf(worker.id)?.frozen).toBe(false)
    const [{ state, reason }] = (await get('/api/workers')).workers
    expect([state, reason]).toEqual(['running', undefined])
    await worker.done(jobId, { output: 2 })
    await clock.until(() => lifeOf(worker.id)?.frozen === true)
    expect(fleet().started).toHaveLength(1)
  })

  it('is woken for a job that waits, as its request for one was answered while it was frozen', async () => {
    const { rested, run, lifeOf, clock } = await processes()
    const { worker, asks } = await rested()
    await clock.advance(limit('takeHoldMs'))
    expect(await asks).toBeUndefined()
    expect(lifeOf(worker.id)?.frozen).toBe(true)
    const jobId = await run()
    await clock.until(() => lifeOf(worker.id)?.frozen === false)
    expect(await worker.take()).toMatchObject({ id: jobId })
  })

  it('still leaves after the idle timeout', async () => {
    const { rested, fleet, clock } = await processes({ workersMin: 0, idleTimeoutMs: limit('freezeIdleMs') + IDLE_MS })
    await rested()
    await clock.until(() => fleet().place.workers.size === 0)
  })

  it('is frozen in the millisecond in which its rest is over', async () => {
    const { running, lifeOf, clock } = await processes()
    const { jobId, worker } = await running()
    await worker.done(jobId, { output: 1 })
    await settle()
    await clock.advance(limit('freezeIdleMs') - 1)
    expect(lifeOf(worker.id)?.frozen).toBe(false)
    await clock.advance(1)
    await clock.until(() => lifeOf(worker.id)?.frozen === true)
  })

  it.each([{ freezeIdle: false }, { loadBalanced: {}, command: 'serve', handler: undefined }])(
    'of an endpoint with %j is never frozen',
    async (more) => {
      const { fleet, clock, worker: workerOf } = await processes(more)
      const { id } = await workerOf('e')
      await clock.advance(10 * limit('freezeIdleMs'))
      expect(fleet().place.workers.get(id)?.frozen).toBe(false)
    },
  )
})

/** Fault switches of an endpoint: each one on, off, and told where it is met; the fleet is the fake one. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Faults } from '../../src-main/contract/faults.ts'
import { type SetupOptions, setup as setupService } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'
import { openProxy, openWorker } from '../support/proxied.ts'
import { setupReleases } from '../support/release-service.ts'
import { until } from '../support/served-service.ts'

/** A service with endpoint e, and its switches set. */
async function setup(faults: Faults, settings: object = {}, options: SetupOptions = {}) {
  const service = await setupService(options)
  await service.createEndpoint('e', { faults, ...settings })
  const change = async (body: object) => (await service.ask('PATCH', '/api/endpoints/e', { body })).body
  const reasonOf = async () => (await service.get('/api/endpoints/e')).waitingReason
  const lives = (id: string) => service.fleet().place.workers.has(id)
  const historyOf = async (jobId: string): Promise<readonly { event: string; reason?: string }[]> =>
    (await service.get(`/api/jobs/${jobId}`)).history
  return { ...service, set: (changes: Faults) => change({ faults: changes }), change, reasonOf, lives, historyOf }
}

const DELAY_MS = 2000

const ALL: Required<Faults> = {
  delayMs: 1,
  failPercent: 2,
  killPercent: 3,
  outOfMemoryPercent: 4,
  throttle: true,
  coldStart: true,
}

describe('the settings', () => {
  it('list the enabled switches and change only the given ones', async () => {
    const { set, get } = await setup({ failPercent: 20, killPercent: 0, throttle: false })
    expect((await get('/api/endpoints/e')).faults).toEqual({ failPercent: 20 })
    expect((await set({ delayMs: 5 })).faults).toEqual({ failPercent: 20, delayMs: 5 })
    expect((await set({ failPercent: 0 })).faults).toEqual({ delayMs: 5 })
    expect(await set({ delayMs: 0 })).not.toHaveProperty('faults')
    expect((await set(ALL)).faults).toEqual(ALL)
  })

  it('stay when other settings are changed', async () => {
    const { change } = await setup({ failPercent: 20 })
    expect(await change({ workersMax: 2 })).toMatchObject({ workersMax: 2, faults: { failPercent: 20 } })
  })

  it.each<[object, number]>([
    [{ delayMs: 600_000 }, 200],
    [{ delayMs: 600_001 }, 400],
    [{ delayMs: -1 }, 400],
    [{ failPercent: 100 }, 200],
    [{ failPercent: 100.5 }, 400],
    [{ killPercent: 0.5 }, 200],
    [{ outOfMemoryPercent: -1 }, 400],
    [{ delay: 1 }, 400],
  ])('%j is answered %i', async (faults, status) => {
    const { ask } = await setup({})
    expect((await ask('PATCH', '/api/endpoints/e', { body: { faults } })).status).toBe(status)
  })

  it('outlive a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const service = await setup({ failPercent: 100 }, {}, { file: join(folder, 'drydock.db') })
    await service.restart('in order')
    const { jobId, worker } = await service.running()
    await worker.done(jobId, { output: 1 })
    await service.waitForJob(jobId, 'FAILED')
  })

  it('do not replace workers when they change', async () => {
    const { running, set, fleet, clock, waitForJob } = await setup({})
    const { jobId, worker } = await running()
    await set({ delayMs: 1, failPercent: 1, killPercent: 1, outOfMemoryPercent: 1, throttle: true })
    await set({ delayMs: 0, failPercent: 0, killPercent: 0, outOfMemoryPercent: 0, throttle: false })
    await worker.done(jobId, { output: 1 })
    await waitForJob(jobId, 'COMPLETED')
    await clock.advance(1000)
    expect(fleet().started.map(({ workerId }) => workerId)).toEqual([worker.id])
  })
})

describe('delay', () => {
  it('holds each job for the delay, and reports it as the waiting reason', async () => {
    const { worker, run, clock, status, reasonOf } = await setup({ delayMs: DELAY_MS })
    const asks = (await worker()).take()
    await settle()
    const first = await run()
    await clock.advance(DELAY_MS - 500)
    const second = await run()
    await clock.advance(499)
    expect((await status(first)).status).toBe('IN_QUEUE')
    expect(await reasonOf()).toBe('Fault injection (delayMs) on this endpoint delays each job by 2 s.')
    await clock.advance(1)
    expect(await asks).toMatchObject({ id: first })
    expect(await status(first)).toMatchObject({ status: 'IN_PROGRESS', delayTime: DELAY_MS })
    expect((await status(second)).status).toBe('IN_QUEUE')
  })

  it('dispatches only jobs whose delay has passed', async () => {
    const { worker, run, clock } = await setup({ delayMs: DELAY_MS }, { concurrency: 3 })
    const old = [await run(), await run()]
    await clock.advance(DELAY_MS)
    await run()
    const taker = await worker()
    expect((await taker.takeBatch(3)).map(({ id }) => id)).toEqual(old)
  })

  it('also holds jobs beyond the scanned part of the queue', async () => {
    const { worker, run, clock, get } = await setup({ delayMs: DELAY_MS })
    const asks = (await worker()).take()
    await settle()
    const jobs = await Promise.all(Array.from({ length: 201 }, () => run()))
    await clock.advance(DELAY_MS - 1)
    expect((await get('/v2/e/health')).jobs).toMatchObject({ inQueue: 201, inProgress: 0 })
    await clock.advance(1)
    expect(jobs).toContain((await asks)?.id)
  })

  it('releases held jobs when it is switched off', async () => {
    const { worker, run, set, clock } = await setup({ delayMs: 600_000 })
    const asks = (await worker()).take()
    const jobId = await run()
    await clock.advance(1000)
    await set({ delayMs: 0 })
    expect(await asks).toMatchObject({ id: jobId })
  })
})

describe('fail', () => {
  it('fails a job with an error that names the switch, and none when it is off', async () => {
    const { running, set, waitForJob, historyOf } = await setup({ failPercent: 100 })
    const { jobId, worker } = await running()
    await worker.done(jobId, { output: { secret: 1 } })
    const error = 'failed by fault injection on endpoint e: set failPercent to 0'
    const record = await waitForJob(jobId, 'FAILED')
    expect(record).toMatchObject({ error })
    expect(record).not.toHaveProperty('output')
    expect((await historyOf(jobId)).at(-1)).toMatchObject({ event: 'fail', reason: error })
    await set({ failPercent: 0 })
    const next = await running()
    await next.worker.done(next.jobId, { output: 1 })
    await waitForJob(next.jobId, 'COMPLETED')
  })

  it('keeps the error of a job that failed by itself', async () => {
    const { running, waitForJob } = await setup({ failPercent: 100 })
    const { jobId, worker } = await running()
    await worker.done(jobId, { error: 'its own' })
    expect(await waitForJob(jobId, 'FAILED')).toMatchObject({ error: 'its own' })
  })

  it('lets progress updates of a running job through', async () => {
    const { running, status } = await setup({ failPercent: 100 })
    const { jobId, worker } = await running()
    await worker.done(jobId, { status: 'IN_PROGRESS', output: 'half' })
    expect(await status(jobId)).toMatchObject({ status: 'IN_PROGRESS', output: 'half' })
  })
})

describe.each([
  ['killPercent', 'killed by fault injection (killPercent) on its endpoint'],
  ['outOfMemoryPercent', 'out of memory (fault injection)'],
] as const)('%s', (name, reason) => {
  it('ends the worker that got a job, and requeues the job as after any lost worker', async () => {
    const { run, worker, lives, waitForJob, clock, status, historyOf, get } = await setup(
      { [name]: 100 },
      { redispatches: 1 },
    )
    const jobId = await run()
    const first = await worker()
    expect(await first.take().catch(() => undefined)).toBeUndefined()
    await clock.until(async () => (await status(jobId)).retries === 1)
    expect({ lives: lives(first.id), status: (await status(jobId)).status }).toEqual({
      lives: false,
      status: 'IN_QUEUE',
    })
    expect((await historyOf(jobId)).at(-1)).toMatchObject({
      event: 'rescue',
      reason: `worker ${first.id} exited: ${reason}`,
    })
    // It did nothing, so it counts as a crash: the next one has to wait a little.
    expect((await get('/api/endpoints/e')).waitingReason).toContain(reason)
    const second = await worker('e', [first])
    void second.take().catch(() => undefined)
    expect(await waitForJob(jobId, 'FAILED')).toMatchObject({ error: `job timed out after 1 retries: ${reason}` })
  })

  it('also applies to a job that is dispatched in the response to a result', async () => {
    const { run, running, set, lives, clock } = await setup({ [name]: 0 })
    const { jobId, worker } = await running()
    await run()
    await set({ [name]: 100 })
    expect(await worker.doneAndTake(jobId, { output: 1 })).toEqual([])
    await clock.until(() => !lives(worker.id))
  })

  it('ends no worker when it is off', async () => {
    const { running, lives, waitForJob, set } = await setup({ [name]: 100 })
    await set({ [name]: 0 })
    const { jobId, worker } = await running()
    await worker.done(jobId, { output: 1 })
    await waitForJob(jobId, 'COMPLETED')
    expect(lives(worker.id)).toBe(true)
  })
})

describe('throttle', () => {
  it('starts no worker until it is off, and reports the reason', async () => {
    const { run, set, fleet, clock, reasonOf, get, worker } = await setup({ throttle: true }, { workersMin: 0 })
    const jobId = await run()
    await clock.advance(5000)
    expect(fleet().started).toEqual([])
    expect(await reasonOf()).toBe('No capacity for a worker: fault injection (throttle) is on for this endpoint.')
    expect((await get('/v2/e/health')).workers).toMatchObject({ throttled: 1 })
    await set({ throttle: false })
    expect(await (await worker()).take()).toMatchObject({ id: jobId })
  })
})

describe('throttle with other endpoints', () => {
  it('does not evict paused workers of other endpoints', async () => {
    const { createEndpoint, running, run, clock, fleet } = await setup({ throttle: true }, { workersMin: 0 })
    const container = { image: 'an-image', keepPausedMs: 60_000, prepared: 0 }
    await createEndpoint('rests', { workersMin: 0, idleTimeoutMs: 1000, container })
    const { jobId, worker } = await running({}, 'rests')
    await worker.done(jobId, { output: 1 })
    await clock.until(() => fleet().place.workers.get(worker.id)?.frozen === true)
    await run()
    await clock.advance(5000)
    expect(fleet().place.workers.get(worker.id)?.frozen).toBe(true)
  })
})

describe('cold start', () => {
  it('gives each job a new worker, even if a worker would be kept', async () => {
    const { run, worker, lives, clock, waitForJob, fleet } = await setup(
      { coldStart: true },
      { workersMin: 1, concurrency: 2 },
    )
    const jobs = [await run(), await run()]
    const first = await worker()
    expect((await first.takeBatch(2)).map(({ id }) => id)).toEqual(jobs.slice(0, 1))
    const more = first.take({ busy: true }).catch(() => undefined)
    await first.done(jobs[0] ?? '', { output: 1 })
    await clock.until(() => !lives(first.id))
    expect(await more).toBeUndefined()
    const second = await worker('e', [first])
    expect(await second.take()).toMatchObject({ id: jobs[1] })
    await second.done(jobs[1] ?? '', { output: 2 })
    await waitForJob(jobs[1] ?? '', 'COMPLETED')
    await clock.until(() => fleet().place.workers.size === 0)
    await clock.advance(10_000)
    expect(fleet().started).toHaveLength(2)
  })

  it('reports why the worker ended, and starts the minimum workers once it is off', async () => {
    const { running, service, set, worker, clock, lives } = await setup({ coldStart: true })
    const { jobId, worker: first } = await running()
    const live = service().registry.get(first.id)
    await first.done(jobId, { output: 1 })
    await clock.until(() => !lives(first.id))
    expect(live?.reason).toBe('fault injection (coldStart) is on for this endpoint')
    await set({ coldStart: false })
    expect((await worker('e', [first])).id).not.toBe(first.id)
  })
})

describe('the endpoint of an app', () => {
  const APP = { greet: { workersMin: 1 } }

  it('keeps its switches through a deploy, whose plan does not list them', async () => {
    const { service, deploy } = await setupReleases()
    await deploy(APP)
    const faults = { failPercent: 20, throttle: true }
    await service.ask('PATCH', '/api/endpoints/greet', { body: { faults } })
    const same = await deploy(APP, 'a')
    expect(same.steps).toMatchObject([{ action: 'unchanged', changes: [] }])
    const changed = await deploy({ greet: { workersMin: 1, workersMax: 3 } }, 'a')
    expect(changed.steps).toMatchObject([{ action: 'update', changes: [{ setting: 'workersMax' }] }])
    expect(await service.get('/api/endpoints/greet')).toMatchObject({ workersMax: 3, faults })
  })

  it('keeps switches that are set during a deploy', async () => {
    const { service, begin, deploy, ended } = await setupReleases()
    const { workers } = await deploy(APP)
    await begin(APP, 'b')
    const faults = { killPercent: 10 }
    await service.ask('PATCH', '/api/endpoints/greet', { body: { faults } })
    void (await service.worker('greet', Object.values(workers))).take().catch(() => undefined)
    expect((await ended(2)).release.state).toBe('active')
    expect((await service.get('/api/endpoints/greet')).faults).toEqual(faults)
  })
})

describe('a load-balanced endpoint', () => {
  async function setupWeb(faults: Faults, settings: object = {}) {
    const service = await setupService()
    let answered = 0
    const port = await openWorker((_incoming, response) => {
      answered += 1
      response.end('well')
    })
    const { send } = await openProxy(service)
    await service.createEndpoint('web', { loadBalanced: { port }, faults, ...settings })
    const ready = () =>
      until(async () => {
        await service.clock.advance(50)
        expect(service.service().registry.ofEndpoint('web')).toMatchObject([{ state: 'idle' }])
      })
    return { ...service, send, ready, answered: () => answered }
  }

  it('gets requests after the delay', async () => {
    const { send, ready, clock, answered } = await setupWeb({ delayMs: DELAY_MS })
    await ready()
    const answer = send('/lb/web/x')
    // It comes over a real connection, and its wait begins when it is here.
    let waited = 0
    await until(async () => {
      await clock.advance(100)
      waited += 100
      expect(answered()).toBe(1)
    })
    expect(await answer).toMatchObject({ status: 200, text: 'well' })
    expect(waited).toBeGreaterThanOrEqual(DELAY_MS)
  })

  it('answers 500 with the name of the switch, without forwarding the request', async () => {
    const { send, ready, answered } = await setupWeb({ failPercent: 100 })
    await ready()
    const refused = await send('/lb/web/x', { method: 'POST', body: 'x' })
    expect(refused.json()).toMatchObject({
      status: 500,
      code: 'FAULT_SWITCH',
      error:
        'The request was failed by fault injection on endpoint web: set failPercent to 0 with `drydock faults web --fail 0`.',
    })
    expect(answered()).toBe(0)
  })

  it('loses the worker that is about to get a request, and retries on another', async () => {
    const { send, clock, answered, fleet } = await setupWeb({ killPercent: 100 })
    let done = false
    const answer = send('/lb/web/x').finally(() => {
      done = true
    })
    await until(async () => {
      await clock.advance(100)
      expect(done).toBe(true)
    })
    expect((await answer).json()).toMatchObject({
      code: 'WORKER_FAILED',
      error: expect.stringContaining('killed by fault injection (killPercent) on its endpoint'),
    })
    expect({ answered: answered(), started: fleet().started.length }).toEqual({ answered: 0, started: 3 })
  })

  it('starts a worker for each request while cold starts are forced', async () => {
    const { send, clock, fleet } = await setupWeb({ coldStart: true }, { workersMin: 1, workersMax: 1 })
    for (const started of [1, 2, 3]) {
      let status: number | undefined
      void send('/lb/web/x').then((answer) => {
        status = answer.status
      })
      await until(async () => {
        await clock.advance(50)
        expect(status).toBe(200)
      })
      await clock.until(() => fleet().place.workers.size === 0)
      expect(fleet().started).toHaveLength(started)
    }
  })
})

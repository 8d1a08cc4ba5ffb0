import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { setup } from '../support/core.ts'
import { jobInState } from '../support/job-in-state.ts'
import type { TestWorker } from '../support/worker-client.ts'

/** The node server's side of a call whose socket may close before the answer is written. */
function socket(): EventEmitter & { destroyed: boolean; writableFinished: boolean } {
  return Object.assign(new EventEmitter(), { destroyed: false, writableFinished: false })
}

describe('a lease', () => {
  const calls: readonly [string, (job: Awaited<ReturnType<typeof jobInState>>) => Promise<unknown>][] = [
    ['pings', ({ worker, id }) => worker.ping([id])],
    ['pings without the name of the job', ({ worker }) => worker.ping([])],
    ['progress updates', ({ worker, id }) => worker.done(id, { status: 'IN_PROGRESS', output: 1 })],
    ['stream chunks', ({ worker, id }) => worker.chunk(id, { output: 1 })],
    [
      'asking for a further job',
      async ({ worker }) => {
        const away = new AbortController()
        const open = worker.take({ busy: true, signal: away.signal })
        away.abort()
        await open
      },
    ],
  ]
  for (const [what, call] of calls) {
    it(`is renewed by ${what}`, async () => {
      const job = await jobInState('IN_PROGRESS')
      for (let n = 0; n < 4; n++) {
        await job.clock.advance(9700)
        await call(job)
      }
      expect((await job.status(job.id)).status).toBe('IN_PROGRESS')
    })
  }

  it('ends 10 s after the last sign of life: the job is queued again once, then failed', async () => {
    const { createEndpoint, running, status, clock, get, worker, waitForJob } = await setup()
    await createEndpoint()
    const { jobId, worker: first } = await running()
    await clock.advance(9799)
    expect((await status(jobId)).status).toBe('IN_PROGRESS')
    await clock.advance(401)
    expect(await status(jobId)).toEqual({ id: jobId, status: 'IN_QUEUE', input: {}, retries: 1 })
    expect((await get('/v2/e/health')).jobs).toMatchObject({ inQueue: 1, retried: 1, failed: 0 })
    const second = await worker('e', [first])
    await second.take()
    await second.ping([jobId])
    await clock.advance(10_200)
    expect(await waitForJob(jobId, 'FAILED')).toMatchObject({ error: 'job timed out after 1 retries', retries: 1 })
    expect((await get('/v2/e/health')).jobs).toMatchObject({ inQueue: 0, retried: 1, failed: 1 })
  })

  it('does not run while the service is held up, as it hears no worker then', async () => {
    const { id, worker, clock, status } = await jobInState('IN_PROGRESS')
    await worker.ping([id])
    await clock.leap(15_000)
    await clock.advance(9000)
    expect((await status(id)).status).toBe('IN_PROGRESS')
    await clock.advance(1200)
    expect(await status(id)).toMatchObject({ status: 'IN_QUEUE', retries: 1 })
  })

  for (const redispatches of [0, 1, 2]) {
    it(`lost ${redispatches + 1} times with ${redispatches} re-dispatches allowed: FAILED`, async () => {
      const { createEndpoint, run, worker, fleet, clock, waitForJob } = await setup()
      await createEndpoint('e', { redispatches })
      const id = await run()
      const used: TestWorker[] = []
      for (let n = 0; n <= redispatches; n++) {
        const taker = await clock.until(() => worker('e', used), 120_000)
        used.push(taker)
        await taker.take()
        fleet().end(taker.id, { code: 1 })
        await clock.advance(0)
      }
      expect((await waitForJob(id, 'FAILED')).error).toBe(`job timed out after ${redispatches} retries: exit code 1`)
    })
  }

  it('of a dead worker ends at once', async () => {
    const { id, worker, fleet, clock, status } = await jobInState('IN_PROGRESS')
    fleet().end(worker.id, { signal: 'SIGKILL' })
    await clock.advance(0)
    expect(await status(id)).toMatchObject({ status: 'IN_QUEUE', retries: 1 })
  })

  it('of a job that its worker never names is held for 10 s, whatever else it says', async () => {
    const { createEndpoint, run, worker, clock, status } = await setup()
    await createEndpoint()
    const id = await run()
    const taker = await worker()
    await taker.take()
    for (let n = 0; n < 3; n++) {
      await clock.advance(3000)
      await taker.ping([])
    }
    expect((await status(id)).status).toBe('IN_PROGRESS')
    await clock.advance(1201)
    expect(await status(id)).toMatchObject({ status: 'IN_QUEUE', retries: 1 })
  })

  it('is the token of a result: another worker of the endpoint cannot end the job', async () => {
    const { createEndpoint, running, worker, status } = await setup()
    await createEndpoint('e', { workersMin: 2, workersMax: 2 })
    const { jobId, worker: holder } = await running()
    const other = await worker('e', [holder])
    await other.done(jobId, { output: 'wrong' })
    expect((await status(jobId)).status).toBe('IN_PROGRESS')
    await holder.done(jobId, { output: 'right' })
    expect(await status(jobId)).toMatchObject({ status: 'COMPLETED', output: 'right' })
  })
})

describe('the dispatch', () => {
  it('to a socket that closed before the answer was written is taken back, without counting a try', async () => {
    const { createEndpoint, run, worker, status, clock } = await setup()
    await createEndpoint()
    const taker = await worker()
    const outgoing = socket()
    const open = taker.take({ bindings: { outgoing } })
    const id = await run()
    expect((await open)?.id).toBe(id)
    outgoing.destroyed = true
    outgoing.emit('close')
    await clock.advance(0)
    expect(await status(id)).toEqual({ id, status: 'IN_QUEUE', input: {} })
    expect((await taker.take())?.id).toBe(id)
    expect(await status(id)).toMatchObject({ status: 'IN_PROGRESS' })
  })

  it('to a socket that closed while the job was claimed is taken back too', async () => {
    const { createEndpoint, run, worker, status, clock } = await setup()
    await createEndpoint()
    const taker = await worker()
    const outgoing = socket()
    const open = taker.take({ bindings: { outgoing } })
    outgoing.destroyed = true
    const id = await run()
    await open
    await clock.advance(0)
    expect(await status(id)).toEqual({ id, status: 'IN_QUEUE', input: {} })
  })

  it('to a socket that took the answer stands', async () => {
    const { createEndpoint, run, worker, status, clock } = await setup()
    await createEndpoint()
    const outgoing = socket()
    const open = (await worker()).take({ bindings: { outgoing } })
    const id = await run()
    await open
    outgoing.writableFinished = true
    outgoing.destroyed = true
    outgoing.emit('close')
    await clock.advance(0)
    expect((await status(id)).status).toBe('IN_PROGRESS')
  })

  it('never goes to a call that was given up', async () => {
    const { createEndpoint, run, worker, status } = await setup()
    await createEndpoint()
    const away = new AbortController()
    const open = (await worker()).take({ signal: away.signal })
    away.abort()
    expect(await open).toBe(undefined)
    const id = await run()
    expect((await status(id)).status).toBe('IN_QUEUE')
  })

  it('continues from where it was after a pause of the endpoint', async () => {
    const { createEndpoint, run, worker, status, clock, post } = await setup()
    await createEndpoint()
    const taker = await worker()
    const open = taker.take()
    await post('/api/endpoints/e/pause')
    const id = await run()
    await clock.advance(1000)
    expect((await status(id)).status).toBe('IN_QUEUE')
    await post('/api/endpoints/e/resume')
    expect((await open)?.id).toBe(id)
  })

  it('gives low priority last, each kind oldest first', async () => {
    const { createEndpoint, run, worker } = await setup()
    await createEndpoint('e', { concurrency: 10 })
    const low = { policy: { lowPriority: true } }
    const ids = [await run({}, low), await run(), await run({}, low), await run()]
    const jobs = await (await worker()).takeBatch(10)
    expect(jobs.map(({ id }) => id)).toEqual([ids[1], ids[3], ids[0], ids[2]])
  })

  it('low priority alone starts no worker', async () => {
    const { createEndpoint, run, clock, fleet } = await setup()
    await createEndpoint('e', { workersMin: 0, workersMax: 3 })
    await run({}, { policy: { lowPriority: true } })
    await clock.advance(10_000)
    expect(fleet().started).toEqual([])
    await run()
    await clock.until(() => fleet().started.length > 0)
  })

  it('gives each waiting job to one worker only', async () => {
    const { createEndpoint, run, worker } = await setup()
    await createEndpoint('e', { workersMin: 2, workersMax: 2 })
    const first = await worker()
    const second = await worker('e', [first])
    const open = [first.take(), second.take()]
    const ids = await Promise.all([run(), run()])
    const taken = await Promise.all(open)
    expect(taken.map((job) => job?.id).sort()).toEqual(ids.sort())
  })
})

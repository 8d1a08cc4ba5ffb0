import { describe, expect, it } from 'vitest'
import { JOB_STATES } from '../../src-main/contract/job.ts'
import { isExpired } from '../../src-main/features/jobs/rules/job-record.ts'
import { setup } from '../support/core.ts'
import { jobInState } from '../support/job-in-state.ts'

const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'] as const

describe('cancel', () => {
  it('of a waiting job ends it at once', async () => {
    const { id, post, status } = await jobInState('IN_QUEUE')
    expect(await post(`/v2/e/cancel/${id}`)).toEqual({ id, status: 'CANCELLED' })
    expect(await status(id)).toEqual({ id, status: 'CANCELLED' })
  })

  it('of a running job tells its worker to stop it and keeps no output', async () => {
    const { id, worker, post, status } = await jobInState('IN_PROGRESS')
    await worker.done(id, { status: 'IN_PROGRESS', output: 'half' })
    const orders = worker.stopOrders()
    expect(await post(`/v2/e/cancel/${id}`)).toEqual({ id, status: 'CANCELLED' })
    expect(await orders).toEqual([id])
    expect(await status(id)).toEqual({ id, status: 'CANCELLED', delayTime: 0, executionTime: 0, workerId: worker.id })
  })

  it('kills a worker that still runs the job when the grace time is over', async () => {
    const { id, worker, post, clock, fleet } = await jobInState('IN_PROGRESS')
    await post(`/v2/e/cancel/${id}`)
    expect(await worker.stopOrders()).toEqual([id])
    for (let n = 0; n < 4; n++) {
      await clock.advance(1200)
      await worker.ping([id])
    }
    expect(fleet().list()).toMatchObject([{ workerId: worker.id }])
    await clock.until(
      () =>
        !fleet()
          .list()
          .some(({ workerId }) => workerId === worker.id),
    )
  })

  it('of one of two jobs of a worker says how many others start again, and these keep their tries', async () => {
    const { createEndpoint, worker: findWorker, run, get, post, clock, waitForJob } = await setup()
    await createEndpoint('e', { concurrency: 2 })
    const [one, other] = [await run(), await run()]
    const worker = await findWorker()
    for (const id of [one, other]) expect((await worker.take())?.id).toBe(id)
    expect((await get(`/api/jobs/${one}`)).otherJobs).toBe(1)
    await post(`/v2/e/cancel/${one}`)
    expect((await get(`/api/jobs/${other}`)).otherJobs).toBeUndefined()
    expect(await worker.stopOrders()).toEqual([one])
    for (let n = 0; n < 5; n++) {
      await worker.ping([one, other])
      await clock.advance(1200)
    }
    await waitForJob(other, 'IN_QUEUE')
    const { history, retries } = await get(`/api/jobs/${other}`)
    const reason = `worker ${worker.id} was stopped: job ${one} was told to stop, as it was cancelled or timed out, and did not within its grace time`
    expect([history.at(-1).reason, retries]).toEqual([reason, undefined])
  })

  it('keeps a worker that says it has stopped the job', async () => {
    const { id, worker, post, clock, fleet, run } = await jobInState('IN_PROGRESS')
    await post(`/v2/e/cancel/${id}`)
    expect(await worker.stopOrders()).toEqual([id])
    await worker.ping([])
    const next = await run()
    expect((await worker.take())?.id).toBe(next)
    await worker.ping([next])
    await clock.advance(6000)
    expect(fleet().list()).toMatchObject([{ workerId: worker.id }])
  })

  for (const state of ENDED) {
    it(`of a ${state} job is refused and changes nothing`, async () => {
      const { id, ask, status } = await jobInState(state)
      const before = await status(id)
      const answer = await ask('POST', `/v2/e/cancel/${id}`)
      const error = `Job ${id} is ${state}; cancel needs one of IN_QUEUE, IN_PROGRESS.`
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 400,
        body: { error, code: 'WRONG_STATE', status: 400, title: 'Bad Request', detail: error },
      })
      expect(await status(id)).toEqual(before)
    })
  }
})

describe('retry', () => {
  for (const state of JOB_STATES) {
    const allowed = state === 'FAILED' || state === 'TIMED_OUT'
    it(`of a ${state} job ${allowed ? 'queues it again with nothing of before' : 'is refused'}`, async () => {
      const { id, ask, status, get } = await jobInState(state)
      const before = await status(id)
      const answer = await ask('POST', `/v2/e/retry/${id}`)
      expect({ status: answer.status, body: answer.body }).toMatchObject(
        allowed ? { status: 200, body: { id, status: 'IN_QUEUE' } } : { status: 400, body: { code: 'WRONG_STATE' } },
      )
      expect(await status(id)).toEqual(allowed ? { id, status: 'IN_QUEUE', input: {} } : before)
      if (!allowed) return
      expect(await get(`/api/jobs/${id}/chunks`)).toEqual({ chunks: [], more: false })
    })
  }

  it('of a job with a stream lets the new attempt be read from its start', async () => {
    const { id, worker, get, post } = await jobInState('IN_PROGRESS')
    await worker.chunk(id, { output: 'old' })
    expect(await get(`/v2/e/stream/${id}`)).toEqual([{ output: 'old' }])
    await worker.done(id, { error: 'x' })
    await post(`/v2/e/retry/${id}`)
    await worker.take()
    await worker.chunk(id, { output: 'new' })
    expect(await get(`/v2/e/stream/${id}`)).toEqual([{ output: 'new' }])
  })

  it('begins the life of the job anew', async () => {
    const { createEndpoint, run, status, clock, post } = await setup()
    await createEndpoint()
    const id = await run({}, { policy: { ttl: 10_000 } })
    await clock.advance(10_500)
    await post(`/v2/e/retry/${id}`)
    await clock.advance(9999)
    expect((await status(id)).status).toBe('IN_QUEUE')
    await clock.advance(501)
    expect((await status(id)).status).toBe('TIMED_OUT')
  })

  it('of a job whose retention is over finds nothing', async () => {
    const { id, ask, clock } = await jobInState('FAILED')
    await clock.leap(30 * 60_000)
    expect((await ask('POST', `/v2/e/retry/${id}`)).body).toMatchObject({ code: 'JOB_NOT_FOUND', status: 404 })
  })
})

describe('executionTimeout', () => {
  it('counts processing, not waiting; ends the job as FAILED and tells the worker to stop', async () => {
    const { createEndpoint, run, worker, status, clock } = await setup()
    await createEndpoint()
    const id = await run({}, { policy: { executionTimeout: 5000 } })
    await clock.advance(7000)
    const taker = await worker()
    await taker.take()
    const orders = taker.stopOrders()
    await clock.advance(4999)
    await taker.ping([id])
    expect((await status(id)).status).toBe('IN_PROGRESS')
    await clock.advance(201)
    expect(await status(id)).toEqual({
      id,
      status: 'FAILED',
      error: 'executionTimeout exceeded',
      delayTime: 7000,
      executionTime: expect.any(Number),
      workerId: taker.id,
    })
    expect(await orders).toEqual([id])
  })

  it('kills a worker that does not stop, and a late result changes nothing', async () => {
    const { id, worker, clock, fleet, status, get } = await jobInState('IN_PROGRESS', {
      policy: { executionTimeout: 5000 },
    })
    for (let n = 0; n < 3; n++) {
      await clock.advance(1800)
      await worker.ping([id])
    }
    const ended = await status(id)
    expect(ended).toMatchObject({ status: 'FAILED', error: 'executionTimeout exceeded' })
    for (let n = 0; n < 4; n++) {
      await clock.advance(1100)
      await worker.ping([id])
    }
    await clock.until(
      () =>
        !fleet()
          .list()
          .some(({ workerId }) => workerId === worker.id),
    )
    expect(await status(id)).toEqual(ended)
    expect((await get('/v2/e/health')).jobs).toMatchObject({ failed: 1, inProgress: 0 })
  })
})

describe('ttl', () => {
  it('passed in the queue: TIMED_OUT, kept so that it can be retried', async () => {
    const { createEndpoint, run, status, clock, post } = await setup()
    await createEndpoint()
    const id = await run({ a: 1 }, { policy: { ttl: 10_000 } })
    await clock.advance(9999)
    expect((await status(id)).status).toBe('IN_QUEUE')
    await clock.advance(501)
    expect(await status(id)).toEqual({ id, status: 'TIMED_OUT' })
    await clock.leap(30 * 60_000 - 1000)
    expect(await post(`/v2/e/retry/${id}`)).toEqual({ id, status: 'IN_QUEUE' })
    expect(await status(id)).toEqual({ id, status: 'IN_QUEUE', input: { a: 1 } })
  })

  it('passed while it runs: the job API forgets it, and pages and commands do not', async () => {
    const { id, worker, ask, get, clock } = await jobInState('IN_PROGRESS', { policy: { ttl: 10_000 } })
    const orders = worker.stopOrders()
    await clock.advance(5000)
    await worker.ping([id])
    await clock.advance(5500)
    expect((await ask('GET', `/v2/e/status/${id}`)).body).toMatchObject({ code: 'JOB_NOT_FOUND', status: 404 })
    const shown = await get(`/api/jobs/${id}`)
    expect(shown).toMatchObject({ status: 'TIMED_OUT', workerId: worker.id })
    expect(isExpired(shown, clock.wall())).toBe(true)
    expect(await orders).toEqual([id])
  })

  it('passed while it runs, if the endpoint keeps such jobs: TIMED_OUT, and the worker is told to stop', async () => {
    const { id, worker, status, clock, ask } = await jobInState('IN_PROGRESS', { policy: { ttl: 10_000 } })
    expect((await ask('PATCH', '/api/endpoints/e', { body: { ttlWhileRunning: 'keep' } })).status).toBe(200)
    const orders = worker.stopOrders()
    await clock.advance(5000)
    await worker.ping([id])
    await clock.advance(5500)
    expect(await status(id)).toMatchObject({ id, status: 'TIMED_OUT', workerId: worker.id })
    expect(await orders).toEqual([id])
  })

  it('status?ttl= sets the whole life, counted from submission', async () => {
    const { createEndpoint, run, get, status, clock } = await setup()
    await createEndpoint()
    const id = await run()
    await clock.advance(5000)
    expect(await get(`/v2/e/status/${id}?ttl=8000`)).toEqual({ id, status: 'IN_QUEUE', input: {} })
    await clock.advance(2900)
    expect((await status(id)).status).toBe('IN_QUEUE')
    await clock.advance(600)
    expect((await status(id)).status).toBe('TIMED_OUT')
  })

  it('status?ttl= of a job that has ended changes nothing', async () => {
    const { id, get, clock, status } = await jobInState('COMPLETED')
    await get(`/v2/e/status/${id}?ttl=1`)
    await clock.advance(2000)
    expect((await status(id)).status).toBe('COMPLETED')
  })

  for (const [ttl, code] of [
    ['0', 400],
    ['1', 200],
    ['2', 200],
    ['604799999', 200],
    ['604800000', 200],
    ['604800001', 400],
    ['abc', 400],
    ['-1', 400],
    ['1.5', 400],
    ['', 400],
  ] as const) {
    it(`status?ttl=${ttl} is answered with ${code}`, async () => {
      const { id, ask } = await jobInState('IN_QUEUE')
      expect((await ask('GET', `/v2/e/status/${id}?ttl=${ttl}`)).status).toBe(code)
    })
  }
})

describe('late results', () => {
  for (const state of ENDED) {
    it(`of a ${state} job get 200, are dropped and counted`, async () => {
      const { id, worker, status, get } = await jobInState(state)
      const before = await status(id)
      const { lateResults } = await get('/api/info')
      const answers = [
        await worker.done(id, { output: 'late' }),
        await worker.done(id, { error: 'late' }),
        await worker.done(id, { status: 'IN_PROGRESS', output: 'late' }),
        await worker.chunk(id, { output: 'late' }),
      ]
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200])
      expect(await status(id)).toEqual(before)
      expect(await get(`/api/jobs/${id}/chunks`)).toEqual({ chunks: [], more: false })
      expect((await get('/api/info')).lateResults).toBe(lateResults + 4)
    })
  }

  it('of an unknown job get 200 too', async () => {
    const { createEndpoint, worker, get } = await setup()
    await createEndpoint()
    expect((await (await worker()).done('unknown', { output: 1 })).status).toBe(200)
    expect((await get('/api/info')).lateResults).toBe(1)
  })

  it('of a worker whose job another one has are dropped', async () => {
    const { createEndpoint, running, worker, status, clock, waitForJob } = await setup()
    await createEndpoint('e', { command: '[{"ignore":"SIGTERM"}]', workersMin: 2, workersMax: 2 })
    const { jobId, worker: first } = await running()
    const second = await worker('e', [first])
    await clock.advance(9000)
    await second.ping([])
    await waitForJob(jobId, 'IN_QUEUE')
    expect((await second.take())?.id).toBe(jobId)
    expect((await first.done(jobId, { output: 'late' })).status).toBe(200)
    expect(await status(jobId)).toMatchObject({ status: 'IN_PROGRESS', workerId: second.id, retries: 1 })
    await second.done(jobId, { output: 'right' })
    expect(await status(jobId)).toMatchObject({ status: 'COMPLETED', output: 'right' })
  })
})

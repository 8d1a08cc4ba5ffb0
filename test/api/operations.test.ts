import { describe, expect, it } from 'vitest'
import { setup } from '../support/core.ts'

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

describe('run', () => {
  it('answers 200 with id and IN_QUEUE at once', async () => {
    const { createEndpoint, ask } = await setup()
    await createEndpoint()
    const { status, body, headers } = await ask('POST', '/v2/e/run', { body: { input: { a: 1 } } })
    expect({ status, body }).toEqual({
      status: 200,
      body: { id: expect.stringMatching(new RegExp(`^${UUID}-l1$`)), status: 'IN_QUEUE' },
    })
    expect(headers.get('content-type')).toMatch(/^application\/json/)
  })

  it('answers IN_QUEUE also when a worker waits and takes the job in the same commit', async () => {
    const { createEndpoint, worker, post, status } = await setup()
    await createEndpoint()
    const taken = (await worker()).take()
    const { id, status: answered } = await post('/v2/e/run', { input: {} })
    expect(answered).toBe('IN_QUEUE')
    expect((await taken)?.id).toBe(id)
    expect(await status(id)).toMatchObject({ status: 'IN_PROGRESS' })
  })

  it('delivers the input as the text that came, an empty object too', async () => {
    const { createEndpoint, worker, ask } = await setup()
    await createEndpoint()
    const taker = await worker()
    for (const input of ['{}', '{"big":12345678901234567890, "x" : [1.50, "\\u00e9"]}']) {
      await ask('POST', '/v2/e/run', { body: `{"input":${input}}` })
      const answer = await taker.call(`http://127.0.0.1:8791/v2/e/job-take/${taker.id}?w=1`)
      expect(await answer.text()).toContain(`"input":${input}`)
    }
  })
})

describe('runsync', () => {
  it('answers with the record when the job ends', async () => {
    const { createEndpoint, worker, post, clock } = await setup()
    await createEndpoint()
    const taker = await worker()
    const answer = post('/v2/e/runsync', { input: { a: 1 } })
    const job = await taker.take()
    await taker.ping([job?.id ?? ''])
    await clock.advance(40)
    await taker.done(job?.id ?? '', { output: { b: 2 } })
    expect(await answer).toEqual({
      id: expect.stringMatching(new RegExp(`^sync-${UUID}-l1$`)),
      status: 'COMPLETED',
      delayTime: 0,
      executionTime: 40,
      output: { b: 2 },
      workerId: taker.id,
    })
  })

  for (const [query, waitMs] of [
    ['', 90_000],
    ['?wait=1000', 1000],
    ['?wait=300000', 300_000],
  ] as const) {
    it(`answers with a state that is not final after ${waitMs} ms${query === '' ? ' by default' : ''}`, async () => {
      const { createEndpoint, post, clock } = await setup()
      await createEndpoint('e', { workersMin: 0, workersMax: 1 })
      await post('/api/endpoints/e/pause')
      let answered: unknown
      const answer = post(`/v2/e/runsync${query}`, { input: {} }).then((body) => {
        answered = body
      })
      await clock.advance(waitMs - 1)
      expect(answered).toBe(undefined)
      await clock.advance(1)
      await answer
      expect(answered).toEqual({ id: expect.stringMatching(/^sync-/), status: 'IN_QUEUE' })
    })
  }

  it('answers IN_PROGRESS without a record when the job still runs after the wait', async () => {
    const { createEndpoint, worker, post, clock } = await setup()
    await createEndpoint()
    const taker = await worker()
    const answer = post('/v2/e/runsync?wait=1000', { input: {} })
    const job = await taker.take()
    await taker.ping([job?.id ?? ''])
    await clock.advance(1000)
    expect(await answer).toEqual({ id: job?.id, status: 'IN_PROGRESS' })
  })

  it('answers a failed job with 200 and its error', async () => {
    const { createEndpoint, worker, ask } = await setup()
    await createEndpoint()
    const taker = await worker()
    const answer = ask('POST', '/v2/e/runsync', { body: { input: {} } })
    const job = await taker.take()
    await taker.done(job?.id ?? '', { error: 'no' })
    const { status, body } = await answer
    expect({ status, body }).toEqual({
      status: 200,
      body: { id: job?.id, status: 'FAILED', error: 'no', delayTime: 0, executionTime: 0, workerId: taker.id },
    })
  })
})

describe('status', () => {
  for (const method of ['GET', 'POST']) {
    it(`answers ${method} with the record`, async () => {
      const { createEndpoint, run, ask } = await setup()
      await createEndpoint()
      const id = await run({ a: 1 })
      const { status, body } = await ask(method, `/v2/e/status/${id}`)
      expect({ status, body }).toEqual({ status: 200, body: { id, status: 'IN_QUEUE', input: { a: 1 } } })
    })

    it(`status-sync answers ${method} when a job that exists ends`, async () => {
      const { createEndpoint, running, ask } = await setup()
      await createEndpoint()
      const { jobId, worker } = await running()
      const answer = ask(method, `/v2/e/status-sync/${jobId}?wait=5000`)
      await worker.done(jobId, { output: 'x' })
      expect((await answer).body).toEqual({
        id: jobId,
        status: 'COMPLETED',
        delayTime: 0,
        executionTime: 0,
        output: 'x',
        workerId: worker.id,
      })
    })
  }

  it('status-sync answers at once for a job that has ended, and with the state when the wait is over', async () => {
    const { createEndpoint, running, get, clock, ask } = await setup()
    await createEndpoint()
    const { jobId, worker } = await running()
    const answer = get(`/v2/e/status-sync/${jobId}?wait=1000`)
    await clock.advance(1000)
    expect(await answer).toEqual({ id: jobId, status: 'IN_PROGRESS' })
    await worker.done(jobId, { output: 1 })
    expect((await ask('GET', `/v2/e/status-sync/${jobId}`)).body).toMatchObject({ status: 'COMPLETED', output: 1 })
  })
})

describe('cancel, retry and purge-queue', () => {
  const bodies: readonly [string, unknown][] = [
    ['no body', undefined],
    ['{}', {}],
  ]
  for (const [what, body] of bodies) {
    it(`cancel takes ${what}`, async () => {
      const { createEndpoint, run, ask } = await setup()
      await createEndpoint()
      const id = await run()
      const answer = await ask('POST', `/v2/e/cancel/${id}`, body === undefined ? {} : { body })
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { id, status: 'CANCELLED' } })
    })
  }

  it('retry answers IN_QUEUE under the same id', async () => {
    const { createEndpoint, running, ask } = await setup()
    await createEndpoint()
    const { jobId, worker } = await running()
    await worker.done(jobId, { error: 'x' })
    const { status, body } = await ask('POST', `/v2/e/retry/${jobId}`)
    expect({ status, body }).toEqual({ status: 200, body: { id: jobId, status: 'IN_QUEUE' } })
  })

  it('purge-queue counts the waiting jobs of this endpoint and leaves the running one', async () => {
    const { createEndpoint, run, running, ask, status } = await setup()
    await createEndpoint()
    await createEndpoint('other')
    const { jobId } = await running()
    const waiting = [await run(), await run({}, { policy: { lowPriority: true } })]
    const foreign = await run({}, {}, 'other')
    const { body } = await ask('POST', '/v2/e/purge-queue')
    expect(body).toEqual({ removed: 2, status: 'completed' })
    for (const id of waiting) expect(await status(id)).toEqual({ id, status: 'CANCELLED' })
    expect(await status(jobId)).toMatchObject({ status: 'IN_PROGRESS' })
    expect(await status(foreign, 'other')).toMatchObject({ status: 'IN_QUEUE' })
    expect((await ask('POST', '/v2/e/purge-queue', { body: {} })).body).toEqual({ removed: 0, status: 'completed' })
  })
})

describe('purge-queue of many', () => {
  // Jobs are purged in batches of 1,000.
  for (const count of [999, 1000, 1001, 2500]) {
    it(`counts ${count} exactly, also when jobs come meanwhile`, async () => {
      const { createEndpoint, run, post, get } = await setup()
      await createEndpoint('e', { workersMin: 0 })
      await post('/api/endpoints/e/pause')
      await Promise.all(Array.from({ length: count }, () => run()))
      expect((await get('/v2/e/health')).jobs.inQueue).toBe(count)
      const purge = post('/v2/e/purge-queue')
      const later = run()
      const { removed } = await purge
      await later
      const { inQueue } = (await get('/v2/e/health')).jobs
      expect(removed + inQueue).toBe(count + 1)
      expect(removed).toBeGreaterThanOrEqual(count)
      expect(await post('/v2/e/purge-queue')).toEqual({ removed: inQueue, status: 'completed' })
    })
  }
})

describe('health', () => {
  it('counts jobs and workers', async () => {
    const { createEndpoint, run, running, get, clock, fleet } = await setup()
    await createEndpoint('e', { workersMin: 2, workersMax: 2 })
    expect(await get('/v2/e/health')).toMatchObject({ workers: { idle: 0, running: 0 } })
    await clock.until(() => fleet().started.length === 2)
    const { jobId, worker } = await running()
    await run()
    const workers = { idle: 0, ready: 0, running: 1, initializing: 1, throttled: 0, unhealthy: 0 }
    expect(await get('/v2/e/health')).toEqual({
      jobs: { completed: 0, failed: 0, inProgress: 1, inQueue: 1, retried: 0 },
      workers,
    })
    await worker.done(jobId, { output: 1 })
    expect(await get('/v2/e/health')).toEqual({
      jobs: { completed: 1, failed: 0, inProgress: 0, inQueue: 1, retried: 0 },
      workers: { ...workers, running: 0, idle: 1, ready: 1 },
    })
    const next = await worker.take()
    await worker.done(next?.id ?? '', { error: 'x' })
    await worker.ping([], '&status=unhealthy&check=gpu&reason=gone')
    expect(await get('/v2/e/health')).toMatchObject({
      jobs: { completed: 1, failed: 1, inProgress: 0, inQueue: 0, retried: 0 },
      workers: { unhealthy: 1 },
    })
  })

  it('counts workers that find no place as throttled', async () => {
    const { createEndpoint, get, clock } = await setup({ settings: { maxWorkers: 1 } })
    await createEndpoint('e', { workersMin: 3, workersMax: 3 })
    await clock.advance(100)
    expect((await get('/v2/e/health')).workers).toEqual({
      idle: 0,
      ready: 0,
      running: 0,
      initializing: 1,
      throttled: 2,
      unhealthy: 0,
    })
  })
})

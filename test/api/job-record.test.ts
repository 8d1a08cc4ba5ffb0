import { describe, expect, it } from 'vitest'
import { setup } from '../support/core.ts'

async function withRunningJob(more: object = {}) {
  const service = await setup()
  await service.createEndpoint()
  const id = await service.run({ a: 1 }, more)
  await service.clock.advance(25)
  const worker = await service.worker()
  await worker.take()
  await worker.ping([id])
  await service.clock.advance(40)
  return { ...service, service, id, worker }
}

describe('the job record', () => {
  it('IN_QUEUE: id, status and input', async () => {
    const { createEndpoint, run, status } = await setup()
    await createEndpoint()
    const id = await run({ a: 1 }, { webhook: 'http://example.com/', s3Config: { accessSecret: 'geheim' } })
    expect(await status(id)).toEqual({ id, status: 'IN_QUEUE', input: { a: 1 } })
  })

  it('IN_PROGRESS: also worker and delay, and the latest progress update as output', async () => {
    const { id, worker, status } = await withRunningJob()
    const record = { id, status: 'IN_PROGRESS', input: { a: 1 }, delayTime: 25, workerId: worker.id }
    expect(await status(id)).toEqual(record)
    await worker.done(id, { status: 'IN_PROGRESS', output: '10 %' })
    await worker.done(id, { status: 'IN_PROGRESS', output: { share: 0.2 } })
    expect(await status(id)).toEqual({ ...record, output: { share: 0.2 } })
  })

  it('COMPLETED: output and times, no input', async () => {
    const { id, worker, status } = await withRunningJob()
    await worker.done(id, { output: [1] })
    const ended = { id, status: 'COMPLETED', delayTime: 25, executionTime: 40, workerId: worker.id }
    expect(await status(id)).toEqual({ ...ended, output: [1] })
  })

  it('COMPLETED: a result without output has none, and the progress update is gone', async () => {
    const { id, worker, status } = await withRunningJob()
    await worker.done(id, { status: 'IN_PROGRESS', output: 'half' })
    await worker.done(id, {})
    expect(await status(id)).toEqual({
      id,
      status: 'COMPLETED',
      delayTime: 25,
      executionTime: 40,
      workerId: worker.id,
    })
  })

  for (const [what, report, shown] of [
    ['an error text', { error: 'no' }, { error: 'no' }],
    ['an error object as JSON text', { error: { error_type: 'E' } }, { error: '{"error_type":"E"}' }],
    ['an error among other keys', { output: { error: 'no', rest: 1 } }, { error: 'no', output: { rest: 1 } }],
    ['an error and an output', { error: 'no', output: { rest: 1 } }, { error: 'no', output: { rest: 1 } }],
    ['text that is no JSON', 'oops', { error: expect.stringContaining('not JSON') }],
    ['JSON that is no object', '[1]', { error: expect.stringContaining('not a JSON object') }],
  ] as const) {
    it(`FAILED: ${what}`, async () => {
      const { id, worker, status } = await withRunningJob()
      expect((await worker.done(id, report)).status).toBe(200)
      expect(await status(id)).toEqual({
        id,
        status: 'FAILED',
        delayTime: 25,
        executionTime: 40,
        workerId: worker.id,
        ...shown,
      })
    })
  }

  for (const error of ['', null, false, 0, [], {}]) {
    it(`COMPLETED: ${JSON.stringify(error)} is no error`, async () => {
      const { id, worker, status } = await withRunningJob()
      await worker.done(id, { output: { error, rest: 1 } })
      expect(await status(id)).toMatchObject({ status: 'COMPLETED', output: { error, rest: 1 } })
    })
  }

  it('CANCELLED: times and worker where it ran, nothing more where it did not', async () => {
    const { id, worker, status, run, post } = await withRunningJob()
    const waiting = await run()
    await post(`/v2/e/cancel/${id}`)
    await post(`/v2/e/cancel/${waiting}`)
    expect(await status(id)).toEqual({ id, status: 'CANCELLED', delayTime: 25, executionTime: 40, workerId: worker.id })
    expect(await status(waiting)).toEqual({ id: waiting, status: 'CANCELLED' })
  })

  it('TIMED_OUT: the same', async () => {
    const { createEndpoint, run, status, clock } = await setup()
    await createEndpoint()
    const id = await run({}, { policy: { ttl: 10_000 } })
    await clock.advance(10_500)
    expect(await status(id)).toEqual({ id, status: 'TIMED_OUT' })
  })

  it('after a re-dispatch: retries, and the wait of the latest attempt as delay', async () => {
    const { service, id, worker, status, fleet, clock } = await withRunningJob()
    fleet().end(worker.id, { code: 1 })
    const lostAt = clock.monotonic()
    await clock.advance(0)
    expect(await status(id)).toEqual({ id, status: 'IN_QUEUE', input: { a: 1 }, retries: 1 })
    const second = await service.worker('e', [worker])
    await second.take()
    const record = { id, status: 'IN_PROGRESS', input: { a: 1 }, retries: 1, workerId: second.id }
    expect(await status(id)).toEqual({ ...record, delayTime: clock.monotonic() - lostAt })
  })

  it('never shows s3Config or the key of a request', async () => {
    const { id, worker, get, ask, posts, clock, log } = await withRunningJob({
      webhook: 'http://example.com/',
      s3Config: { accessSecret: 'geheim' },
    })
    await worker.done(id, { output: 1 })
    await clock.until(() => posts.length === 1)
    const seen = [
      await get(`/v2/e/status/${id}`),
      await get(`/api/jobs/${id}`),
      await get('/v2/e/requests'),
      posts,
      log,
    ]
    expect(JSON.stringify(seen)).not.toContain('geheim')
    expect((await ask('GET', '/v2/e/requests?q=geheim')).body).toEqual({ requests: [] })
  })
})

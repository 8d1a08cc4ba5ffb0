import { describe, expect, it } from 'vitest'
import { retentionMs } from '../../src-main/features/jobs/rules/job-record.ts'
import { setup } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'
import { jobInState } from '../support/job-in-state.ts'

const MINUTE = 60_000

describe('retention', () => {
  for (const [what, path, ms] of [
    ['run', '/v2/e/run', 30 * MINUTE],
    ['runsync', '/v2/e/runsync', MINUTE],
    ['runsync with a wait of 1 s', '/v2/e/runsync?wait=1000', MINUTE],
    ['runsync with a wait of 2 min', '/v2/e/runsync?wait=120000', 2 * MINUTE],
    ['runsync with a wait of 5 min', '/v2/e/runsync?wait=300000', 5 * MINUTE],
  ] as const) {
    it(`of ${what}: ${ms} ms after the end the job API does not know the job`, async () => {
      const { createEndpoint, worker, post, ask, clock } = await setup()
      await createEndpoint()
      const answer = post(path, { input: {} })
      const taker = await worker()
      const id = (await taker.take())?.id ?? ''
      await taker.chunk(id, { output: 1 })
      await taker.done(id, { output: 1 })
      await answer
      await clock.leap(ms - 1)
      expect((await ask('GET', `/v2/e/status/${id}`)).body).toMatchObject({ status: 'COMPLETED' })
      await clock.leap(501)
      for (const [method, operation] of [
        ['GET', 'status'],
        ['GET', 'status-sync'],
        ['GET', 'stream'],
        ['POST', 'cancel'],
        ['POST', 'retry'],
      ] as const)
        expect((await ask(method, `/v2/e/${operation}/${id}`)).body).toMatchObject({
          code: 'JOB_NOT_FOUND',
          status: 404,
        })
      expect((await ask('GET', '/v2/e/requests')).body).toEqual({ requests: [] })
      expect((await ask('GET', `/v2/e/requests?q=${id}`)).body).toEqual({ requests: [] })
      expect((await ask('GET', '/v2/e/health')).body.jobs.completed).toBe(1)
    })
  }

  it('counts from the end, not from the submission', async () => {
    const { id, worker, clock, status } = await jobInState('IN_PROGRESS', {})
    for (let n = 0; n < 4; n++) {
      await clock.leap(9000)
      await worker.ping([id])
    }
    await worker.done(id, { output: 1 })
    await clock.leap(30 * MINUTE - 1000)
    expect((await status(id)).status).toBe('COMPLETED')
  })

  it('frees the idempotency key', async () => {
    const { createEndpoint, worker, post, clock } = await setup()
    await createEndpoint()
    const body = { input: {}, idempotencyKey: 'k' }
    const { id } = await post('/v2/e/run', body)
    const taker = await worker()
    await taker.take()
    await taker.done(id, { output: 1 })
    await clock.leap(30 * MINUTE)
    await clock.advance(500)
    expect((await post('/v2/e/run', body)).id).not.toBe(id)
  })

  it('is over for many jobs at once too', async () => {
    const { createEndpoint, run, post, get, clock } = await setup()
    await createEndpoint('e', { workersMin: 0 })
    await Promise.all(Array.from({ length: 450 }, () => run()))
    expect(await post('/v2/e/purge-queue')).toEqual({ removed: 450, status: 'completed' })
    await clock.leap(30 * MINUTE)
    for (let n = 0; n < 10; n++) await settle()
    expect(await get('/v2/e/requests')).toEqual({ requests: [] })
    expect(await get('/api/job-count?expired=true')).toMatchObject({ count: 450 })
  })

  it('of runsync is stretched to the wait within its bounds', () => {
    expect(
      [undefined, 1000, 59_999, 60_000, 60_001, 299_999, 300_000, 300_001].map((wait) => retentionMs('runsync', wait)),
    ).toEqual([60_000, 60_000, 60_000, 60_000, 60_001, 299_999, 300_000, 300_000])
  })
})

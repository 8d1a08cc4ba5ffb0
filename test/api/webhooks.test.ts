import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { postOut } from '../../src-main/app/core.ts'
import { setup } from '../support/core.ts'
import { settle, TEST_EPOCH } from '../support/fake-clock.ts'

const HOOK = 'http://example.com/hook'
const refused = () => Promise.resolve({ status: 500, error: undefined })

async function withJob(options: Parameters<typeof setup>[0] = {}) {
  const service = await setup(options)
  await service.createEndpoint()
  const id = await service.run({ a: 1 }, { webhook: HOOK })
  const worker = await service.worker()
  await worker.take()
  await worker.ping([id])
  const deliveries = async () => (await service.get(`/api/jobs/${id}`)).deliveries
  return { ...service, id, worker, deliveries }
}

describe('a webhook', () => {
  const ends = {
    COMPLETED: ({ worker, id }) => worker.done(id, { output: 'out' }),
    FAILED: ({ worker, id }) => worker.done(id, { error: 'no' }),
    CANCELLED: ({ post, id }) => post(`/v2/e/cancel/${id}`),
    TIMED_OUT: async ({ get, id, clock }) => {
      await get(`/v2/e/status/${id}?ttl=1`)
      await clock.advance(500)
    },
  } satisfies Record<string, (job: Awaited<ReturnType<typeof withJob>>) => Promise<unknown>>

  for (const [state, end] of Object.entries(ends)) {
    it(`is sent for ${state}, with the record, input and webhook`, async () => {
      const job = await withJob()
      const { id, worker, clock, posts } = job
      await end(job)
      await clock.until(() => posts.length === 1)
      const { executionTime, ...record } = JSON.parse(String(posts[0]?.body))
      expect(executionTime).toEqual(expect.any(Number))
      expect(record).toEqual({
        id,
        status: state,
        delayTime: 0,
        workerId: worker.id,
        input: { a: 1 },
        webhook: HOOK,
        ...(state === 'COMPLETED' ? { output: 'out' } : {}),
        ...(state === 'FAILED' ? { error: 'no' } : {}),
      })
      expect({ ...posts[0], body: '' }).toEqual({
        url: HOOK,
        body: '',
        timeoutMs: 10_000,
        maxResponseBytes: 65_536,
        allowPrivate: false,
      })
    })
  }

  it('of a job that never ran is sent too', async () => {
    const { createEndpoint, run, post, posts, clock } = await setup()
    await createEndpoint()
    const id = await run({}, { webhook: HOOK })
    await post('/v2/e/purge-queue')
    await clock.until(() => posts.length === 1)
    expect(JSON.parse(String(posts[0]?.body))).toEqual({ id, status: 'CANCELLED', input: {}, webhook: HOOK })
  })

  it('is delivered with 200, and the delivery kept', async () => {
    const { worker, id, clock, posts, deliveries } = await withJob()
    await worker.done(id, { output: 1 })
    await clock.until(() => posts.length === 1)
    await settle()
    expect(await deliveries()).toEqual([
      { id: 1, url: HOOK, state: 'delivered', attempts: 1, lastStatus: 200, updatedAt: expect.any(Number) },
    ])
  })

  for (const [what, answer, shown] of [
    ['500', { status: 500, error: undefined }, { lastStatus: 500, lastError: 'the target answered 500, not 200' }],
    ['201', { status: 201, error: undefined }, { lastStatus: 201, lastError: 'the target answered 201, not 200' }],
    ['a broken connection', { status: undefined, error: 'ECONNREFUSED' }, { lastError: 'ECONNREFUSED' }],
  ] as const) {
    it(`that got ${what} is tried three times, 10 s apart`, async () => {
      const { worker, id, clock, posts, deliveries, answerPosts } = await withJob()
      answerPosts(() => Promise.resolve(answer))
      await worker.done(id, { output: 1 })
      await clock.until(() => posts.length === 1, 0)
      await settle()
      const nextAt = clock.wall() + 10_000
      expect(await deliveries()).toMatchObject([{ state: 'pending', attempts: 1, nextAt, ...shown }])
      await clock.advance(9999)
      expect(posts.length).toBe(1)
      await clock.advance(1)
      expect(posts.length).toBe(2)
      await clock.advance(10_000)
      expect(posts.length).toBe(3)
      await clock.advance(60_000)
      expect(posts.length).toBe(3)
      expect(await deliveries()).toEqual([
        {
          id: 1,
          url: HOOK,
          state: 'failed',
          attempts: 3,
          updatedAt: TEST_EPOCH + 20_000 + (nextAt - TEST_EPOCH - 10_000),
          ...shown,
        },
      ])
    })
  }

  it('can be sent again', async () => {
    const { worker, id, clock, posts, deliveries, ask } = await withJob()
    await worker.done(id, { output: 1 })
    await clock.until(() => posts.length === 1)
    await settle()
    const { status, body } = await ask('POST', '/api/deliveries/1/resend')
    expect({ status, body }).toMatchObject({ status: 200, body: { id: 1, state: 'pending', attempts: 0 } })
    expect(body.nextAt).toBe(clock.wall())
    await clock.until(() => posts.length === 2)
    expect(posts[1]).toEqual(posts[0])
    await settle()
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 1 }])
  })

  it('survives a restart of the service', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { worker, id, clock, posts, restart, answerPosts, get } = await withJob({ file: join(folder, 'drydock.db') })
    answerPosts(() => new Promise(() => undefined)) // the target hangs when the service is killed
    await worker.done(id, { output: 1 })
    await clock.until(() => posts.length === 1)
    answerPosts(refused)
    await restart('killed')
    await clock.until(() => posts.length === 2)
    await settle()
    await restart('killed')
    expect(posts.length).toBe(2)
    answerPosts(() => Promise.resolve({ status: 200, error: undefined }))
    await clock.advance(10_000)
    await clock.until(() => posts.length === 3)
    const delivered = await clock.until(async () => {
      const { deliveries } = await get(`/api/jobs/${id}`)
      return deliveries[0].state === 'delivered' && deliveries
    })
    expect(delivered).toMatchObject([{ attempts: 2 }])
  })

  it('is tried on time when the wall clock is set back a day', async () => {
    const { worker, id, clock, posts, answerPosts } = await withJob()
    answerPosts(refused)
    await worker.done(id, { output: 1 })
    await clock.until(() => posts.length === 1)
    clock.jumpWall(-86_400_000)
    await clock.advance(10_000)
    expect(posts.length).toBe(2)
  })

  it('of a job that was retried meanwhile is not sent with a state that is not final', async () => {
    const { worker, id, clock, posts, answerPosts, deliveries, post } = await withJob()
    answerPosts(refused)
    await worker.done(id, { error: 'x' })
    await clock.until(() => posts.length === 1)
    await settle()
    await post(`/v2/e/retry/${id}`)
    await clock.advance(10_000)
    expect(posts.length).toBe(1)
    expect(await deliveries()).toMatchObject([
      { state: 'failed', lastError: 'the job was retried before this was delivered' },
    ])
  })

  it('keeps the record beyond its retention until its tries are over', async () => {
    const { worker, id, clock, posts, answerPosts, ask } = await withJob()
    let answer: (result: { status: number; error: undefined }) => void = () => undefined
    answerPosts(() => new Promise((resolve) => (answer = resolve)))
    await worker.done(id, { output: 1 })
    await clock.until(() => posts.length === 1)
    await clock.leap(30 * 60_000 + 1000)
    expect((await ask('GET', `/v2/e/status/${id}`)).status).toBe(200)
    answer({ status: 200, error: undefined })
    await clock.leap(61_000)
    expect((await ask('GET', `/v2/e/status/${id}`)).status).toBe(404)
  })

  it('is not sent again and again when its result cannot be recorded', async () => {
    let broken = false
    const { worker, id, clock, posts } = await withJob({
      storage: (storage) => ({
        ...storage,
        webhooks: {
          ...storage.webhooks,
          record: (...given) => {
            if (broken) throw new Error('disk I/O error')
            storage.webhooks.record(...given)
          },
        },
      }),
    })
    broken = true
    await worker.done(id, { output: 1 })
    await clock.until(() => posts.length === 1)
    await clock.advance(9000)
    expect(posts.length).toBe(1)
    broken = false
    await clock.advance(2000)
    expect(posts.length).toBe(2)
    await clock.advance(20_000)
    expect(posts.length).toBe(2)
  })

  it('does not reach private addresses unless a setting says so', async () => {
    const service = await setup({ post: postOut })
    await service.createEndpoint()
    const id = await service.run({}, { webhook: 'http://127.0.0.1:1/hook' })
    await service.post(`/v2/e/cancel/${id}`)
    const seen = await service.clock.until(async () => {
      const [delivery] = (await service.get(`/api/jobs/${id}`)).deliveries
      return delivery.attempts > 0 && delivery
    })
    expect(seen).toMatchObject({ lastError: expect.stringContaining('127.0.0.1 is a private address') })
    await service.service().settings.update({ webhooksToPrivateAddresses: true })
    await service.clock.advance(10_000)
    expect(service.posts.at(-1)).toMatchObject({ allowPrivate: true })
  })
})

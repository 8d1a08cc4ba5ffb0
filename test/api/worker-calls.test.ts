import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'
import { jobInState } from '../support/job-in-state.ts'

describe('the environment of a worker', () => {
  it('holds the rows of the protocol, with the templates that the public SDK needs', async () => {
    const { createEndpoint, worker, accountKey } = await setup()
    await createEndpoint('e', { concurrency: 3, env: { A: '1' } })
    const { spec, id } = await worker()
    const base = 'http://127.0.0.1:8791/v2/e'
    const { RUNPOD_AI_API_KEY: token, ...rest } = spec.env
    expect(id).toMatch(/^[a-z0-9]{14}$/)
    expect(token).toMatch(/^dk_/)
    expect(rest).toMatchObject({
      A: '1',
      RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?w=1`,
      RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/$RUNPOD_POD_ID/$ID?w=1`,
      RUNPOD_WEBHOOK_POST_STREAM: `${base}/job-stream/$RUNPOD_POD_ID/$ID?w=1`,
      RUNPOD_WEBHOOK_PING: `${base}/ping/$RUNPOD_POD_ID?w=1`,
      RUNPOD_PING_INTERVAL: '3000',
      RUNPOD_POD_ID: id,
      RUNPOD_POD_HOSTNAME: `e-${id}`,
      RUNPOD_ENDPOINT_ID: 'e',
      RUNPOD_SKIP_AUTO_SYSTEM_CHECKS: 'true',
      RUNPOD_SKIP_GPU_CHECK: 'true',
      RUNPOD_ALLOW_PRIVATE_DOWNLOAD_URLS: 'true',
      SVC_ENDPOINT: 'e',
      SVC_BASE_URL: 'http://127.0.0.1:8790',
    })
    expect(rest).not.toHaveProperty('FLASH_APP')
    expect(rest.RUNPOD_ENDPOINT_BASE_URL).toMatch(/^http:\/\/127\.0\.0\.1:8790/)
    expect(Object.values(spec.env)).not.toContain(accountKey())
  })

  it('says with RUNPOD_INIT_TIMEOUT how many seconds a start may take, before the setting', async () => {
    const { createEndpoint, clock, get, fleet } = await setup()
    await createEndpoint('e', { workersMin: 1, initializingTimeoutMs: 60_000, env: { RUNPOD_INIT_TIMEOUT: '2' } })
    await clock.until(() => fleet().started.length === 1)
    await clock.until(async () => JSON.stringify(await get('/api/fleet-events')).includes('not ready within 2 s'))
  })

  it('holds a key only where the endpoint calls others, and runs the checks by a setting', async () => {
    const { createEndpoint, worker, accountKey } = await setup({ settings: { workerSystemChecks: true } })
    await createEndpoint('e', { callsOthers: true })
    const { env } = (await worker()).spec
    expect([env.SVC_API_KEY, env.RUNPOD_API_KEY]).toEqual([accountKey(), accountKey()])
    expect(env.RUNPOD_SKIP_AUTO_SYSTEM_CHECKS).toBe(undefined)
  })

  it('names the ComfyUI server of the endpoint, and none where its settings name none', async () => {
    const { createEndpoint, worker } = await setup()
    await createEndpoint('bridge', { workflows: { server: 'http://127.0.0.1:8188' } })
    await createEndpoint('sketch', { workflows: {} })
    expect((await worker('bridge')).spec.env.SVC_WORKFLOW_SERVER).toBe('http://127.0.0.1:8188')
    expect((await worker('sketch')).spec.env).not.toHaveProperty('SVC_WORKFLOW_SERVER')
  })
})

describe('job-take', () => {
  it('is held for 20 s and then answered with 204', async () => {
    const { createEndpoint, worker, clock } = await setup()
    await createEndpoint()
    let answered = false
    const open = (await worker()).take().then((job) => {
      answered = true
      return job
    })
    await clock.advance(19_999)
    expect(answered).toBe(false)
    await clock.advance(1)
    expect(await open).toBe(undefined)
  })

  it('gives one job; job-take-batch as many as were asked for', async () => {
    const { createEndpoint, run, worker } = await setup()
    await createEndpoint('e', { concurrency: 10 })
    const ids = []
    for (let n = 0; n < 5; n++) ids.push(await run())
    const taker = await worker()
    expect((await taker.take())?.id).toBe(ids[0])
    expect((await taker.takeBatch(3)).map(({ id }) => id)).toEqual(ids.slice(1, 4))
    expect((await taker.takeBatch(3)).map(({ id }) => id)).toEqual(ids.slice(4))
  })

  for (const size of ['0', '-1', 'x', '1.5', ''])
    it(`takes a batch of ${JSON.stringify(size)} for one`, async () => {
      const { createEndpoint, run, worker } = await setup()
      await createEndpoint()
      await run()
      await run()
      expect((await (await worker()).takeBatch(size)).length).toBe(1)
    })

  it('gives at most 100 at once', async () => {
    const { createEndpoint, run, worker } = await setup()
    await createEndpoint()
    await Promise.all(Array.from({ length: 102 }, () => run()))
    expect((await (await worker()).takeBatch(101)).length).toBe(limit('takeBatchMax'))
  })

  it('of a worker that leaves is answered at once with nothing', async () => {
    const { createEndpoint, worker, post } = await setup()
    await createEndpoint('e', { command: '[{"ignore":"SIGTERM"}]' })
    const taker = await worker()
    const open = [taker.take(), taker.stopOrders()]
    await settle()
    await post(`/api/workers/${taker.id}/stop`)
    expect(await Promise.all(open)).toEqual([undefined, []])
  })

  it('goes first to the worker with the fewest jobs', async () => {
    const { createEndpoint, worker, run } = await setup()
    await createEndpoint('e', { workersMin: 2, workersMax: 2, concurrency: 5 })
    const first = await worker()
    const second = await worker('e', [first])
    await run()
    await first.take()
    const open = [first.take({ busy: true }), second.take()]
    await settle()
    const id = await run()
    expect((await open[1])?.id).toBe(id)
    await run()
    await open[0]
  })
})

describe('job-stop', () => {
  it('is held for 20 s and then answered with 204', async () => {
    const { createEndpoint, worker, clock } = await setup()
    await createEndpoint()
    const open = (await worker()).stopOrders()
    await clock.advance(20_000)
    expect(await open).toEqual([])
  })

  it('tells of each job once', async () => {
    const { id, worker, post, clock } = await jobInState('IN_PROGRESS')
    await post(`/v2/e/cancel/${id}`)
    expect(await worker.stopOrders()).toEqual([id])
    const again = worker.stopOrders()
    await worker.ping([])
    await clock.advance(20_000)
    expect(await again).toEqual([])
  })
})

describe('job-done', () => {
  const most = limit('resultBodyBytes')
  const filled = (bytes: number) => `{"output":"${'x'.repeat(bytes - 13)}"}`
  for (const [bytes, state] of [
    [most - 1, 'COMPLETED'],
    [most, 'COMPLETED'],
    [most + 1, 'FAILED'],
  ] as const) {
    it(`with ${bytes} bytes is answered with 200 and ends the job as ${state}`, async () => {
      const { id, worker, status } = await jobInState('IN_PROGRESS')
      expect((await worker.done(id, filled(bytes))).status).toBe(200)
      const record = await status(id)
      expect(record.status).toBe(state)
      if (state === 'FAILED') expect(record.error).toContain('exceeds the 20 MiB maximum')
      else expect(record.output.length).toBe(bytes - 13)
    })
  }

  it('keeps the output as the text that came', async () => {
    const { id, worker, request } = await jobInState('IN_PROGRESS')
    await worker.done(id, '{"x":1, "output" : {"big":12345678901234567890,"f":1.0} }')
    expect(await (await request('GET', `/v2/e/status/${id}`)).text()).toContain(
      '"output":{"big":12345678901234567890,"f":1.0}',
    )
  })

  it('twice counts once', async () => {
    const { id, worker, status, get } = await jobInState('IN_PROGRESS')
    await Promise.all([worker.done(id, { output: 1 }), worker.done(id, { output: 2 }), worker.done(id, { error: 'x' })])
    expect(await status(id)).toMatchObject({ status: 'COMPLETED', output: 1 })
    expect((await get('/v2/e/health')).jobs).toMatchObject({ completed: 1, failed: 0 })
    expect((await get('/api/info')).lateResults).toBe(2)
  })

  it('of a job that runs its second attempt on the same worker is told apart by the lease', async () => {
    const { id, worker, status, post } = await jobInState('IN_PROGRESS')
    await worker.done(id, { error: 'x' })
    await post(`/v2/e/retry/${id}`)
    await worker.done(id, { output: 'late' })
    expect((await status(id)).status).toBe('IN_QUEUE')
    await worker.take()
    await worker.done(id, { output: 'new' })
    expect(await status(id)).toMatchObject({ status: 'COMPLETED', output: 'new' })
  })
})

describe('the listener for workers', () => {
  it('serves only the routes of the protocol', async () => {
    const { createEndpoint, worker } = await setup()
    await createEndpoint()
    const taker = await worker()
    for (const path of ['/', '/v2/e/run', '/v2/e/health', '/api/endpoints', '/events', '/openapi.json']) {
      for (const method of ['GET', 'POST'])
        expect((await taker.call(`http://127.0.0.1:8791${path}`, { method })).status).toBe(404)
    }
  })
})

describe('a result that asks for jobs', () => {
  it('is answered with the waiting jobs, in their order', async () => {
    const { createEndpoint, run, worker, status } = await setup()
    await createEndpoint('e', { concurrency: 2 })
    const [first = '', ...others] = [await run(), await run({ n: 2 }), await run({ n: 3 })]
    const taker = await worker()
    await taker.take()
    const jobs = await taker.doneAndTake(first, { output: 1 }, 5)
    expect(jobs).toEqual([
      { id: others[0], input: { n: 2 } },
      { id: others[1], input: { n: 3 } },
    ])
    expect((await status(first)).status).toBe('COMPLETED')
    expect((await status(jobs[1]?.id ?? '')).status).toBe('IN_PROGRESS')
    await taker.done(jobs[0]?.id ?? '', { output: 2 })
    expect(await status(jobs[0]?.id ?? '')).toMatchObject({ status: 'COMPLETED', output: 2 })
  })

  it('is answered at once if no job waits or none may be taken', async () => {
    const { createEndpoint, run, worker, status, post } = await setup()
    await createEndpoint('e')
    const first = await run()
    const taker = await worker()
    await taker.take()
    expect(await taker.doneAndTake(first, { output: 1 })).toEqual([])
    const second = await run()
    await taker.take()
    await run()
    expect(await taker.doneAndTake(first, { output: 1 })).toEqual([])
    await post('/api/endpoints/e/pause')
    expect(await taker.doneAndTake(second, { output: 2 })).toEqual([])
    expect((await status(second)).output).toBe(2)
  })

  it('takes as many jobs as it asks for when another write of its commit fails', async () => {
    let fails = false
    const { createEndpoint, run, worker, status } = await setup({
      storage: (opened) => ({
        ...opened,
        async write(work) {
          if (!fails) return opened.write(work)
          fails = false
          const others = [opened.write(() => undefined), opened.write(work), opened.write(() => expect.fail())] as const
          await Promise.allSettled(others)
          return others[1]
        },
      }),
    })
    await createEndpoint('e')
    const [first = '', second, third = ''] = [await run(), await run(), await run()]
    const taker = await worker()
    await taker.take()
    fails = true
    expect(await taker.doneAndTake(first, { output: 1 })).toMatchObject([{ id: second }])
    expect((await status(third)).status).toBe('IN_QUEUE')
  })

  it('asks for no part of a job', async () => {
    const { createEndpoint, run, worker } = await setup()
    await createEndpoint('e')
    const [first = '', second] = [await run(), await run(), await run()]
    const taker = await worker()
    await taker.take()
    expect(await taker.doneAndTake(first, { output: 1 }, 1.5)).toMatchObject([{ id: second }])
  })
})

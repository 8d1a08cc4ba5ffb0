/**
 * An image that holds only Python and the unmodified public worker SDK, with a handler: all operations of the job API.
 */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import runpodSdk from 'runpod-sdk'
import { beforeEach, expect, test } from 'vitest'
import { INSIDE, startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine('image-runpod')

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const IMAGE = 'drydock-test/runpod-worker'
const HANDLERS = fileURLToPath(new URL('../sdk/python/worker.py', import.meta.url))
const WORKER_ID = expect.stringMatching(/^[a-z0-9]{14}$/)
const TIMES = { delayTime: expect.any(Number), executionTime: expect.any(Number) }

/** A service with endpoints on the image; each runs one handler of test/sdk/python/worker.py. */
async function setup() {
  const service = await startedContainerService(engine)
  copyFileSync(HANDLERS, join(service.folder, 'worker.py'))
  return {
    ...service,
    /** Makes an endpoint whose image is started as its author would: with entry point, arguments and a volume. */
    createSdk: (kind: string, settings: object = {}) =>
      service.createEndpoint(kind, {
        handler: undefined,
        workersMax: 1,
        env: { KIND: kind },
        container: {
          image: IMAGE,
          prepared: 0,
          entrypoint: ['python3', '-u'],
          args: [`${INSIDE}/worker.py`],
          volumes: [{ source: service.folder, target: INSIDE, readOnly: true }],
        },
        ...settings,
      }),
    lineOf: (id: string, text: string) =>
      until(async () => {
        const { lines } = await service.get(`/api/jobs/${id}/logs`)
        expect(lines.map(({ line }: { line: string }) => line)).toContainEqual(expect.stringContaining(text))
      }),
  }
}

test('answers run and runsync, shows progress, fails a job with its traceback, and is replaced when it asks', async () => {
  const { createSdk, run, jobEnd, post, get, openGate } = await setup()
  await createSdk('chosen')
  const id = await run('chosen', { do: 'echo', text: 'ä €' })
  expect(await jobEnd('chosen', id)).toEqual({
    ...TIMES,
    id,
    status: 'COMPLETED',
    output: { job: { id, input: { do: 'echo', text: 'ä €' } } },
    workerId: WORKER_ID,
  })
  const runSync = (input: object) => post('/v2/chosen/runsync', { input })

  const slow = await run('chosen', { do: 'progress', release: `${INSIDE}/go` })
  await until(async () =>
    expect(await get(`/v2/chosen/status/${slow}`)).toMatchObject({ status: 'IN_PROGRESS', output: { step: 'first' } }),
  )
  openGate('go')
  expect(await jobEnd('chosen', slow)).toMatchObject({ status: 'COMPLETED', output: { done: true } })

  const failed = await runSync({ do: 'answer', raise: 'no picture' })
  expect(failed).toMatchObject({ status: 'FAILED' })
  expect(JSON.parse(failed.error)).toMatchObject({
    error_message: 'no picture',
    error_traceback: expect.stringMatching(/^Traceback[\s\S]*worker\.py[\s\S]*ValueError: no picture\n$/),
    worker_id: failed.workerId,
  })

  const first = await runSync({ do: 'refresh' })
  const second = await runSync({ do: 'refresh' })
  expect(first.workerId).toBe(failed.workerId)
  expect(second).toMatchObject({ status: 'COMPLETED', output: { worker: second.workerId } })
  expect(second.workerId).not.toBe(first.workerId)
  expect((await get('/v2/chosen/health')).jobs).toEqual({
    completed: 4,
    failed: 1,
    inProgress: 0,
    inQueue: 0,
    retried: 0,
  })
})

test('runs several jobs at once, and stops one of them when it is cancelled', async () => {
  const { createSdk, run, jobEnd, get, post, lineOf } = await setup()
  // The SDK may take a while to say that it has stopped, and its worker is not to be ended before that.
  await createSdk('naps', { concurrency: 2, stopGraceMs: 20_000 })
  const kept = await run('naps', { seconds: 4 })
  const cancelled = await run('naps', { seconds: 600 })
  await Promise.all([lineOf(kept, 'Started.'), lineOf(cancelled, 'Started.')])
  expect(await post(`/v2/naps/cancel/${cancelled}`)).toEqual({ id: cancelled, status: 'CANCELLED' })
  await lineOf(cancelled, 'Job stopped.')
  const record = await jobEnd('naps', kept)
  expect(record).toMatchObject({ status: 'COMPLETED' })
  expect(await get(`/v2/naps/status/${cancelled}`)).toMatchObject({ status: 'CANCELLED', workerId: record.workerId })
})

test('a cancelled handler that blocks costs its container, and a new one takes the next job', async () => {
  const { createSdk, run, jobEnd, post, get, holderOf, containers, lineOf } = await setup()
  await createSdk('block', { stopGraceMs: 300 })
  const id = await run('block', { seconds: 600 })
  const first = await holderOf(id)
  await lineOf(id, 'Started.') // a job that has not begun is given up without a word of its handler
  const next = await run('block', {})
  expect(await post(`/v2/block/cancel/${id}`)).toEqual({ id, status: 'CANCELLED' })
  const record = await jobEnd('block', next)
  expect(record).toMatchObject({ status: 'COMPLETED' })
  expect(record.workerId).not.toBe(first.id)
  // Its place is free when it has ended, a moment before it is removed.
  await until(async () => expect(await containers()).not.toContain(first.container))
  expect(await get(`/v2/block/status/${id}`)).toMatchObject({ status: 'CANCELLED', workerId: first.id })
})

test('a stopped worker ends its job first, and leaves at once after that', async () => {
  const { createSdk, run, jobEnd, post, holderOf, openGate, containers, lineOf } = await setup()
  await createSdk('drain', { stopGraceMs: 60_000 })
  const id = await run('drain', { release: `${INSIDE}/go` })
  const worker = await holderOf(id)
  await lineOf(id, 'Started.')
  await post(`/api/workers/${worker.id}/stop`)
  openGate('go')
  expect(await jobEnd('drain', id)).toMatchObject({ status: 'COMPLETED', output: { worker: worker.id } })
  await until(async () => expect(await containers()).not.toContain(worker.container))
})

test('serves the public JavaScript client: run, status, stream, cancel, health and purge', async () => {
  const service = await setup()
  await service.createSdk('count')
  await service.createSdk('nap')
  const key = service.read('data', 'account.key').trim()
  const endpointOf = (id: string) => {
    const endpoint = runpodSdk(key, { baseUrl: `${service.url()}/v2` }).endpoint(id)
    if (endpoint === null) throw new Error('the client made no endpoint')
    return endpoint
  }
  const count = endpointOf('count')
  const { id } = await count.run({ input: { n: 5 } })
  const chunks: unknown[] = []
  for await (const chunk of count.stream(id)) chunks.push(chunk)
  expect(chunks).toEqual([0, 1, 2, 3, 4].map((n) => ({ output: { n } })))
  expect(await count.status(id)).toMatchObject({ status: 'COMPLETED', succeeded: true })

  const nap = endpointOf('nap')
  expect(await nap.runSync({ input: {} }, PATIENCE_MS)).toMatchObject({ status: 'COMPLETED', succeeded: true })
  const running = await nap.run({ input: { seconds: 600 } })
  await service.holderOf(running.id)
  await nap.run({ input: {} })
  expect(await nap.purgeQueue()).toEqual({ removed: 1, status: 'completed' })
  expect(await nap.cancel(running.id)).toEqual({ id: running.id, status: 'CANCELLED' })
  expect(await nap.health()).toMatchObject({ jobs: { completed: 1, inQueue: 0 } })
})

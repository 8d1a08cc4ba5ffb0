/**
 * An image with only Python, the unmodified public worker SDK and a handler: its jobs, and how its containers end.
 * test/sdk tests the rest of the SDK, and the public clients.
 */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { INSIDE, sharedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { STAYS_MS } from '../support/patience.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine('image-runpod')

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const IMAGE = 'drydock-test/runpod-worker'
const HANDLERS = fileURLToPath(new URL('../sdk/python/worker.py', import.meta.url))
const WORKER_ID = expect.stringMatching(/^[a-z0-9]{14}$/)
const TIMES = { delayTime: expect.any(Number), executionTime: expect.any(Number) }

const shared = sharedContainerService(engine)

/** A service with endpoints on the image; each runs one handler of test/sdk/python/worker.py. */
async function setup() {
  const service = await shared()
  copyFileSync(HANDLERS, join(service.folder, 'worker.py'))
  return {
    ...service,
    /** Makes an endpoint whose image is started as its author would: with entry point, arguments and a volume. */
    createSdk: (kind: string, settings: object = {}) =>
      service.createEndpoint(kind, {
        handler: undefined,
        workersMax: 1,
        idleTimeoutMs: STAYS_MS,
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

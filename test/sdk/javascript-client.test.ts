import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import runpodSdk from 'runpod-sdk'
import { expect, type TestContext, test, vi } from 'vitest'
import { PATIENCE_MS } from '../support/patience.ts'
import { HELLO_HANDLER, startService, until } from './support-service.ts'

const GATED_HANDLER = fileURLToPath(new URL('../support/workers/gated.py', import.meta.url))

type Payload = Parameters<NonNullable<ReturnType<ReturnType<typeof runpodSdk>['endpoint']>>['run']>[0]

/** The public client, only its base address changed and more patient, on the sample endpoint. */
async function setup(context: TestContext, config: Readonly<Record<string, unknown>> = {}) {
  const service = await startService(context)
  const { id } = await service.createEndpoint({ id: 'hello', handler: HELLO_HANDLER, ...config })
  const endpoint = runpodSdk(service.key, { baseUrl: service.baseUrl }).endpoint(id)
  if (endpoint === null) throw new Error('the client made no endpoint')
  const patient = {
    run: (request: Payload) => endpoint.run(request, PATIENCE_MS),
    runSync: (request: Payload, timeoutMs?: number) => endpoint.runSync(request, timeoutMs),
    status: (jobId: string) => endpoint.status(jobId, PATIENCE_MS),
    statusSync: (jobId: string) => endpoint.statusSync(jobId),
    stream: (jobId: string) => endpoint.stream(jobId),
    cancel: (jobId: string) => endpoint.cancel(jobId, PATIENCE_MS),
    health: () => endpoint.health(PATIENCE_MS),
    purgeQueue: () => endpoint.purgeQueue(PATIENCE_MS),
  }
  return { service, endpoint: patient }
}

const JOB_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-l1$/
const COUNTS = { delayTime: expect.any(Number), executionTime: expect.any(Number) }
const WORKER_ID = expect.stringMatching(/^[a-z0-9]{14}$/)

test('run, statusSync and status give the same ended job', async (context) => {
  const { endpoint } = await setup(context)
  const job = await endpoint.run({ input: { name: 'Ada' } })
  expect(job).toEqual({ id: expect.stringMatching(JOB_ID), status: 'IN_QUEUE' })
  const ended = await endpoint.statusSync(job.id)
  expect(ended).toEqual({
    ...COUNTS,
    id: job.id,
    status: 'COMPLETED',
    output: { greeting: 'Hello, Ada' },
    workerId: WORKER_ID,
    started: true,
    completed: true,
    succeeded: true,
  })
  expect(await endpoint.status(job.id)).toEqual(ended)
})

test('runSync gives the output, and for a failing handler the error as a string', async (context) => {
  const { endpoint } = await setup(context)
  expect(await endpoint.runSync({ input: {} })).toEqual({
    ...COUNTS,
    id: expect.stringMatching(/^sync-/),
    status: 'COMPLETED',
    output: { greeting: 'Hello, world' },
    workerId: WORKER_ID,
    started: true,
    completed: true,
    succeeded: true,
  })
  const failed = await endpoint.runSync({ input: { do: 'fail' } })
  expect(failed).toEqual({
    ...COUNTS,
    id: expect.stringMatching(/^sync-/),
    status: 'FAILED',
    error: expect.any(String),
    workerId: WORKER_ID,
    started: true,
    completed: true,
    succeeded: false,
  })
})

test('runSync goes on waiting when the wait of its first request is over', async (context) => {
  const { service, endpoint } = await setup(context, { handler: GATED_HANDLER })
  const asked = vi.spyOn(globalThis, 'fetch')
  context.onTestFinished(() => asked.mockRestore())
  const gate = join(service.folder, 'gate')
  // The first request waits 3 s, each further one 1 s; the client gives up 3 s after the first.
  const ended = endpoint.runSync({ input: { n: 7, gates: [gate] } }, 3000)
  await until('a further request', async () =>
    asked.mock.calls.find(([request]) => JSON.stringify([request]).includes('/status-sync/')),
  )
  writeFileSync(gate, '')
  expect(await ended).toMatchObject({ status: 'COMPLETED', output: { n: 7 }, completed: true })
})

test('stream gives every chunk once and in order while the job runs, and ends', async (context) => {
  const { endpoint } = await setup(context)
  const { id } = await endpoint.run({ input: { do: 'count', n: 300 } })
  const chunks: unknown[] = []
  for await (const chunk of endpoint.stream(id)) chunks.push(chunk)
  expect(chunks).toEqual(Array.from({ length: 300 }, (_, n) => ({ output: { count: n + 1 } })))
  expect(await endpoint.status(id)).toMatchObject({ status: 'COMPLETED', output: [] })
})

test('stream of a cancelled job ends', async (context) => {
  const { service, endpoint } = await setup(context)
  const { id } = await endpoint.run({ input: { do: 'nap', seconds: 60 } })
  await service.waitForStatus('hello', id, 'IN_PROGRESS')
  const chunks = endpoint.stream(id).next()
  await endpoint.cancel(id)
  expect(await chunks).toEqual({ value: undefined, done: true })
})

test('cancel ends a running job and a waiting one', async (context) => {
  const { service, endpoint } = await setup(context, { workersMax: 1 })
  const running = await endpoint.run({ input: { do: 'nap', seconds: 60 } })
  await service.waitForStatus('hello', running.id, 'IN_PROGRESS')
  const waiting = await endpoint.run({ input: {} })
  for (const { id } of [waiting, running]) {
    expect(await endpoint.cancel(id)).toEqual({ id, status: 'CANCELLED' })
    expect(await endpoint.status(id)).toMatchObject({ status: 'CANCELLED', completed: true, succeeded: false })
  }
})

test('health counts jobs and workers; purgeQueue ends what waits', async (context) => {
  const { service, endpoint } = await setup(context, { workersMax: 1 })
  const running = await endpoint.run({ input: { do: 'nap', seconds: 60 } })
  await service.waitForStatus('hello', running.id, 'IN_PROGRESS')
  const waiting = await Promise.all([1, 2, 3].map(() => endpoint.run({ input: {} })))
  expect(await endpoint.health()).toEqual({
    jobs: { completed: 0, failed: 0, inProgress: 1, inQueue: 3, retried: 0 },
    workers: { idle: 0, initializing: 0, ready: 0, running: 1, throttled: 0, unhealthy: 0 },
  })
  expect(await endpoint.purgeQueue()).toEqual({ removed: 3, status: 'completed' })
  const states = await Promise.all([running, ...waiting].map(async ({ id }) => (await endpoint.status(id)).status))
  expect(states).toEqual(['IN_PROGRESS', 'CANCELLED', 'CANCELLED', 'CANCELLED'])
  expect(await endpoint.health()).toMatchObject({ jobs: { inProgress: 1, inQueue: 0 } })
})

test('a wrong key, an unknown endpoint and an unknown job are errors with a code', async (context) => {
  const { service, endpoint } = await setup(context)
  const client = (key: string, id: string) => runpodSdk(key, { baseUrl: service.baseUrl }).endpoint(id)
  await expect(client('wrong', 'hello')?.health(PATIENCE_MS)).rejects.toMatchObject({ response: { status: 401 } })
  await expect(client(service.key, 'nobody')?.health(PATIENCE_MS)).rejects.toMatchObject({ response: { status: 404 } })
  await expect(endpoint.status('nothing')).rejects.toMatchObject({ response: { status: 404 } })
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import runpodSdk from 'runpod-sdk'
import { expect, test, vi } from 'vitest'
import { PATIENCE_MS } from '../support/patience.ts'
import { startJavaScriptClient } from './support-clients.ts'
import { until } from './support-service.ts'
import { TIMES, WORKER_ID } from './support-worker.ts'

const GATED_HANDLER = fileURLToPath(new URL('../support/workers/gated.py', import.meta.url))

test('runSync gives the output, and for a failing handler the error as a string', async (context) => {
  const { endpoint } = await startJavaScriptClient(context)
  expect(await endpoint.runSync({ input: {} })).toEqual({
    ...TIMES,
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
    ...TIMES,
    id: expect.stringMatching(/^sync-/),
    status: 'FAILED',
    error: expect.any(String),
    workerId: WORKER_ID,
    started: true,
    completed: true,
    succeeded: false,
  })
})

test('runSync keeps waiting when the wait of its first request is over', async (context) => {
  const { service, endpoint } = await startJavaScriptClient(context, { handler: GATED_HANDLER })
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
  const { endpoint } = await startJavaScriptClient(context)
  const { id } = await endpoint.run({ input: { do: 'count', n: 300 } })
  const chunks: unknown[] = []
  for await (const chunk of endpoint.stream(id)) chunks.push(chunk)
  expect(chunks).toEqual(Array.from({ length: 300 }, (_, n) => ({ output: { count: n + 1 } })))
  expect(await endpoint.status(id)).toMatchObject({ status: 'COMPLETED', output: [] })
})

test('a stream of a job that has ended returns every chunk', async (context) => {
  const { service, endpoint } = await startJavaScriptClient(context)
  const { id } = await endpoint.run({ input: { do: 'count', n: 300 } })
  await service.waitForStatus('hello', id, 'COMPLETED')
  const chunks: unknown[] = []
  for await (const chunk of endpoint.stream(id)) chunks.push(chunk)
  expect(chunks).toEqual(Array.from({ length: 300 }, (_, n) => ({ output: { count: n + 1 } })))
})

test('the printed error for an input that is not an object says so', async (context) => {
  const { endpoint } = await startJavaScriptClient(context)
  const request = { input: 'a text' } as unknown as { input: Record<string, unknown> }
  const why = expect.stringContaining('`input` must be an object like {"prompt": "..."}; it is a text')
  await expect(endpoint.run(request)).rejects.toMatchObject({
    response: { status: 400, statusText: why, data: { error: why } },
  })
})

test('stream of a cancelled job ends', async (context) => {
  const { service, endpoint } = await startJavaScriptClient(context)
  const { id } = await endpoint.run({ input: { do: 'nap', seconds: 60 } })
  await service.waitForStatus('hello', id, 'IN_PROGRESS')
  const chunks = endpoint.stream(id).next()
  await endpoint.cancel(id)
  expect(await chunks).toEqual({ value: undefined, done: true })
})

test('cancel ends a running job and a waiting one', async (context) => {
  const { service, endpoint } = await startJavaScriptClient(context, { workersMax: 1 })
  const running = await endpoint.run({ input: { do: 'nap', seconds: 60 } })
  await service.waitForStatus('hello', running.id, 'IN_PROGRESS')
  const waiting = await endpoint.run({ input: {} })
  for (const { id } of [waiting, running]) {
    expect(await endpoint.cancel(id)).toEqual({ id, status: 'CANCELLED' })
    expect(await endpoint.status(id)).toMatchObject({ status: 'CANCELLED', completed: true, succeeded: false })
  }
})

test('health counts jobs and workers; purgeQueue cancels waiting jobs', async (context) => {
  const { service, endpoint } = await startJavaScriptClient(context, { workersMax: 1 })
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
  const { service, endpoint } = await startJavaScriptClient(context)
  const client = (key: string, id: string) => runpodSdk(key, { baseUrl: service.baseUrl }).endpoint(id)
  await expect(client('wrong', 'hello')?.health(PATIENCE_MS)).rejects.toMatchObject({ response: { status: 401 } })
  await expect(client(service.key, 'nobody')?.health(PATIENCE_MS)).rejects.toMatchObject({ response: { status: 404 } })
  await expect(endpoint.status('nothing')).rejects.toMatchObject({ response: { status: 404 } })
})

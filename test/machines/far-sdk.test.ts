/**
 * The job API with workers on a machine that is reached by ssh: an image that holds only Python and the unmodified public
 * worker SDK, driven by the public client. As on this machine: test/docker/public-sdk.test.ts.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import runpodSdk from 'runpod-sdk'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { dockerEngine } from '../support/docker-engine.ts'
import { remoteMachine } from '../support/far-machine.ts'
import { remoteService } from '../support/far-service.ts'
import { STAYS_MS } from '../support/patience.ts'
import { until } from '../support/served-service.ts'
import { removeEndpoints, sharedInFile } from '../support/shared-in-file.ts'

const engine = await dockerEngine('image-runpod')
const made = 'why' in engine ? engine : await remoteMachine()
const why = 'why' in made ? made.why : undefined
const IMAGE = 'drydock-test/runpod-worker'
const HANDLERS = fileURLToPath(new URL('../sdk/python/worker.py', import.meta.url))
// Copies an image from engine to engine, ms.
const COPY_LIMIT_MS = 120_000

beforeEach(({ skip }) => skip(why !== undefined, why))
beforeAll(async () => {
  if ('why' in made || 'why' in engine) return
  const copy = 'docker -H "$1" save "$3" | docker -H "$2" load'
  await promisify(execFile)('sh', ['-c', copy, 'sh', engine.dockerHost, made.dockerHost, IMAGE])
}, COPY_LIMIT_MS)
afterAll(() => ('why' in made ? undefined : made.stop()))

const shared = sharedInFile((whenOver) => {
  if ('why' in made) throw new Error(why)
  return remoteService(made, {}, whenOver)
})

/** A service with endpoints there; each runs one handler of test/sdk/python/worker.py, from a folder of that machine. */
async function setup() {
  const service = await shared()
  onTestFinished(() => removeEndpoints(service))
  const gates = '/root/sdk'
  const put = 'mkdir -p "$1" && printf %s "$2" >"$1/worker.py"'
  await service.machine.run('sh', '-c', put, 'sh', gates, readFileSync(HANDLERS, 'utf8'))
  const createSdk = (kind: string, settings: object = {}) =>
    service.createEndpoint(kind, {
      handler: undefined,
      workersMax: 1,
      idleTimeoutMs: STAYS_MS,
      env: { KIND: kind },
      container: {
        ...service.onBox.container,
        image: IMAGE,
        prepared: 0,
        entrypoint: ['python3', '-u'],
        args: ['/app/worker.py'],
        volumes: [{ source: gates, target: '/app', readOnly: true }],
      },
      ...settings,
    })
  const key = service.read('data', 'account.key').trim()
  const endpointOf = (id: string) => {
    const endpoint = runpodSdk(key, { baseUrl: `${service.url()}/v2` }).endpoint(id)
    if (endpoint === null) throw new Error('the client made no endpoint')
    return endpoint
  }
  return {
    ...service,
    createSdk,
    endpointOf,
    openGate: (name: string) => service.machine.run('touch', `${gates}/${name}`),
  }
}

test('run, runsync, progress, an error with its traceback, and a worker that asks to be replaced', async () => {
  const { createSdk, run, jobEnd, post, get, openGate } = await setup()
  await createSdk('chosen')
  const id = await run('chosen', { do: 'echo', text: 'ä €' })
  expect(await jobEnd('chosen', id)).toMatchObject({
    status: 'COMPLETED',
    output: { job: { id, input: { do: 'echo', text: 'ä €' } } },
  })
  const slow = await run('chosen', { do: 'progress', release: '/app/go' })
  await until(async () =>
    expect(await get(`/v2/chosen/status/${slow}`)).toMatchObject({ status: 'IN_PROGRESS', output: { step: 'first' } }),
  )
  await openGate('go')
  expect(await jobEnd('chosen', slow)).toMatchObject({ status: 'COMPLETED', output: { done: true } })
  const failed = await post('/v2/chosen/runsync', { input: { do: 'answer', raise: 'no picture' } })
  expect(failed).toMatchObject({ status: 'FAILED' })
  expect(JSON.parse(failed.error)).toMatchObject({
    error_message: 'no picture',
    error_traceback: expect.stringMatching(/^Traceback[\s\S]*worker\.py[\s\S]*ValueError: no picture\n$/),
  })
  const first = await post('/v2/chosen/runsync', { input: { do: 'refresh' } })
  const second = await post('/v2/chosen/runsync', { input: { do: 'refresh' } })
  expect(first.workerId).toBe(failed.workerId)
  expect(second).toMatchObject({ status: 'COMPLETED', output: { worker: second.workerId } })
  expect(second.workerId).not.toBe(first.workerId)
})

test('stream, cancel of a job that runs, purge, health and usage by the public client', async () => {
  const { createSdk, endpointOf, holderOf, get } = await setup()
  await createSdk('count')
  await createSdk('nap')
  const count = endpointOf('count')
  const { id } = await count.run({ input: { n: 5 } })
  const chunks: unknown[] = []
  for await (const chunk of count.stream(id)) chunks.push(chunk)
  expect(chunks).toEqual([0, 1, 2, 3, 4].map((n) => ({ output: { n } })))
  expect(await count.status(id)).toMatchObject({ status: 'COMPLETED', succeeded: true })

  const nap = endpointOf('nap')
  const running = await nap.run({ input: { seconds: 600 } })
  const worker = await holderOf(running.id)
  await nap.run({ input: {} })
  expect(await nap.purgeQueue()).toEqual({ removed: 1, status: 'completed' })
  const { workers } = await get('/api/workers/usage')
  const used = workers.find(({ workerId }: { readonly workerId: string }) => workerId === worker.id)
  expect(used).toMatchObject({ memoryBytes: expect.any(Number), memoryLimitBytes: expect.any(Number) })
  expect(await nap.cancel(running.id)).toEqual({ id: running.id, status: 'CANCELLED' })
  expect(await nap.health()).toMatchObject({ jobs: { completed: 0, inQueue: 0 } })
})

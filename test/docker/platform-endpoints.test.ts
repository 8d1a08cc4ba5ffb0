/** Endpoints that the platform's management API makes, as real containers. Source: docs/spec/platform.md, 5. */
import { beforeEach, expect, test } from 'vitest'
import { sharedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const setup = sharedContainerService(engine)

// The worker image gets the package of SDK 2.0 when it is first built: some forty packages from an index. In ms.
const IMAGE_LIMIT_MS = 240_000

const QUEUE = { type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 1 }, workers: { max: 1 } }
const API = { type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 4 }, workers: { max: 1 } }

test('our runtime answers under the name of the platform’s, in the worker image', {
  timeout: IMAGE_LIMIT_MS,
}, async () => {
  const service = await setup()
  const env = { RUNPOD_DEV_RESOURCE: 'greet', RUNPOD_DEV_APP: 'shop', RUNPOD_DEV_GENERATION: '1' }
  const image = 'runpod/queue:py3.11-latest'
  expect(await service.ask('POST', '/v2/serverless', { name: 'greet', image, env, ...QUEUE })).toMatchObject({
    status: 201,
    body: { id: 'greet', image },
  })
  const request = {
    function_name: 'greet',
    function_code: 'def greet(name):\n    print("greeting", name)\n    return "hello " + name\n',
    args: ['Ada'],
    serialization_format: 'json',
  }
  const greeted = { output: [{ success: true, json_result: 'hello Ada', stdout: 'greeting Ada\n' }] }
  const ended = await service.jobEnd('greet', await service.run('greet', request), IMAGE_LIMIT_MS)
  expect(ended).toMatchObject(greeted)
  const { workers } = (await service.ask('GET', '/v2/serverless/greet/workers')).body
  expect(workers).toMatchObject([{ status: 'IDLE', image }])
})

test('the runtime of routes listens where its variables say', { timeout: IMAGE_LIMIT_MS }, async () => {
  const service = await setup()
  const env = { RUNPOD_DEV_RESOURCE: 'web', RUNPOD_DEV_APP: 'shop', PORT: '80', PORT_HEALTH: '80' }
  const body = {
    name: 'web',
    image: 'runpod/api:py3.11-latest',
    env,
    ports: ['80/http'],
    ...API,
    workers: { min: 1, max: 1 },
  }
  expect(await service.ask('POST', '/v2/serverless', body)).toMatchObject({ status: 201 })
  const seeReady = async () =>
    expect((await service.ask('GET', '/v2/serverless/web/workers')).body.workers).toMatchObject([{ status: 'IDLE' }])
  await until(seeReady, IMAGE_LIMIT_MS)
  const headers = { authorization: `Bearer ${service.read('data', 'account.key').trim()}` }
  const { status } = await fetch(`${service.url()}/lb/web/ping`, { headers })
  expect([200, 204]).toContain(status)
})

test('any other image runs with its arguments, and a change of them replaces the worker', async () => {
  const service = await setup()
  const volume = await service.ask('POST', '/v2/network-volumes', { name: 'models', size: 10, dataCenter: 'EU-RO-1' })
  const print = (word: string) => `python3 -c "print('${word}', flush=True); import time; time.sleep(600)"`
  const image = 'python:3.11-slim-bookworm'
  const networkVolumes = [volume.body.id]
  const made = { name: 'own', image, args: print('one'), networkVolumes, ...QUEUE, workers: { min: 1, max: 1 } }
  expect(await service.ask('POST', '/v2/serverless', made)).toMatchObject({ status: 201 })
  const hasPrinted = (word: string) =>
    until(async () => {
      const { lines } = await service.get('/api/endpoints/own/logs')
      expect(lines.map(({ line }: { readonly line: string }) => line)).toContain(word)
    })
  await hasPrinted('one')
  expect(await service.ask('PATCH', '/v2/serverless/own', { args: print('two') })).toMatchObject({ status: 200 })
  await hasPrinted('two')
})

test.each([
  ['of somebody', '127.0.0.1:1/nobody/none:1', '127.0.0.1:1/nobody/none:1'],
  // Under this name the worker image runs, whose base with that Python is nowhere.
  ['of the platform’s runtime', 'runpod/queue:py3.9-latest', 'python:3.9-'],
])(
  'an image %s that cannot be had is no process instead: the job waits, and is told why',
  async (_of, image, name) => {
    const service = await setup()
    expect(await service.ask('POST', '/v2/serverless', { name: 'none', image, ...QUEUE })).toMatchObject({
      status: 201,
    })
    const jobId = await service.run('none', {})
    await until(async () => {
      const { waitingReason } = await service.get(`/api/jobs/${jobId}`)
      expect(JSON.stringify(waitingReason)).toContain(name)
      expect(JSON.stringify(waitingReason)).toContain('could not be pulled')
    }, IMAGE_LIMIT_MS)
    expect(service.workerProcesses()).toEqual([])
    expect(await service.containers()).toEqual([])
    const { workers } = await service.get('/v2/serverless/none/workers')
    expect(workers.filter(({ status }: { readonly status: string }) => status === 'IDLE')).toEqual([])
  },
  IMAGE_LIMIT_MS,
)

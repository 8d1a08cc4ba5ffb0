import { describe, expect, it } from 'vitest'
import { SERVICE_URL } from '../support/core.ts'
import { TEST_EPOCH } from '../support/fake-clock.ts'
import { AN_ENDPOINT, OWN_OPERATIONS, platformClient, SHAPED_OPERATIONS } from '../support/platform-client.ts'
import { noPlatformShapes } from '../support/platform-shapes.ts'

const QUEUE_IMAGE = 'runpod/queue:py3.12-latest'
const DEV_KEY = 'RUNPOD_DEV_GENERATION'
const allPools = [
  ...['AMPERE_16', 'AMPERE_24', 'ADA_24', 'ADA_32_PRO', 'AMPERE_48', 'ADA_48_PRO', 'AMPERE_80', 'ADA_80_PRO'],
  ...['BLACKWELL_96', 'HOPPER_141', 'BLACKWELL_180'],
]

describe('the table of routes', () => {
  it('has every operation of the platform', ({ skip }) => {
    skip(noPlatformShapes !== undefined, noPlatformShapes)
    expect(SHAPED_OPERATIONS.filter((one) => !OWN_OPERATIONS.includes(one))).toEqual([])
    expect(SHAPED_OPERATIONS.length).toBe(29)
  })
})

describe('an endpoint made by the platform API', () => {
  it('is an endpoint of the service, with what the platform asks for', async () => {
    const { expectCall, service } = await platformClient()
    const made = await expectCall(201, 'POST', '/v2/serverless', {
      ...AN_ENDPOINT,
      args: 'python "my worker.py" --fast',
      env: { TOKEN: '{{ RUNPOD_SECRET_hf-token }}' },
      workers: { min: 1, max: 2, idleTimeout: 30 },
      timeout: 60_000,
      flashboot: 'FLASHBOOT',
      dataCenterIds: ['EU-RO-1'],
      ports: ['22/tcp'],
      disk: 20,
    })
    expect(made).toEqual({
      id: 'echo',
      name: 'Echo',
      type: 'QUEUE',
      requestUrls: expect.objectContaining({
        run: `${SERVICE_URL}/v2/echo/run`,
        health: `${SERVICE_URL}/v2/echo/health`,
      }),
      image: AN_ENDPOINT.image,
      args: 'python "my worker.py" --fast',
      disk: 20,
      env: { TOKEN: '{{ RUNPOD_SECRET_hf-token }}' },
      ports: ['22/tcp'],
      registry: null,
      gpu: null,
      workers: { min: 1, max: 2, idleTimeout: 30 },
      scaling: AN_ENDPOINT.scaling,
      dataCenterIds: ['EU-RO-1'],
      networkVolumes: [],
      timeout: 60_000,
      flashboot: 'FLASHBOOT',
      createdAt: new Date(TEST_EPOCH).toISOString(),
    })
    expect(await service.get('/api/endpoints/echo')).toMatchObject({
      workersMin: 1,
      workersMax: 2,
      idleTimeoutMs: 30_000,
      executionTimeoutMs: 60_000,
      scaler: { type: 'QUEUE_DELAY', value: 4 },
      container: { image: AN_ENDPOINT.image, args: ['python', 'my worker.py', '--fast'] },
    })
    expect(await expectCall(200, 'GET', '/v2/serverless/echo')).toEqual(made)
    expect(await expectCall(200, 'GET', '/v2/serverless')).toEqual({ endpoints: [made] })
    await expectCall(204, 'DELETE', '/v2/serverless/echo')
    await expectCall(404, 'GET', '/v2/serverless/echo')
  })

  it('has the defaults of the platform', async () => {
    const { expectCall } = await platformClient()
    expect(await expectCall(201, 'POST', '/v2/serverless', AN_ENDPOINT)).toMatchObject({
      workers: { min: 0, max: 3, idleTimeout: 10 },
      timeout: 300_000,
      flashboot: 'OFF',
      env: {},
    })
  })

  it('of a runtime image runs our runtime in the worker image, and says what was asked for', async () => {
    const { expectCall, service } = await platformClient()
    const env = { RUNPOD_DEV_RESOURCE: 'echo', RUNPOD_MAX_CONCURRENCY: '3' }
    const made = await expectCall(201, 'POST', '/v2/serverless', { ...AN_ENDPOINT, image: QUEUE_IMAGE, env })
    expect(made).toMatchObject({ image: QUEUE_IMAGE, env })
    const { container, command, concurrency, handler } = await service.get('/api/endpoints/echo')
    expect({ image: container.image, python: container.python, handler, concurrency }).toEqual({
      image: undefined,
      python: '3.12',
      handler: undefined,
      concurrency: 3,
    })
    const [packages] = container.volumes
    expect(packages).toMatchObject({ target: '/opt/drydock/packages', readOnly: true })
    expect(command).toBe(
      'env PYTHONPATH=/opt/drydock/packages python3 -m svc_worker /opt/drydock/packages/svc_runtime/svc_queue.py',
    )
  })

  it('of a runtime image of queues is a handler file where there is no engine', async () => {
    const { expectCall, service } = await platformClient()
    service.fleet().lacks = () => 'there is no Docker engine'
    await expectCall(201, 'POST', '/v2/serverless', { ...AN_ENDPOINT, image: QUEUE_IMAGE })
    const { handler, container } = await service.get('/api/endpoints/echo')
    expect(handler).toMatch(/\/resources\/python\/svc_runtime\/svc_queue\.py$/)
    expect(container).toBeUndefined()
  })

  it('of a runtime image runs our runtime as a process where there is no engine', async () => {
    const { expectCall, service } = await platformClient()
    service.fleet().lacks = () => 'there is no Docker engine'
    const api = { name: 'web', type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 4 } }
    const env = { PORT: '80', PORT_HEALTH: '81' }
    const image = 'runpod/api-gpu:py3.11-dev'
    const body = { ...api, image, env, gpu: { pools: allPools }, ports: ['80/http'] }
    const made = await expectCall(201, 'POST', '/v2/serverless', body)
    expect(made).toMatchObject({ image, type: 'LOAD_BALANCER', ports: ['80/http'], gpu: { pools: allPools, count: 1 } })
    expect(made.requestUrls).toEqual({ base: `${SERVICE_URL}/lb/web`, health: `${SERVICE_URL}/lb/web/ping` })
    const config = await service.get('/api/endpoints/web')
    expect(config).toMatchObject({ loadBalanced: { port: 80, healthPort: 81 } })
    expect(config.command).toMatch(/^python3 ".*\/resources\/python\/svc_runtime\/svc_api\.py"$/)
    expect(config.container).toBeUndefined()
  })

  it.each([
    ['all pools as any card', { pools: allPools, excludedTypes: ['NVIDIA L4'] }, 'ANY,-NVIDIA L4'],
    ['some pools', { pools: ['ADA_24', 'AMPERE_24'], count: 2 }, 'ADA_24,AMPERE_24'],
  ])('asks for cards: %s', async (_name, gpu, wanted) => {
    const { expectCall, service } = await platformClient()
    const made = await expectCall(201, 'POST', '/v2/serverless', { ...AN_ENDPOINT, gpu })
    expect(made.gpu).toMatchObject(gpu)
    expect((await service.get('/api/endpoints/echo')).container.gpu).toBe(wanted)
  })

  it('runs without the cards that the machine lacks', async () => {
    const { expectCall, service } = await platformClient()
    service.fleet().lacks = ({ container }) => (container?.gpu === undefined ? undefined : 'there is no GPU')
    const gpu = { pools: ['ADA_24'] }
    expect((await expectCall(201, 'POST', '/v2/serverless', { ...AN_ENDPOINT, gpu })).gpu).toMatchObject(gpu)
    expect((await service.get('/api/endpoints/echo')).container.gpu).toBeUndefined()
  })

  it('has the CPUs of a family', async () => {
    const { expectCall, service } = await platformClient()
    const made = await expectCall(201, 'POST', '/v2/serverless', {
      ...AN_ENDPOINT,
      cpu: [{ id: 'cpu3g', vcpuCount: 4 }],
    })
    expect(made.cpu).toEqual([{ id: 'cpu3g', vcpuCount: 4, memory: 16 }])
    expect((await service.get('/api/endpoints/echo')).container.cpu).toBe('cpu3g-4-16')
  })

  it('stores no account key: its workers get it by the setting for that', async () => {
    const { expectCall, service } = await platformClient()
    const env = { RUNPOD_API_KEY: service.accountKey(), A: 'b' }
    const made = await expectCall(201, 'POST', '/v2/serverless', { ...AN_ENDPOINT, env })
    expect(made.env).toEqual({ A: 'b' })
    const config = await service.get('/api/endpoints/echo')
    expect(config).toMatchObject({ callsOthers: true, env: { A: 'b' } })
    expect(JSON.stringify(config)).not.toContain(service.accountKey())
  })

  it('gets no id that is an address of the API', async () => {
    const { expectCall, service } = await platformClient()
    const made = await expectCall(201, 'POST', '/v2/serverless', { ...AN_ENDPOINT, name: 'Templates' })
    expect(made.id).toMatch(/^templates-[a-z0-9]{6}$/)
    const wanted = { id: 'serverless', name: 'x', command: 'x' }
    expect(await service.ask('POST', '/api/endpoints', { body: wanted })).toMatchObject({ status: 400 })
  })
})

describe('a change by the platform API', () => {
  const patch = {
    image: 'ghcr.io/ada/echo:2',
    workers: { max: 5 },
    scaling: { type: 'REQUEST_COUNT', requestCount: 2 },
  }

  it('changes what it names and keeps the rest', async () => {
    const { expectCall } = await platformClient()
    const gpu = { pools: ['ADA_24'], count: 1, allowedCudaVersions: ['12.8'], minCudaVersion: '12.4' }
    const made = await expectCall(201, 'POST', '/v2/serverless', { ...AN_ENDPOINT, gpu, disk: 30, env: { A: '1' } })
    const changed = await expectCall(200, 'PATCH', '/v2/serverless/echo', { ...patch, gpu: { minCudaVersion: '' } })
    expect(changed).toEqual({
      ...made,
      ...patch,
      workers: { ...made.workers, max: 5 },
      gpu: { ...gpu, minCudaVersion: null },
    })
  })

  it('of a variable replaces all workers', async () => {
    const { expectCall, service } = await platformClient()
    const env = { [DEV_KEY]: '1' }
    await expectCall(201, 'POST', '/v2/serverless', { ...AN_ENDPOINT, env, workers: { min: 1 } })
    const first = await service.worker('echo')
    await expectCall(200, 'PATCH', '/v2/serverless/echo', { env: { [DEV_KEY]: '2' } })
    const second = await service.worker('echo', [first])
    expect(second.spec.env[DEV_KEY]).toBe('2')
    const { releases, endpointVersion } = await expectCall(200, 'GET', '/v2/serverless/echo/releases')
    expect(endpointVersion).toBe(2)
    expect(releases).toMatchObject([
      { version: 2, diff: [{ field: `env.${DEV_KEY}`, old: '(hidden)', new: '(hidden)' }] },
      { version: 1, diff: [] },
    ])
  })

  it('of limits alone is no release', async () => {
    const { expectCall } = await platformClient()
    await expectCall(201, 'POST', '/v2/serverless', AN_ENDPOINT)
    await expectCall(200, 'PATCH', '/v2/serverless/echo', { workers: { max: 1 }, timeout: 0, name: 'Other' })
    expect(await expectCall(200, 'GET', '/v2/serverless/echo')).toMatchObject({ timeout: 0, name: 'Other' })
    expect((await expectCall(200, 'GET', '/v2/serverless/echo/releases')).releases).toHaveLength(1)
  })

  it('from a runtime to an image of its own replaces the program', async () => {
    const { expectCall, service } = await platformClient()
    await expectCall(201, 'POST', '/v2/serverless', { ...AN_ENDPOINT, image: QUEUE_IMAGE })
    await expectCall(200, 'PATCH', '/v2/serverless/echo', { image: patch.image })
    const { command, container } = await service.get('/api/endpoints/echo')
    expect({ command, image: container.image, volumes: container.volumes }).toEqual({
      command: undefined,
      image: patch.image,
      volumes: [],
    })
  })

  it('sees what a person has set on the pages', async () => {
    const { expectCall, service } = await platformClient()
    await expectCall(201, 'POST', '/v2/serverless', AN_ENDPOINT)
    const body = { container: { image: 'ghcr.io/ada/mended:3' }, idleTimeoutMs: 1500, executionTimeoutMs: 9000 }
    await service.ask('PATCH', '/api/endpoints/echo', { body })
    expect(await expectCall(200, 'GET', '/v2/serverless/echo')).toMatchObject({
      image: 'ghcr.io/ada/mended:3',
      timeout: 9000,
      workers: { idleTimeout: 2 },
    })
  })

  it('of an endpoint of the service leaves its program alone', async () => {
    const { expectCall, call, service } = await platformClient()
    await service.createEndpoint('own')
    expect(await expectCall(200, 'PATCH', '/v2/serverless/own', { workers: { max: 4 } })).toMatchObject({
      workers: { min: 1, max: 4 },
    })
    expect(await call('PATCH', '/v2/serverless/own', { gpu: { pools: ['ADA_24'] } })).toMatchObject({ status: 422 })
    expect((await service.get('/api/endpoints/own')).command).toBe('a-worker')
  })
})

describe('workers', () => {
  it('are listed with their states and counted', async () => {
    const { expectCall, service } = await platformClient()
    await expectCall(201, 'POST', '/v2/serverless', { ...AN_ENDPOINT, workers: { min: 1, max: 1 } })
    const { jobId, worker } = await service.running({}, 'echo')
    const busy = { id: worker.id, status: 'RUNNING', isStale: false, version: 1, image: AN_ENDPOINT.image }
    const { workers, summary } = await expectCall(200, 'GET', '/v2/serverless/echo/workers')
    expect(workers).toMatchObject([busy])
    expect(summary).toEqual({ running: 1, idle: 0, initializing: 0, throttled: 0, unhealthy: 0, total: 1 })
    await worker.done(jobId, { output: 1 })
    expect((await expectCall(200, 'GET', '/v2/serverless/echo/workers')).summary).toMatchObject({ running: 0, idle: 1 })
    expect((await expectCall(200, 'GET', '/v2/serverless/echo/releases')).rollout).toEqual({
      inProgress: false,
      workersOnLatest: 1,
      workersTotal: 1,
      percentOnLatest: 100,
    })
  })
})

import { dirname, relative } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { PLATFORM_MANIFEST_FILE } from '../../src-main/contract/platform-manifest.ts'
import {
  buildIdOf,
  configOf,
  platformTools as setup,
  TOOLS_PLACE,
  type ToolResource,
  toolArtifact,
  toolManifest,
} from '../support/platform-tools.ts'
import { folderWith } from '../support/project-folder.ts'
import { openProxy } from '../support/proxied.ts'
import { until } from '../support/served-service.ts'

const ADDER: ToolResource = { name: 'adder' }
const WEB: ToolResource = {
  name: 'web',
  kind: 'api',
  routes: [{ method: 'GET', path: '/hello', handler: 'hello' }],
}
const TASK: ToolResource = { name: 'nightly', kind: 'task' }

const APP =
  'query ($name: String!) { flashAppByName(flashAppName: $name) { id name flashEnvironments { name } flashBuilds { id } } }'
const ENVIRONMENT = `query ($input: FlashEnvironmentByNameInput!) {
  flashEnvironmentByName(input: $input) { id name state activeBuildId endpoints { id name } networkVolumes { id } }
}`
const environmentIn = (flashAppId = 'shop', name = 'default') => ({ input: { flashAppId, name } })

describe('an app of the tools', () => {
  it('is made and found with its environments; what does not exist is not found', async () => {
    const { read, refusal, place } = await setup()
    expect(await refusal(APP, { name: 'shop' })).toBe('The app shop was not found.')
    const { flashEnvironmentId } = await place()
    expect((await read(APP, { name: 'shop' })).flashAppByName).toEqual({
      id: 'shop',
      name: 'shop',
      flashEnvironments: [{ name: 'default' }],
      flashBuilds: [],
    })
    expect((await read(ENVIRONMENT, environmentIn())).flashEnvironmentByName).toEqual({
      id: flashEnvironmentId,
      name: 'default',
      state: 'PENDING',
      activeBuildId: null,
      endpoints: [],
      networkVolumes: [],
    })
    expect(await refusal(ENVIRONMENT, environmentIn('shop', 'other'))).toBe('The environment other was not found.')
    expect(await refusal(ENVIRONMENT, environmentIn('nope'))).toBe('The app nope was not found.')
    expect((await read('{ myself { flashApps { name flashEnvironments { name } } } }')).myself.flashApps).toEqual([
      { name: 'shop', flashEnvironments: [{ name: 'default' }] },
    ])
  })

  it.each(['a/b', '', '..', 'x'.repeat(101)])('is not called %j', async (name) => {
    const { refusal, service } = await setup()
    const create = 'mutation ($input: CreateFlashAppInput!) { createFlashApp(input: $input) { id } }'
    expect(await refusal(create, { input: { name } })).toMatch(/^name: must be /)
    expect(await service.get('/api/apps')).toEqual({ apps: [] })
  })

  it('has no environment that no address could name', async () => {
    const { refusal, place } = await setup()
    await place()
    const create = 'mutation ($input: CreateFlashEnvironmentInput!) { createFlashEnvironment(input: $input) { id } }'
    for (const name of ['a/b', '', 'two words'])
      expect(await refusal(create, environmentIn('shop', name))).toMatch(/^name: must be letters/)
    expect(await refusal(create, environmentIn())).toMatch(/default/)
  })

  it('is deleted with all that belongs to it, and so is an environment alone', async () => {
    const { read, refusal, place, deploy, service } = await setup()
    const at = await place()
    await deploy(at, [ADDER])
    const gone = await read('mutation ($id: String!) { deleteFlashEnvironment(flashEnvironmentId: $id) }', {
      id: at.flashEnvironmentId,
    })
    expect(gone).toEqual({ deleteFlashEnvironment: true })
    expect((await service.get('/api/endpoints')).endpoints).toEqual([])
    expect(await refusal(ENVIRONMENT, environmentIn())).toMatch(/not found/)
    expect(await read('mutation { deleteFlashApp(flashAppId: "shop") }')).toEqual({ deleteFlashApp: true })
    expect(await refusal('mutation { deleteFlashApp(flashAppId: "shop") }')).toBe('The app shop was not found.')
    expect(await service.get('/api/apps')).toEqual({ apps: [] })
  })
})

describe('a deploy by the tools', () => {
  it('is one release, made when its last endpoint is saved', async () => {
    const { service, place, upload, activate, save, readyWorker, read } = await setup()
    const at = await place()
    const build = await upload(await toolArtifact(toolManifest([ADDER, WEB, TASK])))
    expect((await activate(build, at)).body.data.deployBuildToEnvironment).toMatchObject({ state: 'PENDING' })
    const { flashEnvironmentId } = at
    const [first, last] = ['adder', 'web'].map((name) => ({ name, flashEnvironmentId, workersMax: 2 }))
    expect(await save(first ?? {})).toEqual({ id: 'adder', error: undefined })
    expect((await service.get(`${TOOLS_PLACE}/releases`)).releases).toEqual([])
    const saved = save(last ?? {})
    await readyWorker('adder')
    const { releases } = await service.clock.until(async () => {
      const found = await service.get(`${TOOLS_PLACE}/releases`)
      return found.releases.length > 0 && found
    })
    expect(releases).toMatchObject([{ number: 1, state: 'preparing', kind: 'deploy' }])
    expect((await read(ENVIRONMENT, environmentIn())).flashEnvironmentByName.state).toBe('DEPLOYING')
    await service.post(`${TOOLS_PLACE}/releases/1/cancel`)
    expect(await saved).toEqual({
      id: undefined,
      error: 'Release 1 of shop failed, and what served before still serves: it was cancelled',
    })
  })

  it('becomes active when all endpoints are ready, with the ids that were answered', async () => {
    const { service, place, deploy, read } = await setup()
    const at = await place()
    const { build, answers } = await deploy(at, [ADDER, { name: 'counter' }, TASK])
    expect(answers).toEqual([
      { id: 'adder', error: undefined },
      { id: 'counter', error: undefined },
    ])
    expect(await service.get(`${TOOLS_PLACE}/releases/1`)).toMatchObject({
      release: { number: 1, state: 'active' },
      steps: [
        { resource: 'adder', action: 'create', state: 'done' },
        { resource: 'counter', action: 'create', state: 'done' },
      ],
    })
    const { flashEnvironmentByName: environment } = await read(ENVIRONMENT, environmentIn())
    expect(environment).toMatchObject({ state: 'ACTIVE', activeBuildId: build })
    expect(new Set(environment.endpoints.map(({ id }: { id: string }) => id))).toEqual(new Set(['adder', 'counter']))
    expect((await read(APP, { name: 'shop' })).flashAppByName.flashBuilds).toEqual([{ id: build }])
  })

  it('runs our runtime with the artifact, and workers that may call others', async () => {
    const { service, place, deploy } = await setup()
    await deploy(await place(), [{ ...ADDER, maxConcurrency: 3 }])
    const config = configOf(service, 'adder')
    expect(config).toMatchObject({
      callsOthers: true,
      concurrency: 3,
      env: { RUNPOD_APP_DIR: '/app', FLASH_RESOURCE_NAME: 'adder', FLASH_ENVIRONMENT: 'default' },
      container: { python: '3.12' },
    })
    expect(config?.command).toMatch(/-m svc_worker .*svc_runtime\/svc_queue\.py$/)
    expect(config?.container?.volumes.map(({ target, readOnly }) => ({ target, readOnly }))).toEqual([
      { target: '/opt/drydock/packages', readOnly: true },
      { target: '/app', readOnly: true },
    ])
  })

  it('finds a network volume by its id, and by its name of now', async () => {
    const { service, place, deploy } = await setup()
    const body = { name: 'models', size: 10, dataCenter: 'EU-RO-1' }
    const { id } = (await service.ask('POST', '/v2/network-volumes', { body })).body
    await service.ask('PATCH', `/v2/network-volumes/${id}`, { body: { name: 'weights' } })
    const references = [id, 'weights', 'models'] // the folder kept its first name
    const volumes = references.map((reference, at) => ({
      name: `r${at}`,
      mounts: [{ kind: 'network', reference, path: '/runpod-volume' }],
    }))
    await deploy(await place(), volumes)
    const folder = await service.storage().artifacts.volume('models')
    for (const { name } of volumes)
      expect(configOf(service, name)?.container?.volumes).toContainEqual({
        source: folder,
        target: '/runpod-volume',
        readOnly: false,
      })
  })

  it('keeps the ids of the one before it', async () => {
    const { service, place, deploy } = await setup()
    const at = await place()
    await service.createEndpoint('adder', { workersMin: 0 }) // whose id another endpoint has by chance
    const resources = [{ name: 'counter' }]
    const first = await deploy(at, resources)
    const second = await deploy(at, resources, { code: 'b', others: first.workers })
    expect(second.answers).toEqual(first.answers)
    expect(second.build).not.toBe(first.build)
    expect((await service.get(`${TOOLS_PLACE}/releases`)).releases).toMatchObject([
      { number: 2, state: 'active' },
      { number: 1, state: 'superseded' },
    ])
  })

  it('gives an endpoint another id where its name is taken, and answers with that', async () => {
    const { service, place, upload, activate, save } = await setup()
    await service.createEndpoint('adder', { workersMin: 0 })
    const at = await place()
    await activate(await upload(await toolArtifact(toolManifest([ADDER]))), at)
    const answer = save({ name: 'adder', flashEnvironmentId: at.flashEnvironmentId })
    const { endpointId } = await service.clock.until(() => service.fleet().started[0])
    void (await service.worker(endpointId)).take().catch(() => undefined)
    expect(await answer).toEqual({ id: endpointId, error: undefined })
    expect(endpointId).toMatch(/^adder-[a-z0-9]{6}$/)
    expect(configOf(service, endpointId)?.app).toMatchObject({ resource: 'adder' })
  })

  it('of tasks alone is released at once', async () => {
    const { service, place, upload, activate } = await setup()
    const at = await place()
    const build = await upload(await toolArtifact(toolManifest([TASK])))
    expect((await activate(build, at)).body.errors).toBeUndefined()
    expect((await service.get(`${TOOLS_PLACE}/releases`)).releases).toMatchObject([{ number: 1, state: 'active' }])
  })

  it('refuses what is not in the build, and a save that no build waits for', async () => {
    const { service, place, upload, activate, save } = await setup()
    const at = await place()
    const { flashEnvironmentId } = at
    expect((await save({ name: 'adder', flashEnvironmentId })).error).toMatch(/^flashEnvironmentId: has no build/)
    await activate(await upload(await toolArtifact(toolManifest([ADDER, WEB, TASK]))), at)
    for (const name of ['other', 'nightly'])
      expect((await save({ name, flashEnvironmentId })).error).toBe(
        'name: must be a resource of the build: adder, web.',
      )
    expect((await save({ name: 'adder', flashEnvironmentId: '99' })).error).toBe('The environment 99 was not found.')
    await service.clock.advance(3_600_000)
    expect((await save({ name: 'adder', flashEnvironmentId })).error).toMatch(/^flashEnvironmentId: has no build/)
  })

  it('refuses builds that are not here, that are none, and that hold no app of 2.0', async () => {
    const { place, upload, activate } = await setup()
    const at = await place()
    const message = async (build: string) => (await activate(build, at)).body.errors[0]
    expect(await message('e'.repeat(64))).toMatchObject({ extensions: { code: 'ARTIFACT_NOT_FOUND' } })
    for (const build of ['', '../../etc', 'E'.repeat(64)])
      expect(await message(build)).toMatchObject({ extensions: { code: 'ARTIFACT_NOT_FOUND' } })
    const other = await upload(await toolArtifact({ version: 1, resources: {} }))
    expect((await message(other)).message).toMatch(/^svc_manifest\.json: /)
    const wrong = await upload(await toolArtifact(toolManifest([{ name: 'a/b' }])))
    expect((await message(wrong)).message).toMatch(/must be at most 100 characters without slashes/)
  })

  it('opens no folder but that of an artifact', async () => {
    const { service, place, activate } = await setup()
    const at = await place()
    const unpacked = dirname(await service.storage().artifacts.unpackedFolder('x'))
    const outside = folderWith({ [PLATFORM_MANIFEST_FILE]: JSON.stringify(toolManifest([TASK])) })
    const { errors } = (await activate(relative(unpacked, outside), at)).body
    expect(errors).toMatchObject([{ extensions: { code: 'ARTIFACT_NOT_FOUND' } }])
    expect((await service.get(`${TOOLS_PLACE}/releases`)).releases).toEqual([])
  })

  it('that fails says why with its last save, and what served before still serves', async () => {
    const { service, place, deploy, upload, activate, save, read } = await setup()
    const at = await place()
    const { build, workers } = await deploy(at, [ADDER])
    const next = await toolArtifact(toolManifest([ADDER]), 'b')
    await activate(await upload(next), at)
    const answer = save({ name: 'adder', flashEnvironmentId: at.flashEnvironmentId })
    const broken = await service.worker('adder', workers)
    service.fleet().end(broken.id, { code: 1 })
    const { error } = await service.clock.until(async () => {
      const seen = await Promise.race([answer, Promise.resolve(undefined)])
      for (const { workerId } of service.fleet().list())
        if (workerId !== workers[0]?.id) service.fleet().end(workerId, { code: 1 })
      return seen
    }, 600_000)
    expect(error).toMatch(/^Release 2 of shop failed, and what served before still serves: /)
    expect((await read(ENVIRONMENT, environmentIn())).flashEnvironmentByName).toMatchObject({
      state: 'ACTIVE',
      activeBuildId: build,
    })
    expect((await service.get(`${TOOLS_PLACE}/releases`)).releases).toMatchObject([
      { number: 2, state: 'failed', artifact: buildIdOf(next) },
      { number: 1, state: 'active' },
    ])
    const jobId = await service.run({}, {}, 'adder')
    expect(await service.status(jobId, 'adder')).toMatchObject({ status: 'IN_PROGRESS', workerId: workers[0]?.id })
  })

  it('that takes longer than the tools wait continues after the answer', async () => {
    const { service, place, upload, activate, save, readyWorker } = await setup()
    const at = await place()
    await activate(await upload(await toolArtifact(toolManifest([ADDER]))), at)
    const answer = save({ name: 'adder', flashEnvironmentId: at.flashEnvironmentId })
    await service.worker('adder')
    await service.clock.advance(45_000)
    expect(await answer).toEqual({ id: 'adder', error: undefined })
    expect((await service.get(`${TOOLS_PLACE}/releases/1`)).release.state).toBe('preparing')
    await readyWorker('adder')
    await service.clock.until(async () => (await service.get(`${TOOLS_PLACE}/releases/1`)).release.state === 'active')
  })
})

describe('a call by name while the release is still starting', () => {
  /** A release of `adder` whose worker is not ready, and a function that calls it by name. */
  async function starting() {
    const tools = await setup()
    const { service, place, upload, activate, save } = tools
    const at = await place()
    await activate(await upload(await toolArtifact(toolManifest([ADDER]))), at)
    void save({ name: 'adder', flashEnvironmentId: at.flashEnvironmentId })
    const worker = await service.worker('adder')
    const call = (more: object = {}, name = 'adder') =>
      service.ask('POST', '/v2/flash/run', { body: { input: {} }, headers: namedHeaders(name), ...more })
    const inQueue = async () => (await service.get('/v2/adder/health')).jobs.inQueue
    const live = () =>
      service.clock.until(async () => (await service.get(`${TOOLS_PLACE}/releases/1`)).release.state === 'active')
    return { ...tools, worker, call, inQueue, live }
  }
  const namedHeaders = (name: string) => ({
    'x-flash-app': 'shop',
    'x-flash-environment': 'default',
    'x-flash-endpoint': name,
  })
  const NOT_DEPLOYED = { status: 404, body: { code: 'NOT_DEPLOYED' } }

  it('waits for the release, and is queued', async () => {
    const { service, worker, call, live } = await starting()
    let hasAnswered = false
    const answer = call().finally(() => {
      hasAnswered = true
    })
    await service.clock.advance(limit('releaseWaitMs') - 1000)
    expect(hasAnswered).toBe(false)
    const job = worker.take()
    await live()
    const { status, body } = await answer
    expect({ status, id: body.id }).toEqual({ status: 200, id: (await job)?.id })
  })

  it('waits for the release if it is a request to a route', async () => {
    const { service, readyWorker, live } = await starting()
    const { send } = await openProxy(service)
    const waits = vi.spyOn(service.service().releases, 'whenLive')
    const answer = send('/lb/flash/hello', { headers: namedHeaders('adder') })
    await until(() => expect(waits).toHaveBeenCalledOnce())
    await readyWorker('adder')
    await live()
    expect((await answer).json()).toMatchObject({ code: 'NOT_LOAD_BALANCED' }) // `adder` has a queue.
  })

  it('waits at most three minutes', async () => {
    const { service, call } = await starting()
    const answer = call()
    await service.clock.advance(limit('releaseWaitMs'))
    expect(await answer).toMatchObject(NOT_DEPLOYED)
    expect(limit('releaseWaitMs')).toBe(180_000)
  })

  it('fails at once when the release fails', async () => {
    const { service, call } = await starting()
    const answer = call()
    await service.post(`${TOOLS_PLACE}/releases/1/cancel`)
    expect(await answer).toMatchObject(NOT_DEPLOYED)
  })

  it('does not wait for a name that the release does not have', async () => {
    const { call } = await starting()
    expect(await call({}, 'other')).toMatchObject(NOT_DEPLOYED)
  })

  it('does not wait if a worker calls, because the release may be waiting for it', async () => {
    const { worker, call } = await starting()
    expect(await call({ key: worker.spec.env.RUNPOD_API_KEY })).toMatchObject(NOT_DEPLOYED)
  })

  it('queues nothing if its client disconnects', async () => {
    const { call, readyWorker, live, inQueue } = await starting()
    const leave = new AbortController()
    const answer = call({ signal: leave.signal })
    leave.abort()
    await readyWorker('adder')
    await live()
    expect(await answer).toMatchObject(NOT_DEPLOYED)
    expect(await inQueue()).toBe(0)
  })
})

describe('the settings with which the tools save an endpoint', () => {
  const ENV = [
    { key: 'COLOUR', value: 'blue' },
    { key: 'RUNPOD_MOUNTS', value: '[]' },
  ]

  it('count before the manifest, and a rollback brings them back', async () => {
    const { service, place, deploy } = await setup()
    const at = await place()
    const first = await deploy(at, [{ ...ADDER, workersMax: 9, env: { SIZE: '1', COLOUR: 'red' } }], {
      saved: { workersMax: 2, idleTimeout: 7, scalerType: 'REQUEST_COUNT', scalerValue: 3, template: { env: ENV } },
    })
    const wanted = {
      workersMax: 2,
      idleTimeoutMs: 7000,
      scaler: { type: 'REQUEST_COUNT', value: 3 },
      env: { SIZE: '1', COLOUR: 'blue', RUNPOD_MOUNTS: '[]' },
    }
    expect(configOf(service, 'adder')).toMatchObject(wanted)
    const second = await deploy(at, [ADDER], { code: 'b', saved: { workersMax: 5 }, others: first.workers })
    expect(configOf(service, 'adder')).toMatchObject({ workersMax: 5 })
    expect(configOf(service, 'adder')?.env).not.toHaveProperty('COLOUR')
    await service.post(`${TOOLS_PLACE}/releases`, { source: { release: 1 } })
    const back = await service.worker('adder', [...first.workers, ...second.workers])
    void back.take().catch(() => undefined)
    await service.clock.until(async () => (await service.get(`${TOOLS_PLACE}/releases/3`)).release.state === 'active')
    expect(configOf(service, 'adder')).toMatchObject({ ...wanted, app: { code: first.build } })
    expect(JSON.parse(service.storage().apps.release(1, 3)?.manifest ?? '')).toMatchObject({
      resources: { adder: { workersMax: 2, env: { COLOUR: 'blue' } } },
    })
  })

  it('keep the key of the account nowhere', async () => {
    const { service, place, deploy } = await setup()
    const key = service.accountKey()
    await deploy(await place(), [ADDER], { saved: { template: { env: [{ key: 'RUNPOD_API_KEY', value: key }] } } })
    expect(configOf(service, 'adder')).toMatchObject({ callsOthers: true })
    for (const path of ['/api/endpoints', `${TOOLS_PLACE}/releases/1`, '/v2/serverless'])
      expect(JSON.stringify(await service.get(path))).not.toContain(key)
    expect(service.storage().apps.release(1, 1)?.manifest).not.toContain(key)
    const worker = await service.worker('adder')
    expect(worker.spec.env.RUNPOD_API_KEY).toMatch(/^dk_/)
    expect(worker.spec.env.RUNPOD_API_KEY).not.toBe(key)
  })
})

describe('an endpoint of no app', () => {
  const SESSION = {
    name: 'Live Adder',
    type: 'QB',
    workersMin: 0,
    workersMax: 1,
    idleTimeout: 60,
    scalerType: 'QUEUE_DELAY',
    scalerValue: 4,
    instanceIds: ['cpu3c-1-2'],
    template: { imageName: 'runpod/queue:py3.12-latest', env: [{ key: 'A', value: '1' }] },
  }

  it('is made by a save without an environment, and changed by one with its id', async () => {
    const { service, save } = await setup()
    const { id, error } = await save(SESSION)
    expect({ id, error }).toEqual({ id: 'live-adder', error: undefined })
    expect(configOf(service, 'live-adder')).toMatchObject({ name: 'Live Adder', workersMax: 1, env: { A: '1' } })
    expect(configOf(service, 'live-adder')?.app).toBeUndefined()
    expect(await save({ ...SESSION, id, workersMax: 3 })).toEqual({ id, error: undefined })
    expect(configOf(service, 'live-adder')).toMatchObject({ workersMax: 3, env: { A: '1' } })
    expect((await service.get('/api/endpoints')).endpoints).toHaveLength(1)
    expect((await save({ ...SESSION, id: 'nope' })).error).toBe('The endpoint nope was not found.')
  })

  it('stores no key of the account', async () => {
    const { service, save } = await setup()
    const env = [{ key: 'RUNPOD_API_KEY', value: service.accountKey() }]
    await save({ ...SESSION, template: { ...SESSION.template, env } })
    expect(configOf(service, 'live-adder')).toMatchObject({ callsOthers: true, env: {} })
    expect(JSON.stringify(configOf(service, 'live-adder'))).not.toContain(service.accountKey())
  })
})

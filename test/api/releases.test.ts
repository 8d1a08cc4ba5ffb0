import { expect, test } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import type { ManifestResource } from '../../src-main/contract/manifest.ts'
import { appFolder, manifestOf } from '../support/app-folder.ts'
import type { TestService } from '../support/core.ts'
import { PLACE, setupReleases as setup } from '../support/release-service.ts'
import type { TestWorker } from '../support/worker-client.ts'

const endpointIds = async (service: TestService) =>
  (await service.get('/api/endpoints')).endpoints.map(({ id }: { id: string }) => id)

test('a first deploy makes app and environment, and its endpoints answer when all of them are ready', async () => {
  const { service, begin, ended } = await setup()
  const { release, steps } = await begin({ greet: {}, shout: {} })
  expect(release).toMatchObject({ app: 'shop', environment: 'production', number: 1, state: 'preparing' })
  expect(steps).toMatchObject([
    { resource: 'greet', action: 'create', state: 'starting' },
    { resource: 'shout', action: 'create', state: 'starting' },
  ])
  const greet = await service.worker('greet')
  void greet.take()
  await service.clock.until(async () => (await service.get(`${PLACE}/releases/1`)).steps[0].state === 'ready')
  expect(await endpointIds(service)).toEqual([])
  const shout = await service.worker('shout')
  void shout.take()
  const active = await ended(1)
  expect(active).toMatchObject({
    release: { state: 'active', activatedAt: service.clock.wall() },
    steps: [{ state: 'done' }, { state: 'done' }],
    endpoints: [
      { resource: 'greet', id: 'greet', url: 'http://127.0.0.1:8790/v2/greet', functions: ['greet'] },
      { resource: 'shout', id: 'shout' },
    ],
  })
  expect(await endpointIds(service)).toEqual(['greet', 'shout'])
  const jobId = await service.run({}, {}, 'greet')
  expect(await service.status(jobId, 'greet')).toMatchObject({ status: 'IN_PROGRESS', workerId: greet.id })
})

test('a plan says which files of the source differ from the active release', async () => {
  const { service, ended } = await setup()
  const withFiles = (files: Readonly<Record<string, string>>) => ({ ...manifestOf({ greet: {} }), source_files: files })
  const plan = (manifest: object) => service.post(`${PLACE}/plan`, { manifest, artifact: 'b'.repeat(64) })
  expect(await plan(withFiles({ 'greet.py': '1' }))).not.toHaveProperty('source')
  const folder = appFolder(withFiles({ 'greet.py': '1', 'old.py': '1', 'same.py': '1' }))
  await service.post(`${PLACE}/releases`, { source: { folder } })
  void (await service.worker('greet')).take()
  expect((await ended(1)).release.state).toBe('active')
  expect((await plan(withFiles({ 'greet.py': '2', 'same.py': '1', 'new.py': '1' }))).source).toEqual({
    files: [
      { path: 'greet.py', change: 'changed' },
      { path: 'new.py', change: 'added' },
      { path: 'old.py', change: 'removed' },
    ],
    more: 0,
  })
  const many = Object.fromEntries(Array.from({ length: limit('planFiles') + 1 }, (_, n) => [`${n}.txt`, '1']))
  const { files, more } = (await plan(withFiles(many))).source
  expect([files.length, more]).toEqual([limit('planFiles'), 4])
  expect(await plan(manifestOf({ greet: {} }))).not.toHaveProperty('source')
})

test('a deploy without a change starts no worker and replaces none', async () => {
  const { service, deploy } = await setup()
  await deploy({ greet: {} })
  const started = service.fleet().started.length
  const again = await deploy({ greet: {} })
  expect(again).toMatchObject({ release: { number: 2, state: 'active' }, steps: [{ action: 'unchanged' }] })
  expect(service.fleet().started).toHaveLength(started)
  expect((await service.get('/api/workers')).workers).toHaveLength(1)
  expect((await service.get(`${PLACE}/releases`)).releases).toMatchObject([
    { number: 2, state: 'active' },
    { number: 1, state: 'superseded', reason: 'release 2 took over' },
  ])
})

test('only the endpoint whose own code changed gets a new worker; the other keeps its folder and its worker', async () => {
  const { service, deploy } = await setup()
  const [one, two] = ['1'.repeat(64), '2'.repeat(64)]
  const { workers } = await deploy({ greet: { fingerprint: one }, shout: { fingerprint: one } })
  const again = await deploy({ greet: { fingerprint: one }, shout: { fingerprint: two } }, 'b')
  expect(again).toMatchObject({
    release: { number: 2, state: 'active' },
    steps: [
      { resource: 'greet', action: 'unchanged' },
      { resource: 'shout', action: 'update' },
    ],
  })
  expect(Object.keys(again.workers)).toEqual(['shout'])
  expect((await service.get('/api/endpoints/greet')).handler).toBe(workers.greet?.spec.handler)
  const more = await deploy({ greet: { fingerprint: one, workersMax: 4 }, shout: { fingerprint: two } }, 'c')
  expect(more.steps).toMatchObject([
    { resource: 'greet', action: 'update', replacesWorkers: false, changes: [{ setting: 'workersMax' }] },
    { resource: 'shout', action: 'unchanged' },
  ])
  // Its worker loads what it needs when it needs it, from the folder that it was started in.
  expect((await service.get('/api/endpoints/greet')).handler).toBe(workers.greet?.spec.handler)
})

test('with new code the old worker takes jobs until the new one is ready, and none after that', async () => {
  const { service, begin, deploy, ended } = await setup()
  const { workers } = await deploy({ greet: {} })
  const old = workers.greet as TestWorker
  const { steps } = await begin({ greet: {} }, 'b')
  expect(steps).toMatchObject([
    { action: 'update', changes: [{ setting: 'code', from: 'aaaaaaaaaaaa', to: 'bbbbbbbbbbbb' }] },
  ])
  const next = await service.worker('greet', [old])
  const during = await service.run({}, {}, 'greet')
  expect(await service.status(during, 'greet')).toMatchObject({ workerId: old.id })
  const asked = next.take()
  expect(await ended(2)).toMatchObject({ release: { state: 'active' } })
  const after = await service.run({}, {}, 'greet')
  expect((await asked)?.id).toBe(after)
  await old.done(during, { output: 'done by the old one' })
  expect(await service.waitForJob(during, 'COMPLETED', 'greet')).toMatchObject({ output: 'done by the old one' })
})

test('when one endpoint does not become ready the release fails with its reason, and the old one stays as it is', async () => {
  const { service, begin, deploy, ended } = await setup()
  const { workers } = await deploy({ greet: {}, shout: {} })
  await begin({ greet: {}, shout: {}, extra: {} }, 'b')
  const broken = await service.worker('shout', [workers.shout as TestWorker])
  const good = await service.worker('greet', [workers.greet as TestWorker])
  void good.take().catch(() => undefined)
  service.fleet().print(broken.id, "ModuleNotFoundError: No module named 'torch'")
  service.fleet().end(broken.id, { code: 1 })
  const why = "ModuleNotFoundError: No module named 'torch' (add torch to requirements.txt and deploy again)"
  const failed = await ended(2)
  expect(failed).toMatchObject({ release: { state: 'failed', reason: `endpoint shout: ${why}` } })
  expect(failed.steps.find(({ resource }: { resource: string }) => resource === 'shout')).toMatchObject({
    state: 'failed',
    note: why,
  })
  expect(await endpointIds(service)).toEqual(['greet', 'shout'])
  await service.clock.until(() => [...service.fleet().list()].length === 2)
  expect((await service.get(PLACE)).active).toMatchObject({ number: 1, state: 'active' })
  const jobId = await service.run({}, {}, 'shout')
  expect(await service.status(jobId, 'shout')).toMatchObject({ workerId: workers.shout?.id })
})

test('an endpoint that left the app stays until somebody confirms that it goes', async () => {
  const { service, deploy } = await setup()
  await deploy({ greet: {}, old: {} })
  const kept = await deploy({ greet: {} })
  expect(kept.steps).toMatchObject([
    { resource: 'greet', action: 'unchanged' },
    { resource: 'old', action: 'delete', state: 'done', note: 'kept, because the deletion was not confirmed' },
  ])
  expect(await endpointIds(service)).toEqual(['greet', 'old'])
  const jobId = await service.run({}, {}, 'old')
  await deploy({ greet: {} }, 'a', { deletes: ['old'] })
  await service.clock.until(async () => (await endpointIds(service)).length === 1)
  expect(await service.ask('GET', `/v2/old/status/${jobId}`)).toMatchObject({ status: 404 })
})

test('rollback brings the code of an earlier release back as a new one', async () => {
  const { service, deploy, ended } = await setup()
  const first = await deploy({ greet: {} })
  const second = await deploy({ greet: {} }, 'b')
  const { release } = await service.post(`${PLACE}/releases`, { source: { release: 1 } })
  expect(release).toMatchObject({ number: 3, rollbackOf: 1, fingerprint: 'a'.repeat(64) })
  const third = await service.worker('greet', [first.workers.greet, second.workers.greet] as TestWorker[])
  void third.take().catch(() => undefined)
  expect(await ended(3)).toMatchObject({ release: { state: 'active' } })
  expect(third.spec.handler).toBe(first.workers.greet?.spec.handler)
})

test('a plan says what worker processes lack and how to fix it, and a volume is put where they look for it', async () => {
  const put: string[][] = []
  const { service, begin } = await setup({
    processHost: {
      missingPackages: async (wanted) => wanted.filter((text) => text.startsWith('numpy')),
      whyNotAt: async (_path, folder) => (folder.endsWith('big') ? '/ belongs to another user' : undefined),
      putAt: async (path, folder) => void put.push([path, folder]),
    },
  })
  const models = { name: 'models' }
  const resources = { greet: { systemDependencies: ['ffmpeg'], networkVolumes: [models] }, shout: {} }
  const manifest = { ...manifestOf(resources), image_requirements: ['numpy>=1', 'torch'] }
  const asked = { manifest, artifact: 'c'.repeat(64), runsOn: 'processes' }
  const { warnings } = await service.post(`${PLACE}/plan`, asked)
  expect(warnings).toEqual([
    "Builds leave numpy>=1 to the image, but workers run as processes and their Python lacks it: python3 -m pip install 'numpy>=1'",
    'greet needs system packages, which processes use from this machine: sudo apt-get install ffmpeg',
    expect.stringMatching(
      /^Volume models is the folder \S+; processes find it at \/runpod-volume, which is a link to it\.$/,
    ),
  ])
  expect(put).toEqual([])
  expect((await service.post(`${PLACE}/plan`, { ...asked, runsOn: 'containers' })).warnings).toEqual([])
  const blocked = manifestOf({ greet: { networkVolumes: [{ name: 'big' }] } })
  expect((await service.post(`${PLACE}/plan`, { ...asked, manifest: blocked })).warnings).toEqual([
    expect.stringMatching(
      /do not find it at \/runpod-volume: \/ belongs to another user\. .*: sudo ln -sfn \S+ \/runpod-volume$/,
    ),
  ])
  await begin(resources, 'a', { runsOn: 'processes' })
  expect(put).toEqual([['/runpod-volume', expect.stringContaining('models')]])
})

test('a release says what made it and of which commit its code is, also after a rollback and with other variables', async () => {
  const { service, begin, deploy, ended } = await setup()
  const git = { commit: 'ab'.repeat(20), branch: 'main', message: 'Greet', clean: false }
  const { workers } = await deploy({ greet: {} }, 'a', { git })
  expect((await service.get(`${PLACE}/releases/1`)).release).toMatchObject({ kind: 'deploy', git })
  expect(await begin({ greet: {} }, 'a')).toMatchObject({ release: { number: 2, kind: 'deploy' } })
  expect(await ended(2)).not.toHaveProperty('release.git')
  expect(await service.get(`${PLACE}/releases/1/plan`)).toMatchObject({ git, steps: [{ action: 'unchanged' }] })
  await service.post(`${PLACE}/releases`, { source: { release: 1 } })
  expect((await ended(3)).release).toMatchObject({ kind: 'rollback', rollbackOf: 1, git })
  await service.ask('PATCH', `${PLACE}/variables`, { body: { set: { TOKEN: 'x' } } })
  await service.post(`${PLACE}/releases`, { source: { active: true } })
  const next = await service.worker('greet', [workers.greet as TestWorker])
  void next.take().catch(() => undefined)
  expect((await ended(4)).release).toMatchObject({ kind: 'variables', git })
  const manifest = manifestOf({ greet: {} })
  const plan = await service.post(`${PLACE}/plan`, { manifest, artifact: 'c'.repeat(64), git })
  expect(plan).toMatchObject({ git, activeGit: git })
})

test('the plan of a rollback shows its effects and changes nothing', async () => {
  const { service, deploy } = await setup()
  await deploy({ greet: {} })
  await deploy({ greet: { workersMax: 5 }, later: {} }, 'b')
  expect(await service.get(`${PLACE}/releases/1/plan`)).toMatchObject({
    makes: [],
    steps: [
      {
        resource: 'greet',
        action: 'update',
        replacesWorkers: true,
        changes: expect.arrayContaining([
          { setting: 'code', from: 'bbbbbbbbbbbb', to: 'aaaaaaaaaaaa' },
          { setting: 'workersMax', from: 5, to: 1 },
        ]),
      },
      { resource: 'later', action: 'delete' },
    ],
  })
  expect((await service.get(`${PLACE}/releases`)).releases).toHaveLength(2)
  for (const number of [2, 7])
    expect(await service.ask('GET', `${PLACE}/releases/${number}/plan`)).toMatchObject({
      status: 404,
      body: { code: 'RELEASE_NOT_FOUND' },
    })
})

test('a release that failed is tried again, and neither the active one nor one that does not exist is', async () => {
  const { service, begin, deploy, ended } = await setup()
  const { workers } = await deploy({ greet: {} })
  const first = workers.greet as TestWorker
  await begin({ greet: {} }, 'b')
  const givenUp = await service.worker('greet', [first])
  const refused = await service.ask('POST', `${PLACE}/releases`, { body: { source: { release: 7 } } })
  expect(refused).toMatchObject({ status: 409, body: { code: 'DEPLOY_RUNNING' } })
  await service.post(`${PLACE}/releases/2/cancel`)
  expect(await ended(2)).toMatchObject({ release: { state: 'failed', reason: 'it was cancelled' } })
  for (const number of [1, 7]) {
    const answer = await service.ask('POST', `${PLACE}/releases`, { body: { source: { release: number } } })
    expect(answer).toMatchObject({ status: 404, body: { code: 'RELEASE_NOT_FOUND' } })
  }
  await service.post(`${PLACE}/releases`, { source: { release: 2 } })
  const again = await service.worker('greet', [first, givenUp])
  void again.take().catch(() => undefined)
  expect(await ended(3)).toMatchObject({ release: { state: 'active', fingerprint: 'b'.repeat(64) } })
})

test('two releases of one environment at once: the second is refused and the first continues', async () => {
  const { service, begin, ended } = await setup()
  await begin({ greet: {} })
  const folder = appFolder(manifestOf({ greet: {} }, 'b'))
  const [one, two] = await Promise.all(
    [1, 2].map(() => service.ask('POST', `${PLACE}/releases`, { body: { source: { folder } } })),
  )
  expect([one?.status, two?.status]).toEqual([409, 409])
  void (await service.worker('greet')).take()
  expect(await ended(1)).toMatchObject({ release: { state: 'active' } })
})

test('a release that a crash of the service cut off has failed, and the next one works', async () => {
  const { service, begin, deploy } = await setup({ file: await freshFile() })
  await begin({ greet: {} })
  await service.worker('greet')
  await service.restart('killed')
  expect((await service.get(`${PLACE}/releases`)).releases).toMatchObject([
    { number: 1, state: 'failed', reason: 'the service stopped while it was prepared' },
  ])
  expect(await deploy({ greet: {} })).toMatchObject({ release: { number: 2, state: 'active' } })
})

test('an orderly stop of the service gives a release up', async () => {
  const { service, begin } = await setup({ file: await freshFile() })
  await begin({ greet: {} })
  await service.worker('greet')
  await service.restart('in order')
  expect((await service.get(`${PLACE}/releases`)).releases).toMatchObject([
    { number: 1, state: 'failed', reason: 'the service stopped while it was prepared' },
  ])
})

test('settings that somebody changes while a release is prepared are not undone', async () => {
  const { service, begin, deploy, ended } = await setup()
  const { workers } = await deploy({ greet: {} })
  await begin({ greet: {} }, 'b')
  await service.ask('PATCH', '/api/endpoints/greet', { body: { workersMax: 7 } })
  void (await service.worker('greet', [workers.greet as TestWorker])).take().catch(() => undefined)
  expect(await ended(2)).toMatchObject({
    release: { state: 'failed', reason: 'the settings of endpoint greet were changed in the meantime. Deploy again' },
  })
  expect(await service.get('/api/endpoints/greet')).toMatchObject({ workersMax: 7 })
})

test('a name that another endpoint has gets a random end, and is found by app and environment', async () => {
  const { service, begin, ended } = await setup()
  await service.createEndpoint('greet', { workersMin: 0 })
  await begin({ greet: {} })
  const started = await service.clock.until(() => service.fleet().started[0])
  void (await service.worker(started.endpointId)).take()
  const { endpoints } = await ended(1)
  expect(endpoints).toMatchObject([{ resource: 'greet', id: expect.stringMatching(/^greet-[a-z0-9]{6}$/) }])
})

test('a pause while a release is prepared stays', async () => {
  const { service, begin, deploy, ended } = await setup()
  const { workers } = await deploy({ greet: {} })
  await begin({ greet: {} }, 'b')
  await service.post('/api/endpoints/greet/pause')
  void (await service.worker('greet', [workers.greet as TestWorker])).take().catch(() => undefined)
  expect(await ended(2)).toMatchObject({ release: { state: 'active' } })
  expect(await service.get('/api/endpoints/greet')).toMatchObject({ paused: true, app: { code: 'b'.repeat(64) } })
})

test('the last place of the machine: a worker of the old release ends its job and gives way', async () => {
  const { service, begin, deploy, ended } = await setup({ settings: { maxWorkers: 1 } })
  const { workers } = await deploy({ greet: {} })
  const old = workers.greet as TestWorker
  const jobId = await service.run({}, {}, 'greet')
  await begin({ greet: {} }, 'b')
  await service.clock.until(() => service.fleet().list().length === 1)
  expect(service.fleet().started).toHaveLength(1)
  await old.done(jobId, { output: 1 })
  const next = await service.worker('greet', [old])
  void next.take().catch(() => undefined)
  expect(await ended(2)).toMatchObject({ release: { state: 'active' } })
  expect(await service.status(jobId, 'greet')).toMatchObject({ status: 'COMPLETED' })
})

test('an app that wants GPUs runs without them on a machine without any, and reports it', async () => {
  const { service, begin } = await setup()
  service.fleet().lacks = ({ container }) =>
    container?.gpu === undefined ? undefined : 'this machine has no graphics card'
  const { instanceIds: _cpu, ...gpu } = { instanceIds: undefined, gpuIds: 'ADA_24' }
  const { warnings, release } = await begin({ greet: gpu as Partial<ManifestResource> })
  expect(release).toMatchObject({ runsOn: 'containers' })
  expect(warnings).toEqual(['greet asks for a GPU and runs without one: this machine has no graphics card.'])
})

test('without an engine the workers are processes, and ready images are left out where that is wished', async () => {
  const { service, begin } = await setup()
  service.fleet().lacks = () => 'Docker does not run'
  const image = { imageName: 'somebody/worker:1', handlerFile: undefined } as Partial<ManifestResource>
  const { warnings, release, steps } = await begin({ greet: {}, ready: image }, 'a', { withoutImages: true })
  expect(release).toMatchObject({ runsOn: 'processes' })
  expect(warnings).toEqual([
    'No containers: Docker does not run. Workers are processes of this machine.',
    'ready is left out: its image somebody/worker:1 needs containers.',
  ])
  expect(steps).toMatchObject([{ resource: 'greet' }])
  const processes = await service.post('/api/apps/shop/environments/third/releases', {
    source: { folder: appFolder(manifestOf({ greet: {}, ready: image })) },
    runsOn: 'processes',
    withoutImages: true,
  })
  expect(processes).toMatchObject({
    warnings: ['ready is left out: its image somebody/worker:1 needs containers.'],
    steps: [{ resource: 'greet' }],
  })
  const asked = await service.ask('POST', '/api/apps/shop/environments/other/releases', {
    body: { source: { folder: appFolder(manifestOf({ greet: {} })) }, runsOn: 'containers' },
  })
  expect(asked).toMatchObject({ status: 400, body: { error: 'runsOn: Docker does not run.' } })
})

test('a ready image that no engine can run is warned of', async () => {
  const { service, begin } = await setup()
  service.fleet().lacks = () => 'Docker does not run'
  const image = { imageName: 'somebody/worker:1', handlerFile: undefined } as Partial<ManifestResource>
  expect((await begin({ greet: {}, ready: image })).warnings).toEqual([
    'No containers: Docker does not run. Workers are processes of this machine.',
    'ready cannot run at the moment: its image somebody/worker:1 needs containers.',
  ])
})

test('where ready images are not waited for, the rest becomes active while theirs comes', async () => {
  const { service, begin, ended } = await setup()
  const image = { imageName: 'somebody/worker:1', handlerFile: undefined } as Partial<ManifestResource>
  await begin({ greet: {}, ready: image }, 'a', { withoutImages: true })
  void (await service.worker('greet')).take()
  expect(await ended(1)).toMatchObject({ release: { state: 'active' } })
  expect(service.fleet().started).toHaveLength(1)
  const jobId = await service.run({}, {}, 'ready')
  const worker = await service.worker('ready')
  expect((await worker.take())?.id).toBe(jobId)
})

test('a plan says what would happen and changes nothing', async () => {
  const { service, deploy } = await setup()
  const artifact = 'f'.repeat(64)
  const body = { manifest: manifestOf({ greet: {} }), artifact }
  expect(await service.post(`${PLACE}/plan`, body)).toEqual({
    app: 'shop',
    environment: 'production',
    makes: ['app', 'environment'],
    runsOn: 'containers',
    steps: [{ resource: 'greet', action: 'create', changes: [], replacesWorkers: false }],
    warnings: [],
  })
  expect(await service.get('/api/apps')).toEqual({ apps: [] })
  await deploy({ greet: {}, old: {} })
  const changed = { manifest: manifestOf({ greet: { workersMax: 5 } }), artifact: 'a'.repeat(64) }
  expect((await service.post(`${PLACE}/plan`, changed)).steps).toMatchObject([
    {
      resource: 'greet',
      action: 'update',
      replacesWorkers: false,
      changes: [{ setting: 'workersMax', from: 1, to: 5 }],
    },
    { resource: 'old', action: 'delete' },
  ])
})

test('a folder without a manifest, or with a bad one, is refused', async () => {
  const { service } = await setup()
  const tried = async (folder: string) => service.ask('POST', `${PLACE}/releases`, { body: { source: { folder } } })
  expect(await tried('/nowhere/at/all')).toMatchObject({
    status: 400,
    body: { error: 'source: there is no svc_manifest.json in /nowhere/at/all.' },
  })
  const bad = appFolder({ ...manifestOf({}), resources: 5 } as never)
  expect(await tried(bad)).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
  expect(await tried('relative')).toMatchObject({ status: 400 })
})

test('an artifact that is not here is refused', async () => {
  const { service } = await setup()
  const artifact = 'e'.repeat(64)
  const answer = await service.ask('POST', `${PLACE}/releases`, { body: { source: { artifact } } })
  expect(answer).toMatchObject({ status: 404, body: { code: 'ARTIFACT_NOT_FOUND' } })
})

test('undeploy deletes the endpoints and keeps the releases', async () => {
  const { service, deploy } = await setup()
  await deploy({ greet: {}, shout: {} })
  expect(await service.post(`${PLACE}/undeploy`)).toEqual({ deleted: ['greet', 'shout'] })
  expect(await endpointIds(service)).toEqual([])
  expect(await service.get(PLACE)).toMatchObject({
    endpoints: [],
    releases: [{ number: 1, state: 'superseded', reason: 'it was undeployed' }],
  })
})

test('an app is deleted with all that belongs to it, and not while it is deployed', async () => {
  const { service, begin, deploy } = await setup()
  await deploy({ greet: {} })
  await begin({ greet: {} }, 'b')
  expect(await service.ask('DELETE', '/api/apps/shop')).toMatchObject({ status: 409, body: { code: 'DEPLOY_RUNNING' } })
  await service.post(`${PLACE}/releases/2/cancel`)
  expect(await service.ask('DELETE', '/api/apps/shop')).toMatchObject({ status: 200 })
  expect(await service.get('/api/apps')).toEqual({ apps: [] })
  expect(await endpointIds(service)).toEqual([])
  expect(await service.ask('GET', PLACE)).toMatchObject({ status: 404, body: { code: 'APP_NOT_FOUND' } })
})

test('a stored release may have more endpoints than a new one', async () => {
  const { service, deploy } = await setup()
  await deploy({ greet: {} })
  const { apps, write } = service.storage()
  const before = apps.environment('shop', 'production')
  const active = before && apps.releaseIn(before.id, 'active')
  if (active === undefined) throw new Error('nothing is active')
  const manifest = manifestOf({ greet: {} })
  const names = Array.from({ length: limit('manifestResources') + 1 }, (_, at) => `greet${at}`)
  const resources = Object.fromEntries(names.map((name) => [name, manifest.resources.greet]))
  await write(() => {
    apps.moveRelease(active.id, 'supersede', undefined, 0)
    const made = apps.createRelease({ ...active, manifest: JSON.stringify({ ...manifest, resources }) }, 0)
    if (made !== undefined) apps.moveRelease(made.id, 'activate', undefined, 1)
  })
  const body = { manifest, artifact: 'b'.repeat(64) }
  expect(await service.ask('POST', `${PLACE}/plan`, { body })).toMatchObject({ status: 200 })
  const refused = await service.ask('POST', `${PLACE}/plan`, {
    body: { ...body, manifest: { ...manifest, resources } },
  })
  expect(refused).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
})

async function freshFile(): Promise<string> {
  const { join } = await import('node:path')
  return join(appFolder(manifestOf({})), 'drydock.db')
}

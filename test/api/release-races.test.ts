import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ManifestResource } from '../../src-main/contract/manifest.ts'
import type { Storage } from '../../src-main/storage/storage.ts'
import { appFolder, manifestOf } from '../support/app-folder.ts'
import { PLACE, setupReleases } from '../support/release-service.ts'
import type { TestWorker } from '../support/worker-client.ts'

/** A service with an app, and what changes its variables. */
async function setup(options: Parameters<typeof setupReleases>[0] = {}) {
  const { service, ...more } = await setupReleases(options)
  await service.post('/api/apps/shop/environments', { name: 'production' })
  const set = async (variables: object) => {
    expect(await service.ask('PATCH', `${PLACE}/variables`, { body: { set: variables } })).toMatchObject({
      status: 200,
    })
  }
  const makeReady = async (resource: string, others: readonly TestWorker[] = []) => {
    const worker = await service.worker(resource, others)
    void worker.take().catch(() => undefined)
    return worker
  }
  return { service, set, makeReady, ...more }
}

test('variables that are set while a release is prepared are those of the next one, and it keeps its own', async () => {
  const { service, set, makeReady, begin, ended } = await setup()
  await set({ TOKEN: 'of release 1' })
  await begin({ greet: {} })
  await set({ TOKEN: 'of release 2' })
  const first = await makeReady('greet')
  expect(await ended(1)).toMatchObject({ release: { state: 'active' } })
  service.fleet().end(first.id, { code: 1 })
  await service.run({}, {}, 'greet')
  await service.clock.advance(60_000)
  const again = await service.worker('greet', [first])
  expect(again.spec.env).toMatchObject({ TOKEN: 'of release 1' })
  await service.post(`${PLACE}/releases`, { source: { active: true } })
  const next = await makeReady('greet', [first, again])
  expect(next.spec.env).toMatchObject({ TOKEN: 'of release 2' })
})

test('values that no endpoint has any more are gone when a release that had them has failed', async () => {
  const { service, set, begin } = await setup()
  await set({ TOKEN: 'one' })
  await begin({ greet: {} })
  await set({ TOKEN: 'two' })
  expect(service.storage().secrets.scopes('variables/')).toHaveLength(2)
  await service.post(`${PLACE}/releases/1/cancel`)
  expect(service.storage().secrets.scopes('variables/')).toHaveLength(1)
})

test('the output of the first worker of a new endpoint is masked, also in the reason why it failed', async () => {
  const { service, set, begin, ended } = await setup()
  await set({ TOKEN: 'hunter22' })
  await begin({ greet: {} })
  const worker = await service.worker('greet')
  service.fleet().print(worker.id, 'ValueError: bad token hunter22')
  service.fleet().end(worker.id, { code: 1 })
  expect(await ended(1)).toMatchObject({
    release: { state: 'failed', reason: 'endpoint greet: ValueError: bad token ***' },
  })
})

test('a worker of before that prints its first line after its values were replaced is masked', async () => {
  const { service, set, deploy, begin, makeReady, ended } = await setup()
  await set({ TOKEN: 'hunter22' })
  const { workers } = await deploy({ greet: {} })
  const old = workers.greet as TestWorker
  await service.run({ n: 1 }, {}, 'greet')
  await set({ TOKEN: 'hunter33' })
  await begin({ greet: {} })
  await makeReady('greet', [old])
  await ended(2)
  await set({ TOKEN: 'hunter44' })
  service.fleet().print(old.id, 'connects with hunter22')
  const { lines } = await service.clock.until(async () => {
    const page = await service.get('/api/endpoints/greet/logs')
    return page.lines.length > 0 ? page : undefined
  })
  expect(lines).toMatchObject([{ line: 'connects with ***' }])
})

test('a worker that ends after it was ready, while another endpoint still starts, fails the release', async () => {
  const { service, begin, makeReady, ended } = await setup()
  await begin({ greet: {}, shout: {} })
  const greet = await makeReady('greet')
  await service.clock.until(async () => (await service.get(`${PLACE}/releases/1`)).steps[0].state === 'ready')
  service.fleet().print(greet.id, 'MemoryError')
  service.fleet().end(greet.id, { code: 1 })
  await makeReady('shout')
  expect(await ended(1)).toMatchObject({ release: { state: 'failed', reason: 'endpoint greet: MemoryError' } })
  expect(service.fleet().list()).toEqual([])
})

test('a release fails when an endpoint that it leaves alone is deleted while it is prepared', async () => {
  const { service, begin, deploy, makeReady, ended } = await setup()
  await deploy({ greet: {} })
  await begin({ greet: {}, shout: {} })
  await service.ask('DELETE', '/api/endpoints/greet')
  await makeReady('shout')
  expect(await ended(2)).toMatchObject({
    release: { state: 'failed', reason: 'endpoint greet was changed or deleted in the meantime. Deploy again' },
  })
})

test('a deploy to an environment that is deleted in the same moment is refused, or it refuses the deletion', async () => {
  const { service, deploy } = await setup()
  await deploy({ greet: {} })
  await service.post(`${PLACE}/undeploy`)
  const [made, deleted] = await Promise.all([
    service.ask('POST', `${PLACE}/releases`, { body: { source: { release: 1 } } }),
    service.ask('DELETE', PLACE),
  ])
  expect([made?.body.code ?? 200, deleted?.body.code ?? 200]).toEqual(
    made?.status === 200 ? [200, 'DEPLOY_RUNNING'] : ['ENVIRONMENT_NOT_FOUND', 200],
  )
})

test('after a crash a worker of the release that was cut off takes no job', async () => {
  const { service, begin, deploy } = await setup({ file: join(appFolder(manifestOf({})), 'drydock.db') })
  const { workers } = await deploy({ greet: {}, shout: {} })
  const old = workers.greet as TestWorker
  await begin({ greet: {}, shout: {} }, 'b')
  const staged = await service.worker('greet', [old])
  void staged.take().catch(() => undefined)
  await service.clock.until(async () => (await service.get(`${PLACE}/releases/2`)).steps[0].state === 'ready')
  await service.restart('killed')
  const asked = staged.take().catch(() => undefined)
  const jobId = await service.run({}, {}, 'greet')
  expect((await old.take())?.id).toBe(jobId)
  await service.clock.until(
    () =>
      !service
        .fleet()
        .list()
        .some(({ workerId }) => workerId === staged.id),
  )
  expect(await asked).toBeUndefined()
})

test('a stop of the service waits for a deploy that has just come in', async () => {
  const { service } = await setup({ file: join(appFolder(manifestOf({})), 'drydock.db') })
  const source = { folder: appFolder(manifestOf({ greet: {} })) }
  const asked = service.ask('POST', `${PLACE}/releases`, { body: { source } })
  await service.restart('in order')
  const { status } = await asked
  const { releases } = await service.get(`${PLACE}/releases`)
  expect(releases.map(({ state }: { state: string }) => state)).toEqual(status === 200 ? ['failed'] : [])
})

test('the code of a worker that runs its last job stays unpacked', async () => {
  const swept: (readonly string[])[] = []
  const storage = (opened: Storage): Storage => ({
    ...opened,
    artifacts: { ...opened.artifacts, sweep: async ({ unpacked }) => void swept.push([...unpacked].toSorted()) },
  })
  const { service } = await setup({ storage })
  const upload = async (code: string) => {
    const folder = appFolder(manifestOf({ greet: {} }, code))
    execFileSync('tar', ['-czf', join(folder, 'a.tar.gz'), '-C', folder, 'svc_manifest.json'])
    const bytes = readFileSync(join(folder, 'a.tar.gz'))
    const artifact = createHash('sha256').update(bytes).digest('hex')
    const path = `/api/artifacts/${artifact}?offset=0&total=${bytes.length}`
    const headers = { 'content-type': 'application/octet-stream' }
    expect(await service.ask('PUT', path, { body: bytes, headers })).toMatchObject({ body: { state: 'complete' } })
    return artifact
  }
  const release = async (artifact: string, others: readonly TestWorker[]) => {
    await service.post(`${PLACE}/releases`, { source: { artifact } })
    const worker = await service.worker('greet', others)
    void worker.take().catch(() => undefined)
    await service.clock.until(async () => (await service.get(PLACE)).releases[0].state === 'active' || undefined)
    return worker
  }
  const [first, second] = [await upload('a'), await upload('b')]
  const old = await release(first, [])
  const jobId = await service.run({}, {}, 'greet')
  await service.clock.advance(1000)
  await release(second, [old])
  while (swept.length === 0) {
    await service.clock.advance(5000)
    await old.ping([jobId])
  }
  expect(swept[0]).toEqual([first, second].toSorted())
  await old.done(jobId, { output: 1 })
  await service.clock.until(() => service.fleet().list().length === 1)
  await service.clock.advance(3_600_000)
  expect(swept.at(-1)).toEqual([second])
})

test.each(['../../secret.py', '/etc/secret.py', 'a b.py', 'x.py; id', 'handler'])(
  'a manifest whose handler is %s is refused',
  async (handlerFile) => {
    const { service } = await setup()
    const folder = appFolder({ ...manifestOf({}), resources: { greet: { ...greetOf(), handlerFile } } })
    const answer = await service.ask('POST', `${PLACE}/releases`, { body: { source: { folder } } })
    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
    expect(answer.body.error).toContain('must be a file next to the manifest')
  },
)

const greetOf = () => manifestOf({ greet: {} }).resources.greet as ManifestResource

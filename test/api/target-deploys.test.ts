import { describe, expect, it } from 'vitest'
import { manifestOf } from '../support/app-folder.ts'
import { buildIdOf } from '../support/platform-tools.ts'
import { artifactOf, BOX, twoServices } from '../support/two-services.ts'

const ONE = manifestOf({ adder: { workersMax: 2 } })
const TWO = manifestOf({ adder: { workersMax: 2 }, counter: {} })
const RELEASES = '/api/apps/shop/environments/production/releases'

describe('a second deploy to a target', () => {
  it('shows what differs there, and the values of no variable', async () => {
    const { here, source, deploy } = await twoServices()
    const before = await deploy({ manifest: ONE })
    const build = buildIdOf(await artifactOf(ONE))
    expect((await here.post(`${BOX}/plan`, { source: await source({ manifest: ONE }) })).steps).toMatchObject([
      { resource: 'adder', action: 'unchanged', endpointId: 'adder' },
    ])
    const changed = manifestOf({ adder: { workersMax: 3, env: { COLOUR: 'secret-blue' } } }, 'b')
    const next = await source({ manifest: changed, code: 'b' })
    const plan = await here.post(`${BOX}/plan`, { source: next })
    expect(plan).toMatchObject({ makes: [], steps: [{ resource: 'adder', action: 'update', replacesWorkers: true }] })
    expect(plan.steps[0].changes).toEqual([
      { setting: 'code', from: build.slice(0, 12), to: next.artifact.slice(0, 12) },
      { setting: 'workersMax', from: 2, to: 3 },
      { setting: 'env.COLOUR', to: '(hidden)' },
    ])
    expect(before.deploy.endpoints).toHaveLength(1)
  })

  it('deletes what the app no longer has, where it may, and keeps it elsewhere', async () => {
    const { there, deploy } = await twoServices()
    const ids = async () => (await there.get('/api/endpoints')).endpoints.map(({ id }: { id: string }) => id)
    const first = await deploy({ manifest: TWO })
    const kept = await deploy({ manifest: ONE, code: 'b' }, first.workers)
    expect(kept.deploy).toMatchObject({
      state: 'active',
      steps: [{ resource: 'adder' }, { resource: 'counter', action: 'delete', note: 'kept' }],
    })
    expect(await ids()).toEqual(['adder', 'counter'])
    const others = [...first.workers, ...kept.workers]
    const last = await deploy({ manifest: ONE, code: 'c', more: { deletes: ['counter'] } }, others)
    expect(last.deploy).toMatchObject({ state: 'active', endpoints: [{ resource: 'adder' }] })
    expect(await ids()).toEqual(['adder'])
  })
})

describe('a rollback on a target', () => {
  it('is the build that the target has, with the settings of then, and nothing is uploaded', async () => {
    const { here, there, deploy, over, tools } = await twoServices()
    const first = await deploy({ manifest: ONE })
    const second = await deploy({ manifest: manifestOf({ adder: { workersMax: 5 } }, 'b'), code: 'b' }, first.workers)
    expect((await here.get(`${BOX}/deploys`)).deploys).toMatchObject([{ number: 2 }, { number: 1 }])
    const begun = await here.post(`${BOX}/deploys`, { source: { deploy: 1 } })
    await tools.readyWorker('adder', [...first.workers, ...second.workers])
    expect(await over(begun.id)).toMatchObject({ state: 'active', number: 3, totalBytes: 0, sentBytes: 0 })
    const { deploys } = await here.get(`${BOX}/deploys`)
    expect(deploys[0]).toMatchObject({ number: 3, rollbackOf: 1, build: deploys[2].build })
    expect(there.storage().endpoints.get('adder')?.config).toMatchObject({ workersMax: 2 })
    const none = await here.ask('POST', `${BOX}/deploys`, { body: { source: { deploy: 9 } } })
    expect(none).toMatchObject({ status: 404, body: { code: 'TARGET_DEPLOY_NOT_FOUND' } })
  })
})

describe('a deploy to a target that fails', () => {
  it('says the reason of the target, and what served there before still serves', async () => {
    const { here, there, deploy, begin, over } = await twoServices()
    const { workers } = await deploy({ manifest: ONE })
    const { id } = await begin({ manifest: ONE, code: 'b' })
    const broken = await there.worker('adder', workers)
    there.fleet().end(broken.id, { code: 1 })
    const ended = over(id)
    await there.clock.until(async () => {
      for (const { workerId } of there.fleet().list())
        if (workerId !== workers[0]?.id) there.fleet().end(workerId, { code: 1 })
      return (await there.get(`${RELEASES}/2`)).release.state === 'failed'
    }, 600_000)
    const { state, reason } = await ended
    expect(state).toBe('failed')
    expect(reason).toMatch(/Release 2 of shop failed, and what served before still serves: /)
    expect((await here.get(`${BOX}/deploys`)).deploys).toMatchObject([{ number: 1 }])
    expect((await there.get('/api/apps/shop/environments/production')).active).toMatchObject({ number: 1 })
  })

  it('before anything is activated leaves no app there', async () => {
    const { here, there, begin, over, source } = await twoServices()
    const { manifest } = await source({ manifest: ONE })
    const bytes = Buffer.from('no gzip at all')
    const artifacts = here.storage().artifacts as { find: unknown; status: unknown }
    const file = await here.storage().artifacts.newFile()
    const { writeFile } = await import('node:fs/promises')
    await writeFile(file, bytes)
    artifacts.find = async () => file
    artifacts.status = async () => ({ state: 'complete', received: bytes.length, total: bytes.length })
    const { id } = await begin({ manifest })
    const { state, reason, log } = await over(id)
    expect({ state, reason }).toEqual({
      state: 'failed',
      reason: expect.stringMatching(/the upload failed: HTTP 422.* Nothing was activated there\.$/),
    })
    expect(log).not.toEqual([])
    expect(await there.get('/api/apps')).toEqual({ apps: [] })
  })

  it('because it was cancelled sends nothing further', async () => {
    const { here, there, begin } = await twoServices()
    const { id } = await begin({ manifest: ONE })
    await there.worker('adder')
    const cancelled = await here.post(`/api/target-deploys/${id}/cancel`)
    expect(cancelled).toMatchObject({ state: 'failed', phase: 'activate' })
    expect(cancelled.reason).toMatch(/^it was cancelled/i)
    expect(await here.ask('POST', `/api/target-deploys/nope/cancel`)).toMatchObject({ status: 404 })
  })
})

describe('the account key of a target', () => {
  const CALLS = manifestOf({ adder: { makesRemoteCalls: true } })
  const ownKey = (key: string) => manifestOf({ adder: { env: { UPSTREAM: `Bearer ${key}` } } })

  it('goes into no worker without a word of the user', async () => {
    const { here, there, deploy, source } = await twoServices()
    for (const manifest of [ownKey(there.accountKey()), manifestOf({ adder: { env: { RUNPOD_API_KEY: 'x' } } })]) {
      const body = { source: await source({ manifest }) }
      for (const path of [`${BOX}/plan`, `${BOX}/deploys`])
        expect(await here.ask('POST', path, { body })).toMatchObject({ status: 422, body: { code: 'KEY_IN_APP' } })
    }
    const { workers } = await deploy({ manifest: CALLS })
    expect(JSON.stringify(there.storage().endpoints.get('adder')?.config)).not.toContain(there.accountKey())
    expect(Object.values(workers[0]?.spec.env ?? {})).not.toContain(there.accountKey())
  })

  it('is sent along with one', async () => {
    const { there, deploy } = await twoServices()
    await deploy({ manifest: ownKey(there.accountKey()), more: { withKey: true } })
    expect(there.storage().endpoints.get('adder')?.config.env).toMatchObject({
      UPSTREAM: `Bearer ${there.accountKey()}`,
    })
  })

  it('is in no answer and no log of the service that has it', async () => {
    const { here, there, deploy } = await twoServices()
    const { deploy: made } = await deploy({ manifest: CALLS, more: { withKey: true } })
    const seen = [made, here.log, await here.get(`${BOX}/deploys`), here.storage().targetDeploys.list(made)]
    expect(JSON.stringify(seen)).not.toContain(there.accountKey())
  })
})

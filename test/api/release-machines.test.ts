/** On which machine the workers of an app run: its environment says it, an endpoint may have its own. */
import { describe, expect, it } from 'vitest'
import { appFolder, manifestOf } from '../support/app-folder.ts'
import { settle } from '../support/fake-clock.ts'
import { PLACE, setupReleases } from '../support/release-service.ts'

async function setup() {
  const parts = await setupReleases()
  const { service } = parts
  for (const name of ['box', 'other'])
    await service.post('/api/machines', { name, way: { kind: 'ssh', to: `ada@${name}` } })
  await settle()
  const machineOf = async (id: string) => (await service.get(`/api/endpoints/${id}`)).container?.machine
  const plan = (more: object = {}, resources: Parameters<typeof manifestOf>[0] = { greet: {} }) =>
    service.ask('POST', `${PLACE}/plan`, {
      body: { manifest: manifestOf(resources), artifact: 'a'.repeat(64), ...more },
    })
  /** A deploy without a change of code, whose new workers become ready. */
  async function deploy(more: object = {}) {
    const { workers } = await service.get('/api/workers')
    const { release, steps } = await parts.begin({ greet: {} }, 'a', more)
    if (steps.some(({ state }: { state: string }) => state === 'starting')) {
      const worker = await service.worker('greet', workers)
      void worker.take().catch(() => undefined)
    }
    return parts.ended(release.number)
  }
  return { ...parts, machineOf, plan, deploy }
}

describe('an environment', () => {
  it('says where its workers run: in the plan, in its views, and for each later release', async () => {
    const { service, plan, deploy, machineOf } = await setup()
    expect((await plan({ machine: 'box' })).body).toMatchObject({ machine: 'box', runsOn: 'containers', warnings: [] })
    await deploy({ machine: 'box' })
    expect(await machineOf('greet')).toBe('box')
    expect((await service.get('/api/workers')).workers).toMatchObject([{ machine: 'box' }])
    expect(await service.get(PLACE)).toMatchObject({ machine: 'box' })
    expect((await service.get('/api/apps/shop')).environments).toMatchObject([{ machine: 'box' }])
    expect((await deploy()).steps).toMatchObject([{ action: 'unchanged' }])
    expect((await plan()).body).toMatchObject({ machine: 'box' })
  })

  it('moves its workers with the next release, and says from where to where', async () => {
    const { service, plan, deploy, machineOf } = await setup()
    await deploy({ machine: 'box' })
    const body = { machine: 'other' }
    expect(await service.ask('PATCH', PLACE, { body })).toMatchObject({ status: 200, body: { machine: 'other' } })
    expect(await machineOf('greet')).toBe('box')
    const [step] = (await plan()).body.steps
    expect(step).toMatchObject({ action: 'update', replacesWorkers: true })
    expect(step.changes).toContainEqual({ setting: 'container.machine', from: 'box', to: 'other' })
    await deploy()
    expect(await machineOf('greet')).toBe('other')
    await deploy({ machine: 'this machine' })
    expect(await machineOf('greet')).toBeUndefined()
    expect((await service.get(PLACE)).machine).toBeUndefined()
  })

  it('is made with a machine', async () => {
    const { service } = await setup()
    await service.post('/api/apps/shop/environments', { name: 'staging', machine: 'any' })
    expect(await service.get('/api/apps/shop/environments/staging')).toMatchObject({ machine: 'any' })
  })

  it('refuses processes on another machine, with the reason, and changes nothing', async () => {
    const { service, plan } = await setup()
    const answer = await plan({ machine: 'box', runsOn: 'processes' })
    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
    expect(answer.body.error).toContain('processes run on the machine of the service only')
    const source = { folder: appFolder(manifestOf({ greet: {} })) }
    const body = { source, machine: 'box', runsOn: 'processes' }
    expect(await service.ask('POST', `${PLACE}/releases`, { body })).toMatchObject({ status: 400 })
    expect((await service.get(PLACE)).machine).toBeUndefined()
  })

  it('warns of a machine that was not added, or is not reached', async () => {
    const { service, plan } = await setup()
    expect((await plan({ machine: 'gone' })).body.warnings).toEqual([
      'Workers cannot start on gone as things are: there is no machine gone. Add it, or choose another one.',
    ])
    service.remoteMachines.at('box').lose('No route to host')
    expect((await plan({ machine: 'box' }, { greet: { gpuIds: 'ANY' } })).body.warnings).toEqual([
      'Workers cannot start on box as things are: box: it cannot be reached: No route to host.',
    ])
  })
})

describe('an endpoint that a person moved', () => {
  it('stays where it is, until it is set to what its environment says', async () => {
    const { service, deploy, machineOf } = await setup()
    await deploy({ machine: 'box' })
    const move = (machine: string) => service.ask('PATCH', '/api/endpoints/greet', { body: { container: { machine } } })
    await move('other')
    expect((await deploy()).steps).toMatchObject([{ action: 'unchanged' }])
    const again = await deploy({ machine: 'any' })
    expect(again.steps).toMatchObject([{ action: 'update', replacesWorkers: false }])
    expect(again.steps[0].changes).toEqual([{ setting: 'machine of the environment', from: 'box', to: 'any' }])
    expect(await machineOf('greet')).toBe('other')
    await move('any')
    await deploy({ machine: 'box' })
    expect(await machineOf('greet')).toBe('box')
  })
})

/** Worker images on another service, through the management API of the platform. */
import { expect, it } from 'vitest'
import { workflowLock } from '../../src-main/contract/worker-images.ts'
import { twoServices } from '../support/two-services.ts'

const PLACE = '/api/targets/box/apps/cat/environments/production'
const MODEL = { folder: 'checkpoints', name: 'cat.safetensors', sizeBytes: 12 * 2 ** 30, delivery: 'mounted' }

const lockOf = (version: string, more: object = {}) =>
  workflowLock.parse({
    schema: 'drydock-workflow-lock/1',
    comfyui: { repository: 'https://example.com/comfyui', commit: 'a'.repeat(40) },
    base: { image: 'python:3.11-slim', python: '3.11' },
    nodes: [{ name: 'kit', source: { registry: 'kit', version } }],
    environment: { COLOUR: 'blue' },
    ...more,
  })

async function setup() {
  const services = await twoServices()
  const { here, over } = services
  await here.post('/api/registries', { name: 'work', server: 'ghcr.io', username: 'ada', password: 'secret-word' })
  const plan = (image: string, lock: object) =>
    here.post('/api/apps/cat/environments/production/image-plan', {
      ...{ image, lock, target: 'box', registryAuth: 'work', settings: { workersMax: 2 } },
    })
  async function deploy(image: string, lock: object) {
    const { manifest } = await plan(image, lock)
    const begun = await here.post(`${PLACE}/deploys`, { source: { image: manifest } })
    return await over(begun.id)
  }
  return { ...services, plan, deploy }
}

it('makes credentials, a volume for mounted models, a template and an endpoint, and says what to put where', async () => {
  const { there, plan, deploy } = await setup()
  const lock = lockOf('1.0.0', { models: [MODEL] })
  const { plan: shown } = await plan('ghcr.io/ada/cat:1', lock)
  expect(shown).toMatchObject({
    mounts: [{ path: 'checkpoints/cat.safetensors', from: 'network volume cat-models' }],
    limits: [{ name: 'network volume', value: '14 GB', isOver: false }],
    warnings: [
      expect.stringContaining('was not pushed from this machine'),
      expect.stringContaining('checkpoints/cat.safetensors'),
    ],
  })
  expect(await deploy('ghcr.io/ada/cat:1', lock)).toMatchObject({
    state: 'active',
    number: 1,
    log: [expect.stringContaining('cat-models with 14 GB')],
    steps: [{ resource: 'cat-worker', action: 'create', state: 'done' }],
    endpoints: [{ resource: 'cat-worker', id: 'cat-production', state: 'no worker' }],
  })
  const { networkVolumes } = await there.get('/v2/network-volumes')
  expect(networkVolumes).toMatchObject([{ name: 'cat-models', size: 14 }])
  const { templates } = await there.get('/v2/templates')
  expect(templates).toMatchObject([
    { name: 'cat-production', image: 'ghcr.io/ada/cat:1', registry: 'work', env: { COLOUR: 'blue' }, serverless: true },
  ])
  expect(await there.get('/v2/serverless/cat-production')).toMatchObject({
    type: 'QUEUE',
    image: 'ghcr.io/ada/cat:1',
    templateId: templates[0].id,
    networkVolumes: [networkVolumes[0].id],
    registry: 'work',
    workers: { max: 2 },
  })
})

it('shows what changes there, changes endpoint and template together, and goes back to the earlier image', async () => {
  const { here, there, plan, deploy, over } = await setup()
  await deploy('ghcr.io/ada/cat:1', lockOf('1.0.0'))
  const next = await plan('ghcr.io/ada/cat:2', lockOf('1.1.0'))
  expect(next.plan.changes).toMatchObject([{ part: 'nodes', from: 'version 1.0.0' }, { part: 'image' }])
  const { steps } = await here.post(`${PLACE}/plan`, { source: { image: next.manifest } })
  expect(steps).toMatchObject([{ resource: 'cat-worker', action: 'update', replacesWorkers: true }])
  expect(await deploy('ghcr.io/ada/cat:2', lockOf('1.1.0'))).toMatchObject({ state: 'active', number: 2 })
  const imageThere = async () => (await there.get('/v2/serverless/cat-production')).image
  expect(await imageThere()).toBe('ghcr.io/ada/cat:2')
  const again = await here.post(`${PLACE}/plan`, { source: { image: next.manifest } })
  expect(again.steps).toMatchObject([{ action: 'unchanged' }])

  const back = await over((await here.post(`${PLACE}/deploys`, { source: { deploy: 1 } })).id)
  expect(back).toMatchObject({ state: 'active', number: 3 })
  expect(await imageThere()).toBe('ghcr.io/ada/cat:1')
  expect((await there.get('/v2/templates')).templates).toMatchObject([{ image: 'ghcr.io/ada/cat:1' }])
  expect((await here.get(`${PLACE}/deploys`)).deploys).toMatchObject([{ rollbackOf: 1 }, {}, {}])
})

it('is deleted with its template, and its volume stays', async () => {
  const { here, there, deploy } = await setup()
  await deploy('ghcr.io/ada/cat:1', lockOf('1.0.0', { models: [MODEL] }))
  expect(await here.post(`${PLACE}/undeploy`)).toMatchObject({ deleted: ['cat-production'] })
  expect((await there.get('/v2/serverless')).endpoints).toEqual([])
  expect((await there.get('/v2/templates')).templates).toEqual([])
  expect((await there.get('/v2/network-volumes')).networkVolumes).toHaveLength(1)
  expect((await here.get(`${PLACE}/deploys`)).deploys).toEqual([])
})

it('fails with the reason of the target, and what is there stays', async () => {
  const { here, there, deploy } = await setup()
  await deploy('ghcr.io/ada/cat:1', lockOf('1.0.0'))
  await here.ask('DELETE', '/api/registries/work')
  expect(await deploy('ghcr.io/ada/cat:2', lockOf('1.1.0'))).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('There are no registry credentials work'),
  })
  expect((await there.get('/v2/serverless/cat-production')).image).toBe('ghcr.io/ada/cat:1')
})

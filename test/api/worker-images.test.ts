/** Releases of worker images: an image and the graph that it runs, planned, deployed and rolled back as one. */
import { describe, expect, it } from 'vitest'
import { workflowLock } from '../../src-main/contract/worker-images.ts'
import { setup, type TestService } from '../support/core.ts'
import { settle } from '../support/fake-clock.ts'
import type { TestWorker } from '../support/worker-client.ts'

const PLACE = '/api/apps/cat/environments/production'

const lockOf = (more: object = {}) =>
  workflowLock.parse({
    schema: 'drydock-workflow-lock/1',
    comfyui: { repository: 'https://example.com/comfyui', commit: 'a'.repeat(40) },
    base: { image: 'python:3.11-slim', python: '3.11' },
    nodes: [{ name: 'kit', source: { registry: 'kit', version: '1.0.0' } }],
    ...more,
  })

const graphOf = (text: string) => ({
  payload: JSON.stringify({
    1: { class_type: 'Text', inputs: { text } },
    2: { class_type: 'SaveImage', inputs: { images: ['1', 0] } },
  }),
  parameters: [{ name: 'prompt', node: '1', input: 'text', type: 'string', default: JSON.stringify(text) }],
  results: [],
})

const NEXT = lockOf({ nodes: [{ name: 'kit', source: { registry: 'kit', version: '1.1.0' } }] })

async function plan(service: TestService, image: string, text: string, lock = lockOf()) {
  return await service.post(`${PLACE}/image-plan`, { image, lock, graph: graphOf(text) })
}

async function begin(service: TestService, source: object) {
  return await service.post(`${PLACE}/releases`, { source })
}

const ended = (service: TestService, number: number) =>
  service.clock.until(async () => {
    const progress = await service.get(`${PLACE}/releases/${number}`)
    return progress.release.state === 'preparing' ? undefined : progress
  })

async function deploy(
  service: TestService,
  image: string,
  text: string,
  others: readonly TestWorker[] = [],
  lock = lockOf(),
) {
  const { manifest } = await plan(service, image, text, lock)
  const { release } = await begin(service, { image: manifest })
  const worker = await service.worker('cat-worker', others)
  const asked = worker.take()
  return { progress: await ended(service, release.number), worker, asked, manifest }
}

describe('a release of a worker image', () => {
  it('makes an endpoint for the image and one that publishes its graph, and a job runs the graph', async () => {
    const service = await setup()
    const { progress, asked, worker } = await deploy(service, 'ghcr.io/ada/cat:1', 'a cat')
    expect(progress).toMatchObject({
      release: { state: 'active', number: 1 },
      steps: [
        { resource: 'cat-worker', action: 'create', state: 'done' },
        { resource: 'cat', action: 'create', state: 'done' },
      ],
    })
    expect(await service.get('/api/endpoints/cat-worker')).toMatchObject({
      container: { image: 'ghcr.io/ada/cat:1' },
      workflows: { modelFolders: true },
    })
    expect(await service.get('/api/published-graphs/cat')).toMatchObject({ behind: 'cat-worker', version: 1 })
    const document = await service.get('/v2/cat/openapi')
    expect(document).toEqual(await service.get('/api/published-graphs/cat/openapi.json'))
    expect(JSON.stringify(document)).toContain('"default":"a cat"')
    expect((await service.get('/v2/cat-worker/openapi')).info.description).toBe('The endpoint cat-worker.')
    const id = await service.run({ prompt: 'a dog' }, {}, 'cat')
    expect(JSON.stringify(await asked)).toContain('a dog')
    await worker.done(id, { output: 'drawn' })
    expect(await service.waitForJob(id, 'COMPLETED', 'cat')).toMatchObject({ output: 'drawn' })
  })

  it('plans what differs from the deployed lock, and changes nothing by that', async () => {
    const service = await setup()
    expect((await plan(service, 'ghcr.io/ada/cat:1', 'a cat')).plan).toMatchObject({ changes: [] })
    await deploy(service, 'ghcr.io/ada/cat:1', 'a cat')
    const { plan: shown, manifest } = await plan(service, 'ghcr.io/ada/cat:2', 'a cat', NEXT)
    expect(shown).toMatchObject({
      from: 1,
      changes: [
        { part: 'nodes', name: 'kit', from: 'version 1.0.0', to: 'version 1.1.0' },
        { part: 'image', from: 'ghcr.io/ada/cat:1', to: 'ghcr.io/ada/cat:2' },
      ],
    })
    expect(shown.coldStart.startMs).toBeGreaterThanOrEqual(0)
    const { steps } = await service.post(`${PLACE}/plan`, { manifest })
    expect(steps).toMatchObject([
      { resource: 'cat-worker', action: 'update', replacesWorkers: true },
      { resource: 'cat', action: 'unchanged' },
    ])
    expect((await service.get(`${PLACE}/releases`)).releases).toHaveLength(1)
  })

  it('with another graph alone publishes its next version and keeps the workers', async () => {
    const service = await setup()
    await deploy(service, 'ghcr.io/ada/cat:1', 'a cat')
    const { manifest } = await plan(service, 'ghcr.io/ada/cat:1', 'a dog')
    const { release } = await begin(service, { image: manifest })
    expect(await ended(service, release.number)).toMatchObject({
      release: { state: 'active' },
      steps: [
        { resource: 'cat-worker', action: 'unchanged' },
        { resource: 'cat', action: 'update' },
      ],
    })
    expect(await service.get('/api/published-graphs/cat')).toMatchObject({ version: 2, versions: [2, 1] })
    expect(service.fleet().started).toHaveLength(1)
  })

  it('serves from the old image until the new one is ready, and a rollback brings back image and graph', async () => {
    const service = await setup()
    const first = await deploy(service, 'ghcr.io/ada/cat:1', 'a cat')
    const { manifest } = await plan(service, 'ghcr.io/ada/cat:2', 'a dog', NEXT)
    await begin(service, { image: manifest })
    const next = await service.worker('cat-worker', [first.worker])
    const during = await service.run({}, {}, 'cat')
    expect(JSON.stringify(await first.asked)).toContain('a cat')
    expect(await service.get('/api/published-graphs/cat')).toMatchObject({ version: 1 })
    void next.take()
    await ended(service, 2)
    expect(await service.get('/api/published-graphs/cat')).toMatchObject({ version: 2 })
    await first.worker.done(during, { output: 'by the old one' })
    expect(await service.waitForJob(during, 'COMPLETED', 'cat')).toMatchObject({ output: 'by the old one' })

    const back = await begin(service, { release: 1 })
    void (await service.worker('cat-worker', [first.worker, next])).take()
    expect(await ended(service, back.release.number)).toMatchObject({
      release: { number: 3, state: 'active', kind: 'rollback', rollbackOf: 1 },
    })
    expect(await service.get('/api/published-graphs/cat')).toMatchObject({ version: 1, versions: [2, 1] })
    expect(await service.get('/api/endpoints/cat-worker')).toMatchObject({ container: { image: 'ghcr.io/ada/cat:1' } })
  })

  it('that does not become ready leaves image and graph as they were', async () => {
    const service = await setup()
    const first = await deploy(service, 'ghcr.io/ada/cat:1', 'a cat')
    const { manifest } = await plan(service, 'ghcr.io/ada/cat:2', 'a dog')
    await begin(service, { image: manifest })
    const broken = await service.worker('cat-worker', [first.worker])
    service.fleet().end(broken.id, { code: 1 })
    expect(await ended(service, 2)).toMatchObject({ release: { state: 'failed' } })
    expect(await service.get('/api/published-graphs/cat')).toMatchObject({ version: 1, versions: [1] })
  })

  it('is refused elsewhere if its lock is for workers on this machine only', async () => {
    const service = await setup()
    const body = { image: 'ghcr.io/ada/cat:1', lock: lockOf({ worker: 'local' }), graph: graphOf('a cat') }
    const { status, body: refusal } = await service.ask('POST', `${PLACE}/image-plan`, {
      body: { ...body, machine: 'box' },
    })
    expect({ status, refusal }).toMatchObject({
      status: 400,
      refusal: {
        error: expect.stringMatching(/^lock\.worker: the image has no SDK for workers on box\. Remove the line/),
      },
    })
    expect((await service.ask('POST', `${PLACE}/image-plan`, { body })).status).toBe(200)
  })

  it('runs on the machine that the deploy names, whose image comes from a registry', async () => {
    const service = await setup()
    await service.post('/api/machines', { name: 'box', way: { kind: 'ssh', to: 'ada@box' } })
    await settle()
    const body = { image: 'ghcr.io/ada/cat:1', lock: lockOf(), graph: graphOf('a cat'), machine: 'box' }
    const { plan: shown, manifest } = await service.post(`${PLACE}/image-plan`, body)
    expect(shown.warnings).toEqual([expect.stringContaining('so box gets whatever its registry has')])
    const { release } = await service.post(`${PLACE}/releases`, { source: { image: manifest }, machine: 'box' })
    void (await service.worker('cat-worker')).take()
    expect(await ended(service, release.number)).toMatchObject({ release: { state: 'active' } })
    expect((await service.get('/api/workers')).workers).toMatchObject([{ machine: 'box' }])
    expect(await service.get('/api/published-graphs/cat')).toMatchObject({ behind: 'cat-worker' })
  })

  it('is refused with a graph that cannot be published', async () => {
    const service = await setup()
    const graph = { ...graphOf('a cat'), payload: '[]' }
    const answer = await service.ask('POST', `${PLACE}/image-plan`, {
      body: { image: 'ghcr.io/ada/cat:1', lock: lockOf(), graph },
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 'NOT_A_WORKFLOW' } })
  })
})

import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'fast-png'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readPngTexts } from '../../src-main/features/workflows/rules/metadata/png.ts'
import { fileTools } from '../../src-main/shipped-files/resources.ts'
import { setup, type TestService } from '../support/core.ts'
import { DOCUMENT, ended, finish, PAYLOAD, SEED, start, withEndpoint } from '../support/graph-runs.ts'
import { until } from '../support/served-service.ts'

const picture = (grey: number) =>
  Buffer.from(encode({ width: 4, height: 3, channels: 1, depth: 8, data: new Uint8Array(12).fill(grey) }))

async function bytesOf(service: TestService, asset: string): Promise<Buffer> {
  return Buffer.from(await (await service.request('GET', `/api/assets/${asset}`)).arrayBuffer())
}

const put = (service: TestService, bytes: Buffer, name: string) =>
  service.ask('PUT', `/api/assets/${createHash('sha256').update(bytes).digest('hex')}?name=${name}`, {
    body: bytes,
    headers: { 'content-type': 'application/octet-stream' },
  })

describe('a run', () => {
  it('is a job whose worker gets every number as it was sent', async () => {
    const service = await withEndpoint()
    const run = await start(service)
    expect(run).toEqual({
      id: expect.any(String),
      endpointId: 'e',
      title: 'Mine',
      status: 'IN_QUEUE',
      createdAt: expect.any(Number),
      results: [],
      errors: [],
    })
    const job = service.storage().jobs.find(run.id)
    const input = job && (await service.storage().jobs.readInput(job))?.input
    expect(String(input)).toBe(`{"workflow":{"3":{"class_type":"KSampler","inputs":{"seed":${SEED},"cfg":8.0}}}}`)
    const worker = await service.worker()
    await worker.take()
    expect(await service.get(`/api/workflow-runs/${run.id}`)).toMatchObject({
      status: 'IN_PROGRESS',
      document: DOCUMENT,
    })
  })

  it('keeps its pictures with the graph in them, and the exact seed', async () => {
    const service = await withEndpoint()
    const { id } = await start(service, { label: 'seed 3', sweepId: 's1' })
    const data = picture(1).toString('base64')
    await finish(service, id, { output: { images: [{ filename: 'a.png', type: 'base64', data, node: '9' }] } })
    const run = await ended(service, id)
    expect(run).toMatchObject({
      status: 'COMPLETED',
      label: 'seed 3',
      sweepId: 's1',
      executionMs: expect.any(Number),
      results: [
        { asset: expect.any(String), filename: 'a.png', mediaType: 'image/png', node: '9', width: 4, height: 3 },
      ],
      errors: [],
    })
    const texts = readPngTexts(await bytesOf(service, run.results[0].asset), fileTools)
    expect(texts).toEqual([
      { keyword: 'prompt', text: `{"3":{"class_type":"KSampler","inputs":{"seed":${SEED},"cfg":8.0}}}` },
      { keyword: 'workflow', text: DOCUMENT },
    ])
  })

  it.each([
    [
      'a data URI with the word jpg before a PNG',
      { message: `data:image/jpg;base64,${picture(2).toString('base64')}`, status: 'success' },
    ],
    ['bare base64', { message: picture(2).toString('base64'), status: 'success' }],
    ['a text alone', `data:image/png;base64,${picture(2).toString('base64')}`],
  ])('takes the older form: %s', async (_what, output) => {
    const service = await withEndpoint()
    const { id } = await start(service)
    await finish(service, id, { output })
    expect((await ended(service, id)).results).toMatchObject([{ filename: 'result_1.png', mediaType: 'image/png' }])
  })

  it('takes films, sounds and texts by what they are', async () => {
    const service = await withEndpoint()
    const { id } = await start(service)
    const film = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0').toString('base64')
    await finish(service, id, {
      output: {
        images: [
          { filename: 'x.png', type: 'base64', data: film },
          { filename: 'y.flac', type: 'base64', data: Buffer.from('fLaC....').toString('base64') },
          { filename: 'z.txt', type: 'text', data: 'words' },
        ],
      },
    })
    const { results } = await ended(service, id)
    expect(results.map(({ mediaType }: { mediaType: string }) => mediaType)).toEqual([
      'video/mp4',
      'audio/flac',
      'text/plain',
    ])
  })

  it('tells what it could not keep, and keeps the rest', async () => {
    const service = await withEndpoint()
    const { id } = await start(service)
    await finish(service, id, {
      output: {
        images: [
          { filename: 'a.png', type: 'base64', data: 'not base64!' },
          { filename: 'b.png', type: 's3_url', data: 'https://bucket.example/b.png' },
          { filename: 'c.png', type: 'base64', data: picture(3).toString('base64') },
          { filename: 'd.png', type: 'base64', data: 'data:image/png;base64,aGVsbG8=' },
        ],
        errors: ['node 7 gave nothing'],
      },
    })
    const run = await ended(service, id)
    expect(run.results).toMatchObject([{ filename: 'c.png' }, { filename: 'd.png', mediaType: 'text/plain' }])
    expect(run.errors).toEqual([
      'node 7 gave nothing',
      'a.png cannot be read: its data is not base64, or is incomplete.',
      'b.png is not stored here: its worker left it at https://bucket.example/b.png',
      'd.png is not a picture, video or sound: its worker sent text/plain.',
    ])
  })

  it('tells of a worker that says too much as much as a list can hold', async () => {
    const service = await withEndpoint()
    const { id } = await start(service)
    await finish(service, id, {
      output: {
        images: [
          {
            filename: 'x'.repeat(100_000),
            node: 'y'.repeat(100_000),
            type: 'base64',
            data: picture(3).toString('base64'),
          },
        ],
        errors: ['a'.repeat(1_000_000), ...Array.from({ length: 100 }, () => 'b')],
      },
    })
    const run = await ended(service, id)
    expect(run.errors).toHaveLength(51)
    expect(run.errors.at(-1)).toBe('51 more errors are in the output of the job.')
    expect(JSON.stringify(run).length).toBeLessThan(10_000)
  })

  it('whose graph is larger than any picture should be keeps it next to its pictures', async () => {
    const service = await withEndpoint()
    const note = `{"nodes": [], "links": [], "extra": "${'x'.repeat(4 * 1024 * 1024)}"}`
    const { id } = await start(service, { document: note })
    await finish(service, id, {
      output: { images: [{ filename: 'a.png', type: 'base64', data: picture(9).toString('base64') }] },
    })
    const { results, document } = await ended(service, id)
    expect(document).toBe(note)
    expect((await bytesOf(service, results[0].asset)).length).toBe(picture(9).length)
  })

  it('that failed says why, and one that was cancelled has ended', async () => {
    const service = await withEndpoint()
    const failed = await start(service)
    await finish(service, failed.id, { error: 'Node 3: no memory' })
    expect(await ended(service, failed.id)).toMatchObject({ status: 'FAILED', errors: ['Node 3: no memory'] })
    const { id } = await start(service)
    await service.post(`/v2/e/cancel/${id}`)
    expect(await ended(service, id)).toMatchObject({ status: 'CANCELLED', results: [] })
  })

  it('whose job is tried again is open again, and has the results of the new try', async () => {
    const service = await withEndpoint()
    const { id } = await start(service)
    await finish(service, id, { error: 'no memory' })
    await ended(service, id)
    await service.post(`/v2/e/retry/${id}`)
    await service.clock.until(async () => (await service.get(`/api/workflow-runs/${id}`)).endedAt === undefined)
    await finish(service, id, { output: { images: [{ filename: 'a.png', data: picture(1).toString('base64') }] } })
    expect(await ended(service, id)).toMatchObject({
      status: 'COMPLETED',
      errors: [],
      results: [{ filename: 'a.png' }],
    })
  })

  it('outlives the record of its job, and is reported as an event', async () => {
    const service = await withEndpoint()
    await service.ask('PATCH', '/api/settings', { body: { jobHistoryDays: 0 } })
    const { id } = await start(service)
    await finish(service, id, { output: {} })
    await ended(service, id)
    await service.clock.leap(40 * 60_000)
    await service.clock.until(() => service.storage().jobs.find(id) === undefined)
    expect(await service.get('/api/workflow-runs')).toMatchObject({ runs: [{ id, status: 'COMPLETED' }], more: false })
    const told = service
      .storage()
      .events.after(0, 500)
      .filter(({ type }) => type === 'run')
    expect(told).toMatchObject([
      { type: 'run', runId: id, endpointId: 'e', event: 'created' },
      { type: 'run', runId: id, endpointId: 'e', event: 'results' },
    ])
  })

  it('is tried again when its results could not be written', async () => {
    const service = await withEndpoint()
    const { id } = await start(service)
    const { runs } = service.storage() as { runs: { end: (...given: unknown[]) => unknown } }
    const { end } = runs
    runs.end = () => {
      throw new Error('the disk is full')
    }
    await finish(service, id, { output: { images: [{ filename: 'a.png', data: picture(1).toString('base64') }] } })
    await service.clock.until(() => service.log.some(({ message }) => message === 'results of a run not stored'))
    runs.end = end
    await service.clock.leap(61_000)
    expect(await ended(service, id)).toMatchObject({ status: 'COMPLETED', results: [{ filename: 'a.png' }] })
  })

  it('whose job ended when the service was killed has its results after the next start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-runs-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const service = await withEndpoint({ file: join(folder, 'drydock.db') })
    const { id } = await start(service)
    const worker = await service.worker()
    await worker.take()
    // The disk gives up between the end of the job and its results.
    const { storage } = service.service()
    const files = storage.assetFiles as { store: typeof storage.assetFiles.store }
    files.store = () => new Promise(() => undefined)
    await worker.done(id, { output: { images: [{ filename: 'a.png', data: picture(1).toString('base64') }] } })
    expect(await service.get(`/api/workflow-runs/${id}`)).toMatchObject({ status: 'IN_PROGRESS', results: [] })
    await service.restart('killed')
    await until(async () =>
      expect(await service.get(`/api/workflow-runs/${id}`)).toMatchObject({
        status: 'COMPLETED',
        results: [{ filename: 'a.png' }],
      }),
    )
  })
})

describe('the pictures that a graph loads', () => {
  const loads = (...names: readonly string[]) =>
    JSON.stringify(Object.fromEntries(names.map((image, at) => [at, { class_type: 'LoadImage', inputs: { image } }])))

  it('are sent along where they are here', async () => {
    const service = await withEndpoint()
    await put(service, picture(5), 'cat.png')
    const { id } = await start(service, { payload: loads('cat.png [input]', 'elsewhere.png', 'cat.png') })
    const worker = await service.worker()
    const job = await worker.take()
    expect(job).toMatchObject({ id, input: { images: [{ name: 'cat.png', image: picture(5).toString('base64') }] } })
  })

  it('are refused above 10 MB, and it says which and what to do', async () => {
    const service = await withEndpoint()
    await put(service, Buffer.alloc(6 * 1024 * 1024, 1), 'a.png')
    await put(service, Buffer.alloc(5 * 1024 * 1024, 2), 'b.png')
    const body = { endpointId: 'e', payload: loads('a.png', 'b.png') }
    const answer = await service.ask('POST', '/api/workflow-runs', { body })
    expect(answer.body).toMatchObject({
      code: 'BAD_FIELD',
      error: expect.stringMatching(
        /^images: with b\.png \(5\.0 MiB\) the request would have .*Scale that picture down first\.$/,
      ),
    })
  })
})

describe('an invalid payload', () => {
  it.each([
    ['a document', DOCUMENT, 'NOT_A_WORKFLOW', /document of an editor.*converts it/],
    ['half a file', PAYLOAD.slice(0, 30), 'NOT_A_WORKFLOW', /not JSON/],
    [
      'an id that other languages read as something else',
      `{"__proto__": {"class_type": "A", "inputs": {}}}`,
      'BAD_FIELD',
      /__proto__/,
    ],
  ])('%s is refused before a job is queued', async (_what, payload, code, message) => {
    const service = await withEndpoint()
    const { body } = await service.ask('POST', '/api/workflow-runs', { body: { endpointId: 'e', payload } })
    expect(body).toMatchObject({ code, error: expect.stringMatching(message) })
    expect(await service.get('/api/workflow-runs')).toEqual({ runs: [], more: false })
  })
})

it('an endpoint runs no graph that it surely cannot, and it says why before a job is queued', async () => {
  const service = await setup()
  await service.createEndpoint('plain')
  const handler = join(import.meta.dirname, '..', '..', 'resources', 'node', 'sketch', 'handler.ts')
  await service.createEndpoint('sketch', { handler })
  const payload =
    '{"1": {"class_type": "Mine", "inputs": {}}, "2": {"class_type": "SaveImage", "inputs": {"images": ["1", 0]}}}'
  const refused = async (endpointId: string) =>
    (await service.ask('POST', '/api/workflow-runs', { body: { endpointId, payload } })).body
  expect(await refused('plain')).toMatchObject({
    code: 'TAKES_NO_WORKFLOWS',
    error: expect.stringContaining('settings'),
  })
  expect((await refused('sketch')).error).toBe(
    'Endpoint sketch cannot run this graph: node 1 is of the class Mine, which its worker does not have. Choose another endpoint.',
  )
  const named = payload.replace('"inputs": {}}', '"inputs": {}, "_meta": {"cnr_id": "mine-nodes"}}')
  const { body } = await service.ask('POST', '/api/workflow-runs', { body: { endpointId: 'sketch', payload: named } })
  expect(body.error).toBe(
    'Endpoint sketch cannot run this graph: node 1 is of the class Mine, which its worker does not have. Choose another endpoint. It is in the package mine-nodes (https://registry.comfy.org/nodes/mine-nodes).',
  )
  expect(await service.get('/api/workflow-runs')).toMatchObject({ runs: [] })
})

it('a published graph runs no other graph, and it says which endpoint does', async () => {
  const service = await withEndpoint()
  const graph = { id: 'graph', name: 'graph', behind: 'e', payload: PAYLOAD, parameters: [] }
  await service.post('/api/published-graphs', graph)
  const { body } = await service.ask('POST', '/api/workflow-runs', { body: { endpointId: 'graph', payload: PAYLOAD } })
  expect(body).toMatchObject({ code: 'TAKES_NO_WORKFLOWS', error: expect.stringContaining('Run the graph on e') })
  // Its jobs are in the gallery under its name.
  const { id } = (await service.ask('POST', '/v2/graph/run', { body: { input: {} } })).body
  expect(await service.get('/api/workflow-runs')).toMatchObject({ runs: [{ id, endpointId: 'e', title: 'graph' }] })
})

describe('models that are not installed', () => {
  const MODELS = { models: ['base.safetensors', 'vae.pt'] }
  const loader = (ckpt_name: string) => ({ 4: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name } } })
  const submits = [
    ['run', (s: TestService, workflow: object) => s.ask('POST', '/v2/e/run', { body: { input: { workflow } } })],
    [
      'runsync',
      (s: TestService, workflow: object) => s.ask('POST', '/v2/e/runsync?wait=1000', { body: { input: { workflow } } }),
    ],
    [
      'a run of the editor',
      (s: TestService, workflow: object) =>
        s.ask('POST', '/api/workflow-runs', { body: { endpointId: 'e', payload: JSON.stringify(workflow) } }),
    ],
  ] as const

  it.each(submits)('are refused by %s, with the node, what is asked and what is there', async (_name, submit) => {
    const service = await withEndpoint({}, MODELS)
    const { status, body } = await submit(service, loader('other.safetensors'))
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'MODEL_NOT_INSTALLED' })
    expect(body.error).toContain(
      'Node 4 asks for the model other.safetensors in its input ckpt_name, but endpoint e has base.safetensors, vae.pt.',
    )
  })

  it('pass where the check is off, where nobody knows, and where they are there', async () => {
    const service = await withEndpoint({}, { ...MODELS, checkModels: false })
    const [, submit] = submits[0]
    expect((await submit(service, loader('other.safetensors'))).status).toBe(200)
    await service.ask('PATCH', '/api/endpoints/e', { body: { workflows: {} } })
    expect((await submit(service, loader('other.safetensors'))).status).toBe(200)
    await service.ask('PATCH', '/api/endpoints/e', { body: { workflows: MODELS } })
    expect((await submit(service, loader('base.safetensors'))).status).toBe(200)
    await service.ask('PATCH', '/api/endpoints/e', { body: { workflows: null } })
    expect((await submit(service, loader('other.safetensors'))).status).toBe(200)
  })

  // A worker would read a payload that the check cannot look into.
  it.each([
    ['deep lists next to it', `[${'['.repeat(600)}${']'.repeat(600)}]`, 'BAD_FIELD'],
    ['a key that makes it look like a document', '[]', 'MODEL_NOT_INSTALLED'],
  ])('are refused behind %s', async (_what, nodes, code) => {
    const service = await withEndpoint({}, MODELS)
    const workflow = `{"nodes": ${nodes}, ${JSON.stringify(loader('other.safetensors')).slice(1)}`
    const { status, body } = await service.ask('POST', '/v2/e/run', { body: `{"input": {"workflow": ${workflow}}}` })
    expect({ status, code: body.code }).toEqual({ status: 400, code })
    expect(await service.get('/v2/e/requests')).toMatchObject({ requests: [] })
  })

  it('are not looked for in millions of values, which would hold up everybody', async () => {
    const service = await withEndpoint({}, MODELS)
    const workflow = `{"4": {"class_type": "A", "inputs": {"a": [${'[],'.repeat(2_000_000)}[]]}}}`
    const { body } = await service.ask('POST', '/v2/e/run', { body: `{"input": {"workflow": ${workflow}}}` })
    expect(body).toMatchObject({ code: 'BAD_FIELD', error: 'input.workflow: has more than 500000 values.' })
  })

  it('are refused through a published graph that lets the model be chosen', async () => {
    const service = await withEndpoint({}, MODELS)
    const model = { name: 'model', node: '4', input: 'ckpt_name', type: 'string' }
    const payload = JSON.stringify(loader('base.safetensors'))
    await service.post('/api/published-graphs', { id: 'g', name: 'g', behind: 'e', payload, parameters: [model] })
    const { body } = await service.ask('POST', '/v2/g/run', { body: { input: { model: 'other.safetensors' } } })
    expect(body.code).toBe('MODEL_NOT_INSTALLED')
  })

  it('a built-in model has no file, and is never missing', async () => {
    const service = await withEndpoint({}, MODELS)
    const workflow = {
      1: { class_type: 'VAELoader', inputs: { vae_name: 'taesd', lora_name: 'None', text: 'x.pt' } },
    }
    expect((await submits[0][1](service, workflow)).status).toBe(200)
  })
})

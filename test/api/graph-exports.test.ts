import { createHash } from 'node:crypto'
import { encode } from 'fast-png'
import { expect, it } from 'vitest'
import { setup, type TestService } from '../support/core.ts'
import { DOCUMENT, ended, finish, SEED, start, withEndpoint } from '../support/graph-runs.ts'

const picture = Buffer.from(encode({ width: 4, height: 3, channels: 1, depth: 8, data: new Uint8Array(12).fill(7) }))
const BYTES = { 'content-type': 'application/octet-stream' }
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const PAYLOAD = `{"3":{"class_type":"KSampler","inputs":{"seed":${SEED},"cfg":8.0}},"4":{"class_type":"LoadImage","inputs":{"image":"cat.png"}},"5":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"base.safetensors"}},"6":{"class_type":"Odd","inputs":{},"_meta":{"cnr_id":"odd-nodes","ver":"1.2.0"}}}`

const put = (service: TestService, bytes: Buffer, name: string) =>
  service.ask('PUT', `/api/assets/${hash(bytes)}?name=${name}`, { body: bytes, headers: BYTES })
const open = (service: TestService, text: string) =>
  service.ask('POST', '/api/workflow-imports', { body: Buffer.from(text), headers: BYTES })
const headOf = (text: string) => JSON.parse(text.slice(0, text.indexOf('\n')))

it('a run opens on another service with its seeds and files, and what is missing there is named', async () => {
  const service = await withEndpoint()
  await put(service, picture, 'cat.png')
  const { id } = await start(service, { payload: PAYLOAD, document: undefined, title: 'Cat' })
  const data = picture.toString('base64')
  await finish(service, id, { output: { images: [{ filename: 'a.png', type: 'base64', data, node: '9' }] } })
  await ended(service, id)
  const text = await (await service.request('GET', `/api/workflow-runs/${id}/file`)).text()
  expect(headOf(text)).toMatchObject({
    ...{ drydock: 'graph', name: 'Cat', masked: 0, run: { id, endpointId: 'e', status: 'COMPLETED' } },
    seeds: [{ node: '3', input: 'seed', value: SEED }],
    models: [{ name: 'base.safetensors', directory: 'checkpoints', missing: true }],
    files: [
      { name: 'cat.png', use: 'input', sha256: hash(picture) },
      { name: 'a.png', use: 'result' },
    ],
  })
  const other = await setup()
  await put(other, Buffer.from('GIF89a another cat'), 'cat.png')
  const { status, body } = await open(other, text)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    workflow: { name: 'Cat' },
    files: [{ name: 'cat.png', storedAs: 'cat (1).png' }, { name: 'a.png' }],
    missing: {
      classes: [{ name: 'Odd', packages: [{ name: 'odd-nodes', version: '1.2.0' }] }],
      models: [{ name: 'base.safetensors', missing: true }],
      files: [],
    },
  })
  const { text: document } = await other.get(`/api/workflows/${body.workflow.id}`)
  expect(document).toContain(SEED)
  expect(document).toContain('cat (1).png')
})

it('a workflow of the library goes in the same way', async () => {
  const service = await withEndpoint()
  const { id } = await service.post('/api/workflows', { name: 'Mine', text: DOCUMENT })
  const text = await (await service.request('GET', `/api/workflows/${id}/file`)).text()
  expect(headOf(text)).toMatchObject({ name: 'Mine', seeds: [{ value: SEED }], files: [] })
  const { body } = await open(service, text)
  expect((await service.get(`/api/workflows/${body.workflow.id}`)).text).toBe(DOCUMENT)
})

it('a graph goes with what it needs, and says which files are not here', async () => {
  const service = await withEndpoint()
  const body = { name: 'Cat', text: PAYLOAD, endpoint: 'e' }
  const text = await (await service.request('POST', '/api/workflow-exports', { body })).text()
  expect(headOf(text)).toMatchObject({
    name: 'Cat',
    files: [{ name: 'cat.png', use: 'input', left: 'missing' }],
    classes: expect.arrayContaining([expect.objectContaining({ name: 'KSampler', count: 1 })]),
  })
  expect((await open(service, text)).body.missing.files).toEqual(['cat.png'])
  const gone = await service.ask('POST', '/api/workflow-exports', { body: { ...body, endpoint: 'gone' } })
  expect(gone.body).toMatchObject({ code: 'ENDPOINT_NOT_FOUND' })
})

it('files that are broken or hostile are refused with a sentence, and nothing of them is stored', async () => {
  const service = await withEndpoint()
  await put(service, picture, 'cat.png')
  const body = { name: 'Cat', text: PAYLOAD }
  const text = await (await service.request('POST', '/api/workflow-exports', { body })).text()
  const other = await setup()
  const why = async (broken: string) => (await open(other, broken)).body.error
  expect(await why('{"id": 1}')).toContain('it is not a graph exported by Drydock')
  expect(await why(text.slice(0, -60))).toMatch(/is damaged|cut off/)
  expect(await why(text.split('\n').slice(0, 3).join('\n'))).toContain('it is cut off')
  expect(await why(`${text}{"more":1}\n`)).toContain('it has more lines than it announces')
  expect(await why(text.replace('"format":1', '"format":2'))).toContain('newer than this Drydock')
  expect(await why(text.replace('"name":"cat.png"', '"name":"../cat.png"'))).toContain('without a usable name')
  expect(await why(text.replace(hash(picture), hash(Buffer.from('x'))))).toContain('its file cat.png is damaged')
  expect(await why(text.replace('{"3":', `${'['.repeat(600)}`))).toContain('damaged or nested too deep')
  expect(await other.get('/api/assets')).toEqual({ assets: [] })
  expect(await other.get('/api/workflows')).toEqual({ workflows: [] })
})

const replay = (service: TestService, text: string, query = '') =>
  service.ask('POST', `/api/workflow-imports/run${query}`, { body: Buffer.from(text), headers: BYTES })

it('a run is run once more on another service as it was sent, to the digit', async () => {
  const service = await withEndpoint()
  await put(service, picture, 'cat.png')
  const { id } = await start(service, { payload: PAYLOAD, document: undefined, title: 'Cat' })
  const text = await (await service.request('GET', `/api/workflow-runs/${id}/file`)).text()
  const other = await withEndpoint()
  await put(other, Buffer.from('GIF89a another cat'), 'cat.png')
  const { status, body } = await replay(other, text)
  expect({ status, body }).toMatchObject({ status: 200, body: { endpointId: 'e', title: 'Cat' } })
  // 8.0 stays 8.0 and the seed its twenty digits; only the picture has another name here.
  const sent = await other.get(`/api/workflow-runs/${body.id}`)
  expect(sent.payload).toBe(PAYLOAD.replace('cat.png', 'cat (1).png'))
  expect((await other.get(`/api/jobs/${body.id}`)).status).toBe('IN_QUEUE')
  expect(await other.get('/api/workflows')).toEqual({ workflows: [] })
})

it('an export is refused with the reason if it is not a run, lacks secrets, is cut off, or its endpoint is gone', async () => {
  const service = await withEndpoint()
  const graph = await (
    await service.request('POST', '/api/workflow-exports', { body: { name: 'Cat', text: PAYLOAD } })
  ).text()
  expect((await replay(service, graph)).body.error).toContain('is a graph, not a run. Open it, then run it')
  const { id } = await start(service, { payload: PAYLOAD, document: undefined, title: 'Cat' })
  const text = await (await service.request('GET', `/api/workflow-runs/${id}/file`)).text()
  const masked = text.replace('"masked":0', '"masked":2')
  expect((await replay(service, masked)).body.error).toContain('2 secrets of it were replaced by ***. Open it instead')
  expect((await replay(service, text, '?endpoint=gone')).body).toMatchObject({ code: 'ENDPOINT_NOT_FOUND' })
  expect((await replay(service, text.slice(0, -60))).body.error).toContain('cut off')
  expect((await service.get('/api/workflow-runs')).runs).toHaveLength(1)
})

/** The public OpenAI client gets pictures from a published graph. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import OpenAI, { APIError, toFile } from 'openai'
import { expect, test } from 'vitest'
import { pictureSize } from '../../src-main/lib/media.ts'
import { until } from '../support/served-service.ts'
import { sharedService } from '../support/shared-in-file.ts'

const SKETCH = fileURLToPath(new URL('../../resources/node/sketch/handler.ts', import.meta.url))
const PICTURE = readFileSync(new URL('../../resources/icons/64x64.png', import.meta.url))
const model = 'paint'

// biome-ignore lint/suspicious/noExplicitAny: a graph has nodes of any shape
type Graph = Record<string, { class_type: string; inputs: any }>

const graphOf = (name: string): Graph => {
  const graph: Graph = JSON.parse(
    readFileSync(new URL(`../../../shared/workflows/${name}.json`, import.meta.url), 'utf8'),
  )
  for (const { class_type, inputs } of Object.values(graph)) {
    if (class_type === 'CheckpointLoaderSimple') inputs.ckpt_name = 'stand-in.safetensors'
    if (class_type === 'KSampler') inputs.steps = 4
  }
  return graph
}

const shared = sharedService()

async function setup(graph: Graph, exposed: readonly (readonly [name: string, type: string])[]) {
  const service = await shared()
  const worked = { handler: SKETCH, workflows: {}, workersMin: 1, workersMax: 1, comfyuiWithoutKey: true }
  await service.createEndpoint('sketch', worked)
  const nodeOf = (classType: string) => Object.keys(graph).find((id) => graph[id]?.class_type === classType) ?? ''
  const inputs: Readonly<Record<string, readonly [classType: string, input: string]>> = {
    prompt: ['CLIPTextEncode', 'text'],
    seed: ['KSampler', 'seed'],
    steps: ['KSampler', 'steps'],
    width: ['EmptyLatentImage', 'width'],
    height: ['EmptyLatentImage', 'height'],
    image: ['LoadImage', 'image'],
  }
  const parameters = exposed.map(([name, type]) => {
    const [classType = '', input = ''] = inputs[name] ?? []
    const node = nodeOf(classType)
    const value = graph[node]?.inputs[input]
    return { name, node, input, type, ...(type === 'image' ? {} : { default: JSON.stringify(value) }) }
  })
  const published = { id: 'paint', name: 'Paint', behind: 'sketch', payload: JSON.stringify(graph), parameters }
  expect(await service.ask('POST', '/api/published-graphs', published)).toMatchObject({ status: 200 })
  const apiKey = readFileSync(join(service.data, 'account.key'), 'utf8').trim()
  const client = new OpenAI({ baseURL: `${service.url()}/v2/paint/openai/v1`, apiKey, maxRetries: 0 })
  return { client, service }
}

const sizeOf = (base64 = '') => pictureSize(Buffer.from(base64, 'base64'), 'image/png')

test('pictures of a size, several, by address, and with partial pictures', async () => {
  const graph = graphOf('01_api_sd15-txt2img')
  const { client } = await setup(graph, [
    ['prompt', 'string'],
    ['seed', 'integer'],
    ['steps', 'integer'],
    ['width', 'integer'],
    ['height', 'integer'],
  ])
  const prompt = 'a boat at night'
  const two = await client.images.generate({ model, prompt, n: 2, size: '256x256' })
  const [one, other] = two.data ?? []
  expect([sizeOf(one?.b64_json), sizeOf(other?.b64_json)]).toEqual(Array(2).fill({ width: 256, height: 256 }))
  expect(one?.b64_json).not.toBe(other?.b64_json)
  const seeded = { model, prompt, seed: 7, steps: 4 }
  const [first, second] = [await client.images.generate(seeded), await client.images.generate(seeded)]
  expect(first.data?.[0]?.b64_json).toBe(second.data?.[0]?.b64_json)

  const linked = await client.images.generate({ model, prompt, response_format: 'url' })
  const picture = await fetch(linked.data?.[0]?.url ?? '')
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])

  const events: string[] = []
  let partial = ''
  const stream = await client.images.generate({
    ...{ model, prompt, stream: true, partial_images: 2 },
    ...{ steps: 100 },
  })
  for await (const event of stream) {
    events.push(event.type)
    if (event.type === 'image_generation.partial_image') partial = event.b64_json
    else expect(sizeOf(event.b64_json)).toEqual({ width: 512, height: 512 })
  }
  expect(events.at(-1)).toBe('image_generation.completed')
  expect(events.filter((type) => type.endsWith('partial_image')).length).toBeGreaterThan(0)
  expect(Buffer.from(partial, 'base64').subarray(0, 2).toString('hex')).toMatch(/^(?:ffd8|8950)$/)
})

test('a picture is edited, and wishes that the workflow does not expose are refused by name', async () => {
  const { client } = await setup(graphOf('06_api_img2img-loadimage'), [
    ['prompt', 'string'],
    ['image', 'image'],
  ])
  const image = await toFile(PICTURE, 'mine.png', { type: 'image/png' })
  const edited = await client.images.edit({ model, image, prompt: 'a boat' })
  expect(sizeOf(edited.data?.[0]?.b64_json)).toEqual({ width: 64, height: 64 })
  const types: string[] = []
  for await (const { type } of await client.images.edit({ model, image, prompt: 'a boat', stream: true }))
    types.push(type)
  expect(types).toEqual(['image_edit.completed'])

  const refused = async (more: object) => {
    const error = await client.images.edit({ model, image, prompt: 'a boat', ...more }).catch((reason) => reason)
    expect(error).toBeInstanceOf(APIError)
    return [error.status, error.param]
  }
  expect(await refused({ size: '256x256' })).toEqual([400, 'size'])
  expect(await refused({ n: 2 })).toEqual([400, 'n'])
  expect(await refused({ mask: image })).toEqual([400, 'mask'])
  const missing = await client.images.generate({ model, prompt: 'a boat' }).catch((reason) => reason)
  expect([missing.status, missing.message]).toEqual([400, expect.stringContaining('image')])
})

test('the other pictures are cancelled when one fails, and all when the client leaves', async () => {
  const { client, service } = await setup(graphOf('01_api_sd15-txt2img'), [
    ['prompt', 'string'],
    ['seed', 'integer'],
    ['steps', 'integer'],
  ])
  const has = (inProgress: number, inQueue: number) =>
    until(async () => expect((await service.get('/v2/sketch/health')).jobs).toMatchObject({ inProgress, inQueue }))
  const left = new AbortController()
  const long = { model, prompt: 'a boat', n: 3, steps: 3000 }
  const begin = () => client.images.generate(long, { signal: left.signal }).catch((error) => error)

  const failing = begin()
  await has(1, 2)
  await fetch(`${service.url()}/comfy/sketch/interrupt`, { method: 'POST' })
  expect(await failing).toBeInstanceOf(APIError)
  await has(0, 0)
  const leaving = begin()
  await has(1, 2)
  left.abort()
  await leaving
  await has(0, 0)
})

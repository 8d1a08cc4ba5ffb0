/**
 * The exchanges of Krita's plug-in, SillyTavern and n8n with a ComfyUI server, at an endpoint. Sources:
 * Acly/krita-ai-diffusion 0217cd2, `comfy_client.py`; SillyTavern 02903fd, `stable-diffusion.js`;
 * n8n-nodes-comfyui-image-to-image 3.7.1.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { encode } from 'fast-png'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Exchange } from '../support/comfyui/exchange.ts'
import { recordedServer } from '../support/comfyui/recorded-server.ts'
import { until } from '../support/served-service.ts'
import { sharedService } from '../support/shared-in-file.ts'

const resource = (path: string) => fileURLToPath(new URL(`../../resources/${path}`, import.meta.url))
const workflow = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../shared/workflows/${name}.json`, import.meta.url), 'utf8'))

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of any shape
const json = async (response: Response): Promise<any> => {
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('application/json')
  return await response.json()
}

const shared = sharedService()

const KRITA_CLASSES = {
  ETN_LoadImageCache: { input: { required: { id: ['STRING', {}] } }, output: ['IMAGE', 'MASK'] },
  ETN_SaveImageCache: {
    input: { required: { images: ['IMAGE'], format: [['PNG', 'JPEG']] } },
    ...{ output: [], output_node: true },
  },
}
const SAVED_ID = '3f1c'
const SERVER_PROMPT = 'abef4a87-4734-49fd-8a78-b8a29796ca06'

/** A server with the nodes that Krita needs: they keep pictures in memory, under an id. */
async function kritaServer() {
  const saved = Buffer.from(encode({ width: 8, height: 8, channels: 1, depth: 8, data: new Uint8Array(64).fill(90) }))
  const pictures = new Map([[SAVED_ID, saved]])
  const output = { images: [{ source: 'http', id: SAVED_ID, 'content-type': 'image/png', type: 'output' }] }
  const told = (type: string, data: object) => ({
    text: JSON.stringify({ type, data: { ...data, prompt_id: SERVER_PROMPT } }),
  })
  const history = {
    prompt: [],
    outputs: { 2: output },
    status: { status_str: 'success', completed: true, messages: [] },
  }
  const answers = Object.entries({
    'GET /object_info': KRITA_CLASSES,
    'GET /object_info/ETN_LoadImageCache': KRITA_CLASSES,
    'GET /object_info/ETN_SaveImageCache': KRITA_CLASSES,
    'GET /system_stats': {
      system: { comfyui_version: '0.45.0' },
      devices: [{ name: 'cuda:0 NVIDIA', type: 'cuda', vram_total: 8 * 2 ** 30 }],
    },
    'GET /api/etn/languages': [],
    'GET /api/etn/model_info/checkpoints?offset=0&limit=8': {
      'a.safetensors': { base_model: 'sdxl' },
      _meta: { total: 1 },
    },
    'POST /prompt': { prompt_id: SERVER_PROMPT, number: 1, node_errors: {} },
    [`GET /history/${SERVER_PROMPT}`]: { [SERVER_PROMPT]: history },
  })
  const exchange: Exchange = {
    ...{ comfyui: '0.45.0', input: {}, publicAnswer: {} },
    answers: answers.map(([asked, body]) => {
      const [method = '', path = ''] = asked.split(' ')
      return { method, path, status: 200, type: 'application/json', body: { text: JSON.stringify(body) } }
    }),
    socket: [
      told('execution_start', {}),
      told('executing', { node: '2', display_node: '2' }),
      told('executed', { node: '2', display_node: '2', output }),
      told('execution_success', {}),
      told('executing', { node: null }),
    ],
  }
  const server = await recordedServer(exchange, {
    answer: ({ method, path, body }, response) => {
      const [, id = ''] = /^\/api\/etn\/image\/(.+)$/.exec(path) ?? []
      if (id === '') return false
      if (method === 'PUT') pictures.set(id, Buffer.from(body))
      response.writeHead(pictures.has(id) ? 200 : 404, { 'content-type': 'image/png' })
      response.end(method === 'PUT' ? undefined : pictures.get(id))
      return true
    },
  })
  return { ...server, pictures, saved }
}

test("Krita's plug-in uploads a picture, sends a prompt with its id, and gets the picture of its cache node", async () => {
  const server = await kritaServer()
  const service = await shared()
  await service.createEndpoint('krita', {
    ...{ handler: resource('node/comfyui/handler.ts'), workflows: { server: server.url }, workersMax: 1 },
    comfyuiWithoutKey: true,
  })
  await until(async () => expect((await service.get('/api/endpoints/krita')).nodeTypesReadAt).toBeDefined())
  const base = `${service.url()}/comfy/krita`
  const skipWarnings = { 'ngrok-skip-browser-warning': '69420', skip_zrok_interstitial: '69420' }
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${base}/${path}`, { ...init, headers: { ...skipWarnings, ...init.headers } })
  const post = (path: string, body: object) =>
    ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const client = randomUUID()
  const socketAt = () => new WebSocket(`${base.replace('http', 'ws')}/ws?clientId=${client}`)

  // It connects once to see whether it can, then reads what the server has.
  expect((await json(await ask('system_stats'))).devices).toMatchObject([{ type: 'cuda', vram_total: 8 * 2 ** 30 }])
  const first = socketAt()
  await new Promise((resolve, reject) => first.once('open', resolve).once('error', reject))
  first.close()
  expect(await json(await ask('object_info'))).toMatchObject({ ETN_SaveImageCache: { output_node: true } })
  expect(await json(await ask('api/etn/languages'))).toEqual([])
  expect(await json(await ask('api/etn/model_info/checkpoints?offset=0&limit=8'))).toHaveProperty('_meta.total', 1)

  // biome-ignore lint/suspicious/noExplicitAny: messages have any shape
  const messages: any[] = []
  const socket = socketAt()
  socket.on('message', (data, isBinary) => !isBinary && messages.push(JSON.parse(String(data))))
  await until(() => expect(messages).toContainEqual(expect.objectContaining({ type: 'status' })))
  // A server without shared workflows answers 404, which it only logs.
  await (await post('api/etn/workflow/subscribe', { client_id: client })).arrayBuffer()

  const picture = 'a picture'
  const sent = { method: 'PUT', headers: { 'content-type': 'application/octet-stream' }, body: picture }
  expect((await ask('api/etn/image/0a1b', sent)).status).toBe(200)
  expect(server.pictures.get('0a1b')?.toString()).toBe(picture)
  const graph = {
    1: { class_type: 'ETN_LoadImageCache', inputs: { id: '0a1b' } },
    2: { class_type: 'ETN_SaveImageCache', inputs: { images: ['1', 0], format: 'PNG' } },
  }
  const id = randomUUID()
  expect(await json(await post('prompt', { prompt: graph, client_id: client, prompt_id: id }))).toMatchObject({
    prompt_id: id,
  })

  const own = () => messages.filter(({ data }) => data.prompt_id === id)
  await until(() => expect(own().at(-1)).toMatchObject({ type: 'executing', data: { node: null } }))
  expect(own()[0].type).toBe('execution_start')
  const { output } = own().find(({ type }) => type === 'executed').data
  expect(output.images).toMatchObject([{ source: 'http', id: SAVED_ID, 'content-type': 'image/png' }])
  const got = await ask(`api/etn/image/${output.images[0].id}`)
  expect(Buffer.from(await got.arrayBuffer()).equals(server.saved)).toBe(true)
  // The gallery keeps it, though the server only has it in memory.
  const kept = await ask(`view?${new URLSearchParams({ ...output.images[0] })}`)
  expect([kept.status, kept.headers.get('content-type')]).toEqual([200, 'image/png'])

  expect((await post('interrupt', {})).status).toBe(200)
  expect((await post('queue', { delete: [id] })).status).toBe(200)
  socket.terminate()
})

// An endpoint for each test: the history of one outlives it.
let endpoints = 0

async function standIn() {
  const service = await shared()
  endpoints += 1
  const settings = { handler: resource('node/sketch/handler.ts'), workflows: {}, workersMin: 1, workersMax: 1 }
  await service.createEndpoint(`sketch-${endpoints}`, { ...settings, comfyuiWithoutKey: true })
  return `${service.url()}/comfy/sketch-${endpoints}`
}

test('SillyTavern reads what there is to choose from, and asks for the whole history until its picture is there', async () => {
  const base = await standIn()
  expect((await fetch(`${base}/system_stats`)).ok).toBe(true)
  const info = await json(await fetch(`${base}/object_info`))
  for (const [name, input] of [
    ['KSampler', 'sampler_name'],
    ['KSampler', 'scheduler'],
    ['CheckpointLoaderSimple', 'ckpt_name'],
    ['VAELoader', 'vae_name'],
  ] as const)
    expect(info[name].input.required[input][0]).toEqual(expect.arrayContaining([expect.any(String)]))
  const body = JSON.stringify({ prompt: workflow('01_api_sd15-txt2img') })
  const { prompt_id: id } = await json(await fetch(`${base}/prompt`, { method: 'POST', body }))
  const item = await until(async () => {
    const found = (await json(await fetch(`${base}/history`)))[id]
    expect(found).toBeDefined()
    return found
  })
  expect(item.status.status_str).not.toBe('error')
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const [image] = Object.values<any>(item.outputs).flatMap(({ images }) => images)
  const view = `filename=${image.filename}&subfolder=${image.subfolder}&type=${image.type}`
  expect((await fetch(`${base}/view?${view}`)).headers.get('content-type')).toBe('image/png')
  // Its user stops waiting.
  const headers = { authorization: `Basic ${Buffer.from(':').toString('base64')}` }
  expect((await fetch(`${base}/interrupt`, { method: 'POST', headers })).status).toBe(200)
})

test('n8n uploads a picture, changes the graph to load it, and polls the history of its prompt', async () => {
  const base = await standIn()
  const headers = { 'content-type': 'application/json' }
  await json(await fetch(`${base}/system_stats`, { headers }))
  const form = new FormData()
  form.append('image', new File([readFileSync(resource('icons/64x64.png'))], 'input.png'))
  form.append('subfolder', '')
  form.append('overwrite', 'true')
  const { name } = await json(await fetch(`${base}/upload/image`, { method: 'POST', body: form }))
  const graph = workflow('06_api_img2img-loadimage')
  graph[10].inputs.image = name
  const asked = { method: 'POST', headers, body: JSON.stringify({ prompt: graph }) }
  const { prompt_id: id } = await json(await fetch(`${base}/prompt`, asked))
  const ended = await until(async () => {
    const found = (await json(await fetch(`${base}/history/${id}`, { headers })))[id]
    expect(found?.status.completed).toBe(true)
    return found
  })
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const [image] = Object.values<any>(ended.outputs).flatMap(({ images = [] }) => images)
  const view = `filename=${image.filename}&subfolder=${image.subfolder}&type=${image.type}`
  expect((await fetch(`${base}/view?${view}`, { headers })).status).toBe(200)
})

/** Unmodified ComfyUI clients at an endpoint that takes workflows. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { freePort } from '../../src-main/http/server/listen.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { sharedService } from '../support/shared-in-file.ts'

const SKETCH = fileURLToPath(new URL('../../resources/node/sketch/handler.ts', import.meta.url))
// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of any shape
const read = (response: Response): Promise<any> => response.json()

const GRAPH = JSON.parse(
  readFileSync(new URL('../../../shared/workflows/01_api_sd15-txt2img.json', import.meta.url), 'utf8'),
)

const pending = async ({ read }: ReturnType<typeof comfyAt>): Promise<readonly unknown[]> =>
  (await read('/queue')).queue_pending.map(([, id]: readonly unknown[]) => id)

type Message = { readonly type: string; readonly data: Readonly<Record<string, unknown>> }

const shared = sharedService()
// An endpoint for each test: the history of one outlives it.
let endpoints = 0

async function setup(more: object = { comfyuiWithoutKey: true }) {
  const service = await shared()
  endpoints += 1
  const endpoint = `sketch-${endpoints}`
  await service.createEndpoint(endpoint, { handler: SKETCH, workflows: {}, workersMin: 1, workersMax: 1, ...more })
  return { service, endpoint, comfy: comfyAt(service, endpoint) }
}

/** Sends requests as these clients do: without a key or a content type. */
function comfyAt(service: ServedService, endpoint: string) {
  const base = `${service.url()}/comfy/${endpoint}`
  const ask = (path: string, init: RequestInit = {}) => fetch(`${base}${path}`, init)
  return {
    base,
    ask,
    read: async (path: string) => read(await ask(path)),
    send: (path: string, body: object) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
  }
}

async function statusWithHost(port: number, host: string): Promise<number | undefined> {
  const [answer] = await once(request({ port, path: '/queue', headers: { host } }).end(), 'response')
  return answer.resume().statusCode
}

async function connect(base: string, clientId: string) {
  const messages: Message[] = []
  const previews: Buffer[] = []
  const socket = new WebSocket(`${base.replace('http', 'ws')}/ws?clientId=${clientId}`)
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) previews.push(data)
    else messages.push(JSON.parse(String(data)))
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return { socket, messages, previews, types: () => messages.map(({ type }) => type) }
}

test('a prompt is followed on the socket, and its picture is in the history', async () => {
  const { comfy } = await setup()
  const client = await connect(comfy.base, 'me')
  client.socket.send(JSON.stringify({ type: 'feature_flags', data: { supports_preview_metadata: true } }))
  const other = await connect(comfy.base, 'someone-else')
  const answer = await comfy.send('/prompt', {
    prompt: GRAPH,
    client_id: 'me',
    extra_data: { note: 1, api_key_comfy_org: 'of-account' },
  })
  expect(answer.status).toBe(200)
  const { prompt_id: id, number, node_errors } = await read(answer)
  expect([number, node_errors]).toEqual([expect.any(Number), {}])

  await until(() => expect(client.messages.at(-1)).toMatchObject({ type: 'status' }))
  await until(() => expect(client.types()).toContain('execution_success'))
  const own = client.messages.filter(({ data }) => data.prompt_id === id)
  expect(own[0]?.type).toBe('execution_start')
  expect(own.at(-1)).toMatchObject({ type: 'executing', data: { node: null } })
  expect(new Set(own.map(({ type }) => type))).toEqual(
    new Set([
      ...['execution_start', 'execution_cached', 'executing', 'progress', 'progress_state', 'executed'],
      'execution_success',
    ]),
  )
  expect(client.previews[0]?.readUInt32BE(0)).toBe(4)
  expect(new Set(other.types())).toEqual(new Set(['status']))

  const history = await comfy.read(`/history/${id}`)
  expect(history[id]).toMatchObject({
    prompt: [number, id, GRAPH, { client_id: 'me', note: 1 }, expect.any(Array)],
    status: { status_str: 'success', completed: true },
  })
  const [[node, { images }]] = Object.entries<{ images: { filename: string; subfolder: string; type: string }[] }>(
    history[id].outputs,
  ) as [[string, { images: { filename: string; subfolder: string; type: string }[] }]]
  expect(history[id].prompt[4]).toEqual([node])
  const picture = await comfy.ask(`/api/view?${new URLSearchParams(images[0])}`)
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(JSON.stringify(history)).not.toContain('of-account')
  expect(await comfy.read('/queue')).toEqual({ queue_running: [], queue_pending: [] })
  expect((await comfy.send('/history', { delete: [id] })).status).toBe(200)
  expect(await comfy.read('/history')).toEqual({})
})

test('a key is needed unless the endpoint says otherwise, and pages of other sites get nothing', async () => {
  const { service, comfy, endpoint } = await setup({})
  expect((await comfy.ask('/queue')).status).toBe(401)
  await service.ask('PATCH', `/api/endpoints/${endpoint}`, { comfyuiWithoutKey: true })
  expect((await comfy.ask('/queue')).status).toBe(200)
  const foreign = { origin: 'https://example.com', 'sec-fetch-site': 'cross-site' }
  for (const headers of [foreign, { origin: foreign.origin }, { 'sec-fetch-site': 'cross-site' }])
    expect((await comfy.ask('/queue', { headers: headers as Record<string, string> })).status).toBe(403)
})

test("an endpoint's own port serves clients that know only host and port, and nobody else", async () => {
  const port = await freePort(() => false)
  const { service, comfy, endpoint } = await setup({ comfyuiPort: port })
  const at = `http://127.0.0.1:${port}`
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`${at}${path}`, { headers })).status
  expect((await service.get(`/api/endpoints/${endpoint}`)).hostUrl).toBe(at)
  expect(await status('/queue')).toBe(401)
  await service.ask('PATCH', `/api/endpoints/${endpoint}`, { comfyuiWithoutKey: true })
  expect(await status('/queue', { origin: at, 'sec-fetch-site': 'same-origin' })).toBe(200)
  expect(await status('/api/queue')).toBe(200)
  expect(await status(`/v2/${endpoint}/health`)).toBe(404)
  expect(await status('/queue', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' })).toBe(403)
  expect(await status('/queue', { origin: 'https://example.com' })).toBe(403)
  expect(await statusWithHost(port, `example.com:${port}`)).toBe(403)
  expect(await statusWithHost(port, `localhost:${port}`)).toBe(200)

  const client = await connect(at, 'me')
  const { prompt_id: id } = await read(
    await fetch(`${at}/prompt`, { method: 'POST', body: JSON.stringify({ prompt: GRAPH, client_id: 'me' }) }),
  )
  await until(() => expect(client.types()).toContain('execution_success'))
  expect(Object.keys(await comfy.read('/history'))).toEqual([id])
})

test("an endpoint's own port survives restarts, belongs to one endpoint, and is opened once it is free", async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const { service, endpoint } = await setup()
  const isOpen = () => fetch(`http://127.0.0.1:${port}/queue`).then(({ status }) => status === 200)
  const change = (comfyuiPort: number | null, id = endpoint) =>
    service.ask('PATCH', `/api/endpoints/${id}`, { comfyuiPort })
  expect((await change(port)).body.warning).toContain(`Port ${port} is in use`)
  taken.close()
  await until(async () => expect(await isOpen()).toBe(true))
  await service.createEndpoint('other', { handler: SKETCH, workflows: {} })
  expect(await change(port, 'other')).toMatchObject({ status: 400, body: { error: expect.stringContaining(endpoint) } })
  await service.kill()
  await service.start()
  expect(await isOpen()).toBe(true)
  expect((await change(port)).body.warning).toBeUndefined()
  expect((await change(null)).status).toBe(200)
  await until(() => expect(isOpen()).rejects.toThrow())
})

test('a prompt that its server would refuse is refused in the same words', async () => {
  const { comfy } = await setup()
  const none = await comfy.send('/prompt', {})
  expect([none.status, await none.json()]).toMatchObject([400, { error: { type: 'no_prompt' }, node_errors: {} }])
  const [sampler = ''] = Object.keys(GRAPH).filter((id) => GRAPH[id].class_type === 'KSampler')
  const { seed: _left, ...inputs } = GRAPH[sampler].inputs
  const refused = await comfy.send('/prompt', { prompt: { ...GRAPH, [sampler]: { ...GRAPH[sampler], inputs } } })
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    {
      error: { type: 'prompt_outputs_failed_validation', message: 'Prompt outputs failed validation' },
      node_errors: {
        [sampler]: {
          class_type: 'KSampler',
          errors: [{ type: 'required_input_missing', extra_info: { input_name: 'seed' } }],
        },
      },
    },
  ])
})

test('a prompt outlives a killed service, ends once, and its client gets what it missed', async () => {
  const { service, comfy, endpoint } = await setup({ comfyuiWithoutKey: true, workersMin: 0, workersMax: 1 })
  await service.ask('POST', `/api/endpoints/${endpoint}/pause`)
  const { prompt_id: id } = await read(await comfy.send('/prompt', { prompt: GRAPH, client_id: 'me' }))
  expect(await pending(comfy)).toEqual([id])
  await service.kill()
  await service.start()
  const again = comfyAt(service, endpoint)
  const client = await connect(again.base, 'me')
  await service.ask('POST', `/api/endpoints/${endpoint}/resume`)
  await until(() => expect(client.types()).toContain('execution_success'))
  expect(client.types().filter((type) => type === 'execution_success')).toHaveLength(1)
  expect(Object.keys(await again.read('/history'))).toEqual([id])
})

test('waiting prompts are removed, running ones interrupted, and the history is cleared', async () => {
  const { service, comfy, endpoint } = await setup()
  await service.ask('POST', `/api/endpoints/${endpoint}/pause`)
  const send = async () => (await read(await comfy.send('/prompt', { prompt: GRAPH }))).prompt_id
  const [first, second] = [await send(), await send()]
  await comfy.send('/queue', { delete: [first] })
  await until(async () => expect(await pending(comfy)).toEqual([second]))
  await comfy.send('/queue', { clear: true })
  await until(async () => expect(await comfy.read('/prompt')).toEqual({ exec_info: { queue_remaining: 0 } }))
  expect(await comfy.read('/history')).toEqual({})
})

test('an uploaded picture is loaded by a graph, and is seen again under its name', async () => {
  const { comfy } = await setup()
  const png = readFileSync(new URL('../../resources/icons/64x64.png', import.meta.url))
  const form = new FormData()
  form.set('image', new Blob([png], { type: 'image/png' }), 'mine.png')
  const stored = await comfy.ask('/upload/image', { method: 'POST', body: form })
  expect(await stored.json()).toEqual({ name: 'mine.png', subfolder: '', type: 'input' })
  form.set('subfolder', 'a/b')
  const below = await comfy.ask('/upload/image', { method: 'POST', body: form })
  expect(await below.json()).toEqual({ name: 'mine.png', subfolder: 'a/b', type: 'input' })
  for (const subfolder of ['', '&subfolder=a/b']) {
    const seen = await comfy.ask(`/view?filename=mine.png&type=input${subfolder}`)
    expect(Buffer.from(await seen.arrayBuffer()).equals(png)).toBe(true)
  }
  form.set('subfolder', '../b')
  expect((await comfy.ask('/upload/image', { method: 'POST', body: form })).status).toBe(400)
})

test('uploads wait for 100 Continue, and one of countless parts is refused before it is parsed', async () => {
  const { comfy } = await setup()
  const headers = { expect: '100-continue', 'content-type': 'multipart/form-data; boundary=x' }
  const sent = request(`${comfy.base}/upload/image`, { method: 'POST', headers })
  sent.flushHeaders()
  await once(sent, 'continue')
  sent.end(`${'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(100)}--x--\r\n`)
  const [answer] = await once(sent, 'response')
  expect(answer.resume().statusCode).toBe(400)
  const form = new FormData()
  form.append('image', new File(['{}'], 'a.json'))
  expect((await comfy.ask('/upload/image', { method: 'POST', body: form })).status).toBe(200)
})

test('settings are kept by name, and one that is no JSON is refused', async () => {
  const { comfy } = await setup()
  expect((await comfy.send('/settings', { 'Comfy.Theme': 'dark' })).status).toBe(200)
  const bad = await comfy.ask('/settings/Comfy.Locale', { method: 'POST', body: '{' })
  expect([bad.status, await comfy.read('/settings')]).toEqual([400, { 'Comfy.Theme': 'dark' }])
  expect([await comfy.read('/settings/Comfy.Theme'), await comfy.read('/settings/constructor')]).toEqual(['dark', null])
})

test('a file with a percent sign in its name is kept under it', async () => {
  const { comfy } = await setup()
  expect((await comfy.send('/userdata/100%25.json', {})).status).toBe(200)
  expect(await comfy.read('/userdata')).toEqual(['100%.json'])
})

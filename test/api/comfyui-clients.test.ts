/** The native API of endpoints for ComfyUI clients, and the server behind them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { decode, encode } from 'fast-png'
import { describe, expect, it, onTestFinished } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { freePort } from '../../src-main/http/server/listen.ts'
import { SERVICE_URL, setup } from '../support/core.ts'
import { expectShortHold } from '../support/main-thread.ts'
import { openProxy, openWorker } from '../support/proxied.ts'

const { port: PORT } = new URL(SERVICE_URL)

// Read when an endpoint is created.
const OF_THE_SERVICE = /\/(?:object_info|system_stats)$/

async function uploadTo(
  send: Awaited<ReturnType<typeof openProxy>>['send'],
  path: string,
  fields: Readonly<Record<string, string | File>>,
) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const sent = new Response(form)
  const headers = { 'content-type': sent.headers.get('content-type') ?? '' }
  return send(path, { method: 'POST', body: Buffer.from(await sent.arrayBuffer()), headers })
}

/** A service with the endpoint `e` in front of a fake ComfyUI server. */
async function withServer(answer: RequestListener) {
  const asked: IncomingMessage[] = []
  const port = await openWorker((incoming, response) => {
    if (!OF_THE_SERVICE.test(incoming.url ?? '')) asked.push(incoming)
    answer(incoming, response)
  })
  const service = await setup()
  await service.createEndpoint('e', { workflows: { server: `http://user:secret@127.0.0.1:${port}/base` } })
  return { service, asked, ...(await openProxy(service)) }
}

it('lets the server behind an endpoint answer, without the key, and keeps its scripts from the pages', async () => {
  const { send, asked } = await withServer((_incoming, response) => {
    response.setHeader('set-cookie', 'a=b').setHeader('content-type', 'text/html').end('<script>')
  })
  const below = await send('/comfy/e/api/view_metadata/loras?filename=a.safetensors', { headers: { cookie: 'c=d' } })
  expect([below.status, below.text]).toEqual([200, '<script>'])
  expect(below.headers).toMatchObject({ 'content-security-policy': expect.stringContaining('sandbox') })
  expect(below.headers).not.toHaveProperty('set-cookie')
  expect(asked[0]?.url).toBe('/base/api/view_metadata/loras?filename=a.safetensors')
  expect(asked[0]?.headers).not.toHaveProperty('cookie')
  expect(asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from('user:secret').toString('base64')}`)
  const own = await send('/index.html', { headers: { host: `e.localhost:${PORT}` } })
  expect(own.headers).not.toHaveProperty('content-security-policy')
})

it('ends a loop of endpoints that use each other as servers, and reports it', async () => {
  const through: Awaited<ReturnType<typeof openProxy>>['send'][] = []
  const { send } = await withServer(async ({ url, headers }, response) => {
    const again = await through[0]?.(`/comfy/e${url?.replace('/base', '')}`, { headers: { via: headers.via ?? '' } })
    response.writeHead(again?.status ?? 503, { 'content-type': 'application/json' }).end(again?.text)
  })
  through.push(send)
  for (const path of ['/comfy/e/system_stats', '/comfy/e/api/view_metadata/loras']) {
    const { status, text } = await send(path)
    expect([status, text]).toEqual([508, expect.stringContaining('leads back to this endpoint')])
  }
})

it('sends all of a compressed response, which arrives here decompressed', async () => {
  const text = 'x'.repeat(10_000)
  const { send } = await withServer((_incoming, response) => {
    response.setHeader('content-encoding', 'gzip').end(gzipSync(text))
  })
  expect((await send('/comfy/e/index.html')).text).toBe(text)
})

it('follows no redirects, and forwards nothing that administers the server', async () => {
  const { send, asked } = await withServer((_incoming, response) =>
    response.writeHead(302, { location: 'http://elsewhere.example/' }).end(),
  )
  expect((await send('/comfy/e/index.html')).status).toBe(404)
  expect(asked).toHaveLength(1)
  for (const [method, path] of [
    ['GET', '/manager/reboot'],
    ['POST', '/customnode/install'],
    ['DELETE', '/index.html'],
  ] as const)
    expect((await send(`/comfy/e${path}`, { method })).status).toBe(404)
  expect(asked).toHaveLength(1)
})

it('asks the server for models and statistics, and answers itself where the server does not', async () => {
  let isUp = true
  const { send } = await withServer((incoming, response) => {
    if (!isUp) response.writeHead(500).end()
    else if (incoming.method === 'POST') incoming.pipe(response)
    else response.end(JSON.stringify([incoming.url]))
  })
  expect((await send('/comfy/e/models/loras')).json()).toEqual(['/base/models/loras'])
  const body = '{"unload_models":true}'
  expect((await send('/comfy/e/free', { method: 'POST', body })).text).toBe(body)
  isUp = false
  expect((await send('/comfy/e/system_stats')).json()).toMatchObject({ devices: [{ type: 'cpu' }] })
  expect((await send('/comfy/e/free', { method: 'POST', body })).status).toBe(200)
  expect((await send('/comfy/e/view_metadata/loras')).status).toBe(500)
})

it('answers 404 to anything else if no server is named', async () => {
  const service = await setup()
  await service.createEndpoint('e', { workflows: {} })
  const { send } = await openProxy(service)
  expect((await send('/comfy/e/index.html')).status).toBe(404)
})

it('queues a prompt once by its id, and refuses an id that another endpoint used', async () => {
  const service = await setup()
  for (const id of ['e', 'f']) await service.createEndpoint(id, { workflows: {} })
  const { send } = await openProxy(service)
  const prompt = { a: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } } }
  const sent = {
    prompt: { ...prompt, b: { class_type: 'SaveImage', inputs: { images: ['a', 0], filename_prefix: 'b' } } },
  }
  const body = JSON.stringify({ ...sent, prompt_id: '01234567-0123-0123-0123-0123456789ab' })
  const queue = (endpointId: string) => send(`/comfy/${endpointId}/prompt`, { method: 'POST', body })
  const first = await queue('e')
  expect((await queue('e')).json()).toEqual(first.json())
  const refused = await queue('f')
  expect([refused.status, refused.json().error.message]).toEqual([400, 'prompt_id was used before'])
})

it('a file has a bounded number of ids in Comfy API v2, and the oldest ones go', async () => {
  const service = await setup()
  await service.createEndpoint('e', { workflows: {} })
  const { send } = await openProxy(service)
  const base = '/comfy/e/api/v2/assets'
  const added = JSON.parse((await uploadTo(send, base, { file: new File(['x'], 'x.png') })).text)
  const body = Buffer.from(JSON.stringify({ hash: added.hash }))
  const headers = { 'content-type': 'application/json' }
  await service.storage().write(() => {
    const { comfyAssets } = service.storage()
    const record = comfyAssets.get({ endpointId: 'e', id: added.id, now: service.clock.wall() })
    for (let n = 1; record !== undefined && n < limit('comfyuiAssetsOfFile'); n++)
      comfyAssets.insert({ ...record, id: `copy ${n}`, createdAt: record.createdAt + n })
  })
  expect((await send(`${base}/${added.id}`)).status).toBe(200)
  await service.clock.advance(limit('comfyuiAssetsOfFile') + 1)
  const made = await send(`${base}/from-hash`, { method: 'POST', body, headers })
  expect((await send(`${base}/${JSON.parse(made.text).id}`)).status).toBe(200)
  expect((await send(`${base}/${added.id}`)).status).toBe(404)
})

describe('a prompt with partial execution targets', () => {
  const save = (from: string) => ({ class_type: 'SaveImage', inputs: { images: [from, 0], filename_prefix: from } })
  const empty = { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } }
  const prompt = { a: empty, b: empty, 'save a': save('a'), 'save b': save('b') }
  const open = async () => {
    const service = await setup()
    await service.createEndpoint('e', { workflows: {} })
    const { send } = await openProxy(service)
    const queue = (body: object) => send('/comfy/e/prompt', { method: 'POST', body: JSON.stringify(body) })
    return { service, send, queue }
  }

  it('runs only those outputs, with the nodes that they need', async () => {
    const { service, send, queue } = await open()
    const { prompt_id: id } = (await queue({ prompt, partial_execution_targets: ['save b', 'a'] })).json()
    const only = { b: empty, 'save b': save('b') }
    expect((await send('/comfy/e/queue')).json().queue_pending[0].slice(1, 3)).toEqual([id, only])
    expect((await send('/comfy/e/queue')).json().queue_pending[0][4]).toEqual(['save b'])
    expect((await (await service.worker()).take())?.input).toEqual({ workflow: only })
  })

  it('is not refused for errors of other outputs', async () => {
    const { queue } = await open()
    const wrong = { ...prompt, a: { class_type: 'EmptyImage', inputs: {} } }
    expect((await queue({ prompt: wrong })).status).toBe(400)
    expect((await queue({ prompt: wrong, partial_execution_targets: ['save b'] })).status).toBe(200)
  })

  it.each([[['a']], [['nothing']], [[]], ['save a']])('is refused with %j, as none is an output', async (targets) => {
    const { queue } = await open()
    const { status, json } = await queue({ prompt, partial_execution_targets: targets })
    const error = { type: 'prompt_no_outputs', message: 'Prompt has no outputs', details: '', extra_info: {} }
    expect([status, json()]).toEqual([400, { error, node_errors: {} }])
  })
})

describe('account keys', () => {
  const KEYS = { api_key_comfy_org: 'comfy-key-1234', auth_token_comfy_org: 'comfy-token-1234' }
  const GIVEN = { comfy_org_api_key: 'comfy-key-1234', comfy_org_auth_token: 'comfy-token-1234' }
  const prompt = { a: { class_type: 'SomeNode', inputs: {} } }
  const ways = [
    ['the extra data of a prompt', 'prompt'],
    ['the input of a job', 'job'],
    ['a request of a batch', 'batch'],
  ] as const

  it.each(ways)('in %s reach the worker, and nothing else', async (_what, way) => {
    const service = await setup()
    await service.createEndpoint('e', { workflows: {}, workersMin: 0 })
    const { send } = await openProxy(service)
    const input = { workflow: prompt, ...GIVEN }
    if (way === 'prompt') {
      const body = JSON.stringify({ prompt, extra_data: { ...KEYS, note: 1 } })
      expect((await send('/comfy/e/prompt', { method: 'POST', body })).status).toBe(200)
    } else if (way === 'job') await service.post('/v2/e/run', { input })
    else {
      const { id } = await service.post('/v2/e/batch', [{ input }])
      await service.post(`/v2/e/batch/${id}/finalize`)
    }
    const worker = await service.worker()
    const job = await worker.take()
    expect(job?.input).toEqual(input)
    const id = String(job?.id)
    service.fleet().print(worker.id, `asking with ${Object.values(KEYS).join(' and ')}`)
    const logged = () => service.get('/api/endpoints/e/logs')
    await service.clock.until(async () => JSON.stringify(await logged()).includes('asking with'))
    const shown = JSON.stringify([
      await service.get(`/api/jobs/${id}`),
      await service.get('/api/jobs'),
      (await send('/comfy/e/queue')).text,
      await logged(),
      await (await service.request('GET', `/api/jobs/${id}/file`)).text(),
    ])
    for (const secret of Object.values(KEYS)) expect(shown).not.toContain(secret)
  })

  it('are not readable in the database while their request is a draft', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const service = await setup({ file: join(folder, 'drydock.db') })
    await service.createEndpoint('e', { workflows: {} })
    await service.post('/v2/e/batch', [{ input: { workflow: prompt, ...GIVEN } }])
    const stored = readdirSync(folder)
      .filter((name) => name.startsWith('drydock.db'))
      .map((name) => readFileSync(join(folder, name), 'latin1'))
    expect(stored.join()).toContain('SomeNode')
    for (const secret of Object.values(KEYS)) expect(stored.join()).not.toContain(secret)
  })

  it('reach the worker again when the job is run again', async () => {
    const service = await setup()
    await service.createEndpoint('e', { workflows: {} })
    const id = await service.run({ workflow: prompt, ...GIVEN })
    const worker = await service.worker()
    await worker.take()
    await worker.done(id, { error: 'no' })
    await service.post(`/api/jobs/${id}/rerun`)
    expect((await worker.take())?.input).toEqual({ workflow: prompt, ...GIVEN })
  })
})

it('the count of the queue includes batch jobs', async () => {
  const service = await setup()
  await service.createEndpoint('e', { workflows: {}, workersMin: 0 })
  await service.post('/api/endpoints/e/pause')
  const { send } = await openProxy(service)
  const { id } = await service.post('/v2/e/batch', [{ input: { word: 'oar' } }])
  await service.post(`/v2/e/batch/${id}/finalize`)
  await service.clock.until(async () => (await service.get('/v2/e/health')).jobs.inQueue === 1)
  expect((await send('/comfy/e/prompt')).json()).toEqual({ exec_info: { queue_remaining: 1 } })
})

it('the port of the service is refused as the port of an endpoint', async () => {
  const service = await setup()
  await service.createEndpoint('e', { workflows: {} })
  const { status, body } = await service.ask('PATCH', '/api/endpoints/e', { body: { comfyuiPort: Number(PORT) } })
  expect([status, JSON.stringify(body)]).toEqual([
    400,
    expect.stringContaining(`${PORT} is the port of Drydock itself`),
  ])
})

it('a port for ComfyUI clients of an endpoint without workflows is set with a warning', async () => {
  const service = await setup()
  await service.createEndpoint('e')
  const port = await freePort(() => false)
  const set = (comfyuiPort: number | null) => service.ask('PATCH', '/api/endpoints/e', { body: { comfyuiPort } })
  expect((await set(port)).body.warning).toBe(
    `Port ${port} stays closed, because the endpoint does not take workflows.`,
  )
  expect((await set(null)).body.warning).toBeUndefined()
})

describe('pictures', () => {
  const RED = [255, 0, 0]
  const pictureOf = (data: readonly number[], text = {}) =>
    encode({ width: 2, height: 1, channels: 4, depth: 8, data: Uint8Array.from(data), text })
  const HALF = pictureOf([...RED, 255, ...RED, 0], { prompt: '{}', Title: 'x' })
  const pixels = ({ bytes }: { readonly bytes: Buffer }) => [...decode(bytes).data]

  async function open() {
    const service = await setup()
    await service.createEndpoint('e', { workflows: {} })
    const { send } = await openProxy(service)
    const upload = (path: string, picture: Uint8Array, name: string, more: Readonly<Record<string, string>> = {}) =>
      uploadTo(send, `/comfy/e${path}`, { image: new File([Uint8Array.from(picture)], name), ...more })
    await upload('/upload/image', HALF, 'half.png')
    const view = (query: string) => send(`/comfy/e/view?type=input&${query}`)
    return { upload, view }
  }

  it('are served unchanged, without alpha, or as alpha alone', async () => {
    const { view } = await open()
    const whole = await view('filename=half.png')
    expect(whole.bytes.equals(HALF)).toBe(true)
    expect((await view('filename=half.png&channel=rgba')).bytes.equals(HALF)).toBe(true)
    expect((await view('filename=half.png%20[input]')).bytes.equals(HALF)).toBe(true)
    expect(pixels(await view('filename=half.png&channel=rgb'))).toEqual([...RED, ...RED])
    expect(pixels(await view('filename=half.png&channel=a'))).toEqual([0, 0, 0, 255, 0, 0, 0, 0])
  })

  it('have previews as JPEG, or as PNG if they have an alpha', async () => {
    const { view, upload } = await open()
    await upload('/upload/image', pictureOf([...RED, 255, ...RED, 255]), 'opaque.png')
    const typeOf = async (query: string) => (await view(query)).headers['content-type']
    expect(await typeOf('filename=half.png&preview=webp;50')).toBe('image/png')
    expect(await typeOf('filename=half.png&preview=webp;50&channel=rgb')).toBe('image/jpeg')
    expect(await typeOf('filename=half.png&preview=jpeg;50')).toBe('image/jpeg')
    expect(await typeOf('filename=half.png&preview=jpeg;50&channel=a')).toBe('image/png')
    expect(await typeOf('filename=opaque.png&preview=webp')).toBe('image/jpeg')
  })

  it('are served unchanged if they cannot be read', async () => {
    const { view, upload } = await open()
    await upload('/upload/image', Buffer.from('RIFF....WEBP'), 'a.webp')
    expect((await view('filename=a.webp&channel=rgb')).text).toBe('RIFF....WEBP')
  })

  it('get the alpha of a mask, and keep their colours and graph', async () => {
    const { view, upload } = await open()
    const mask = pictureOf([1, 2, 3, 7, 4, 5, 6, 9])
    const reference = JSON.stringify({ filename: 'half.png', type: 'input' })
    const stored = await upload('/upload/mask', mask, 'masked.png', { original_ref: reference })
    expect(stored.json()).toEqual({ name: 'masked.png', subfolder: '', type: 'input' })
    const masked = await view('filename=masked.png')
    expect(pixels(masked)).toEqual([...RED, 7, ...RED, 9])
    expect([masked.bytes.includes('prompt'), masked.bytes.includes('Title')]).toEqual([true, false])
  })

  it.each([[{}], [{ original_ref: '{"filename":"nothing.png","type":"input"}' }], [{ original_ref: '[' }]])(
    'are not masked with %j',
    async (fields) => {
      const { upload } = await open()
      expect((await upload('/upload/mask', HALF, 'masked.png', fields)).status).toBe(400)
    },
  )
})

it.each<Readonly<Record<string, string | File>>>([
  { other: new File(['x'], 'a.png') },
  { image: new File(['x'], '') },
  { image: 'x' },
  { image: new File(['x'], 'a.png'), subfolder: '../a' },
])('an upload is refused without an image, a name and a folder of inputs', async (fields) => {
  const service = await setup()
  await service.createEndpoint('e', { workflows: {} })
  const { send } = await openProxy(service)
  expect((await uploadTo(send, '/comfy/e/upload/image', fields)).status).toBe(400)
})

it('only clients of its endpoint can load and show an upload', async () => {
  const service = await setup()
  for (const id of ['e', 'f']) await service.createEndpoint(id, { workflows: {}, workersMin: 0 })
  const { send } = await openProxy(service)
  const upload = async (id: string, text: string) =>
    (await uploadTo(send, `/comfy/${id}/upload/image`, { image: new File([text], 'a.png'), subfolder: 'in' })).json()
  const load = { class_type: 'LoadImage', inputs: { image: 'in/a.png' } }
  const prompt = { a: load, b: { class_type: 'SaveImage', inputs: { images: ['a', 0], filename_prefix: 'b' } } }
  expect(await upload('e', 'mine')).toEqual({ name: 'a.png', subfolder: 'in', type: 'input' })
  const view = async (id: string) => {
    const { status, text } = await send(`/comfy/${id}/view?type=input&subfolder=in&filename=a.png`)
    return [status, text]
  }
  expect([await view('e'), await view('f')]).toEqual([
    [200, 'mine'],
    [404, ''],
  ])
  for (const id of ['f', 'e']) {
    const sent = await send(`/comfy/${id}/prompt`, { method: 'POST', body: JSON.stringify({ prompt }) })
    expect(sent.status).toBe(200)
  }
  const images = async (id: string) => (await (await service.worker(id)).take())?.input
  expect(await images('f')).not.toHaveProperty('images')
  const image = Buffer.from('mine').toString('base64')
  expect(await images('e')).toMatchObject({ images: [{ name: 'in/a.png', image }] })
  await upload('f', 'mine')
  expect(await view('f')).toEqual([200, 'mine'])
})

describe('lists of prompts', () => {
  const PROMPT = { a: { class_type: 'SomeNode', inputs: {} } }

  /** An endpoint whose worker has ended `ends` prompts, and which has one that waits. */
  async function withHistory(ends: readonly object[]) {
    const service = await setup()
    await service.createEndpoint('e', { workflows: {} })
    const { send } = await openProxy(service)
    const queue = async (): Promise<string> =>
      (await send('/comfy/e/prompt', { method: 'POST', body: JSON.stringify({ prompt: PROMPT }) })).json().prompt_id
    const worker = await service.worker()
    const ids: string[] = []
    for (const end of ends) {
      const id = await queue()
      ids.push(id)
      const job = await worker.take()
      await worker.done(String(job?.id), end)
      await service.clock.until(async () => (await send(`/comfy/e/history/${id}`)).json()[id] !== undefined)
    }
    const waiting = await queue()
    const read = async (path: string) => (await send(`/comfy/e${path}`)).json()
    return {
      ids,
      waiting,
      read,
      change: (path: string, body: object) => send(`/comfy/e${path}`, { method: 'POST', body: JSON.stringify(body) }),
    }
  }

  it('return the newest of the history, or as many as requested from the oldest on', async () => {
    const { ids, read, change } = await withHistory([{ output: 1 }, { output: 2 }, { error: 'no' }])
    const [first, second, third] = ids
    const history = async (query: string) => Object.keys(await read(`/history${query}`))
    expect(await history('')).toEqual(ids)
    expect(await history('?max_items=2')).toEqual([second, third])
    expect(await history('?max_items=2&offset=0')).toEqual([first, second])
    expect(await history('?offset=1')).toEqual([second, third])
    await change('/history', { delete: [second] })
    expect(await history('')).toEqual([first, third])
    await change('/history', { clear: 1 })
    expect(await history('')).toEqual([])
  })

  it('filter and sort jobs', async () => {
    const { ids, waiting, read, change } = await withHistory([{ output: 1 }, { error: 'no' }])
    const jobs = async (query: string) => (await read(`/jobs${query}`)).jobs.map(({ id }: { id: string }) => id)
    expect(await jobs('')).toEqual([waiting, ...ids.toReversed()])
    expect(await jobs('?sort_order=asc&limit=1&offset=1')).toEqual([ids[1]])
    expect(await jobs('?sort_by=execution_duration&sort_order=asc')).toEqual([...ids, waiting])
    expect(await jobs('?status=failed')).toEqual([ids[1]])
    expect(await jobs('?status=pending,completed')).toEqual([waiting, ids[0]])
    expect((await read('/jobs?limit=2')).pagination).toEqual({ offset: 0, limit: 2, total: 3, has_more: true })
    const failed = await read(`/api/jobs/${ids[1]}`)
    expect(failed).toMatchObject({ status: 'failed', execution_error: { exception_message: 'no', prompt_id: ids[1] } })
    expect(await read('/jobs?status=done')).toMatchObject({ error: expect.stringContaining('Invalid status') })
    await change('/queue', { delete: [waiting] })
    expect((await read('/queue')).queue_pending).toEqual([])
  })

  it('count all jobs, however many a response holds', async () => {
    const { read, change } = await withHistory([{ output: 1 }])
    const most = limit('comfyuiHistoryShown')
    for (let sent = 0; sent < most; sent++) await change('/prompt', { prompt: PROMPT })
    const page = async (query: string) => {
      const { jobs, pagination } = await read(`/jobs${query}`)
      return { shown: jobs.length, ...pagination }
    }
    const total = most + 2
    expect(await page('')).toEqual({ shown: most, offset: 0, limit: null, total, has_more: true })
    expect(await page(`?offset=${most}`)).toEqual({ shown: 2, offset: most, limit: null, total, has_more: false })
    expect(await page('?status=completed')).toMatchObject({ shown: 1, total: 1, has_more: false })
  })
})

it('finds one of many node classes without holding the event loop', async () => {
  const service = await setup()
  await service.createEndpoint('e', { workflows: {} })
  const type = { input: { required: { value: ['INT', { max: 1 }] } }, output: [], description: 'd'.repeat(1000) }
  const types = Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`Class ${at}`, type]))
  await service.ask('PUT', '/api/node-types/e', { body: { text: JSON.stringify(types) } })
  const { send } = await openProxy(service)
  await expectShortHold(50, async () => {
    expect((await send('/comfy/e/object_info/Class%208')).json()).toEqual({ 'Class 8': type })
  })
  expect((await send('/comfy/e/object_info/Class%20none')).json()).toEqual({})
})

/** Pictures that nodes send over the socket, from a ComfyUI server through an endpoint to the client. */
import { fileURLToPath } from 'node:url'
import { encode } from 'fast-png'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { RecordedMessage } from '../support/comfyui/exchange.ts'
import { recordedServer } from '../support/comfyui/recorded-server.ts'
import { until } from '../support/served-service.ts'
import { sharedService } from '../support/shared-in-file.ts'

const HANDLER = fileURLToPath(new URL('../../resources/node/comfyui/handler.ts', import.meta.url))
const ID = 'abef4a87-4734-49fd-8a78-b8a29796ca06'
const [CORE, KRITA] = ['SaveImageWebsocket', 'ETN_SendImageWebSocket']
const GRAPH = {
  1: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
  core: { class_type: CORE, inputs: { images: ['1', 0] } },
  krita: { class_type: KRITA, inputs: { images: ['1', 0], format: 'PNG' } },
}
const output = (name: string) => ({
  [name]: { input: { required: { images: ['IMAGE'] } }, output: [], output_node: true },
})
const EMPTY_IMAGE = {
  EmptyImage: {
    input: { required: Object.fromEntries(['width', 'height', 'batch_size', 'color'].map((name) => [name, ['INT']])) },
    ...{ output: ['IMAGE'], output_node: false },
  },
}

const pictureOf = (shade: number) =>
  Buffer.from(encode({ width: 8, height: 8, channels: 1, depth: 8, data: new Uint8Array(64).fill(shade) }))
const [FIRST, SECOND, THIRD] = [pictureOf(1), pictureOf(2), pictureOf(3)]
const number = (value: number) => Buffer.from([0, 0, 0, value])
const told = (type: string, data: object) => ({ text: JSON.stringify({ type, data: { ...data, prompt_id: ID } }) })
const plain = (picture: Buffer) => ({
  base64: Buffer.concat([number(1), number(2), picture]).toString('base64'),
})
function named(node: string, picture: Buffer): RecordedMessage {
  const facts = Buffer.from(JSON.stringify({ node_id: node, prompt_id: ID, image_type: 'image/png' }))
  return { base64: Buffer.concat([number(4), number(facts.length), facts, picture]).toString('base64') }
}

const shared = sharedService()

/** An endpoint in front of a server that sends these messages for its prompt. */
async function setup(messages: readonly RecordedMessage[]) {
  const krita = { images: [{ source: 'websocket', 'content-type': 'image/png', type: 'output' }] }
  const record = { prompt: [], outputs: { krita }, status: { status_str: 'success', completed: true, messages: [] } }
  const answers = Object.entries({
    'GET /object_info': { ...EMPTY_IMAGE, ...output(CORE), ...output(KRITA) },
    'GET /system_stats': { system: { comfyui_version: '0.45.0' }, devices: [] },
    'POST /prompt': { prompt_id: ID, number: 1, node_errors: {} },
    [`GET /history/${ID}`]: { [ID]: record },
  })
  const server = await recordedServer({
    ...{ comfyui: '0.45.0', input: {}, publicAnswer: {} },
    answers: answers.map(([asked, body]) => {
      const [method = '', path = ''] = asked.split(' ')
      return { method, path, status: 200, type: 'application/json', body: { text: JSON.stringify(body) } }
    }),
    socket: [told('execution_start', {}), ...messages, told('execution_success', {})],
  })
  const service = await shared()
  const settings = { handler: HANDLER, workflows: { server: server.url }, workersMax: 1, comfyuiWithoutKey: true }
  await service.createEndpoint('e', settings)
  await until(async () => expect((await service.get('/api/endpoints/e')).nodeTypesReadAt).toBeDefined())
  return { service, base: `${service.url()}/comfy/e` }
}

async function post(base: string, prompt: object): Promise<string> {
  const sent = await fetch(`${base}/prompt`, { method: 'POST', body: JSON.stringify({ prompt, client_id: 'me' }) })
  return ((await sent.json()) as { prompt_id: string }).prompt_id
}

test('reach the client as messages of their node, and are results of the prompt', async () => {
  const { base } = await setup([
    told('executing', { node: 'core' }),
    ...[plain(FIRST), plain(SECOND)],
    told('executing', { node: 'krita' }),
    named('krita', THIRD),
  ])
  const socket = new WebSocket(`${base.replace('http', 'ws')}/ws?clientId=me`)
  const got: [node: string, message: string][] = []
  let node: string | null = 'none'
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) got.push([String(node), data.toString('base64')])
    else {
      const { type, data: said } = JSON.parse(String(data))
      if (type === 'executing') node = said.node
    }
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const id = await post(base, GRAPH)
  await until(() => expect(node).toBe(null))
  expect(got).toEqual([
    ['core', plain(FIRST).base64],
    ['core', plain(SECOND).base64],
    ['krita', plain(THIRD).base64],
  ])
  socket.terminate()

  const history = (await (await fetch(`${base}/history/${id}`)).json()) as Record<string, { outputs: object }>
  const image = { type: 'output', source: 'websocket', 'content-type': 'image/png', subfolder: id }
  const filename = (of: string, at: number) => `websocket_${of}_0000${at}.png`
  expect(history[id]?.outputs).toEqual({
    core: { images: [1, 2].map((at) => ({ ...image, filename: filename('core', at) })) },
    krita: { images: [{ ...image, filename: filename('krita', 1) }] },
  })
  const kept = await fetch(`${base}/view?${new URLSearchParams({ ...image, filename: filename('core', 2) })}`)
  expect(Buffer.from(await kept.arrayBuffer()).equals(SECOND)).toBe(true)
})

test('that do not arrive are the reason why the job fails', async () => {
  const { service, base } = await setup([told('executing', { node: 'core' })])
  const { 1: empty, core } = GRAPH
  const id = await post(base, { 1: empty, core })
  const { status, error } = await service.jobEnd('e', `${id}-l1`)
  expect([status, error]).toEqual([
    'FAILED',
    expect.stringContaining('Node core sends its pictures over the WebSocket, but none arrived. Run the job again.'),
  ])
})

/** A ComfyUI server with chosen classes and models that runs prompts in memory, and may be killed and started again. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { GIB } from '../../../src-main/lib/units.ts'
import { type AcceptedSocket, acceptSocket } from './accept-socket.ts'

type Graph = Readonly<Record<string, { readonly class_type: string; readonly inputs: Record<string, unknown> }>>

export type FakeServer = {
  readonly url: () => string
  /** Graphs whose prompts have ended with a result, oldest first. */
  readonly ran: readonly Graph[]
  /** How often a graph had another model than the one before it. */
  readonly loads: () => number
  /** How often it was told to unload its models. */
  readonly frees: () => number
  /** Ends with all its connections, and forgets its prompts and results. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
}

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const LOADED_BYTES = 4 * GIB

/**
 * @param runs is awaited before each prompt ends
 * @param answers takes a request over: true if it does
 */
export async function fakeServer({
  classes = [],
  models,
  runs = () => Promise.resolve(),
  answers = () => false,
}: {
  readonly classes?: readonly string[]
  readonly models: readonly string[]
  readonly runs?: () => Promise<void>
  readonly answers?: (request: IncomingMessage, response: ServerResponse) => boolean
}): Promise<FakeServer> {
  const ran: Graph[] = []
  let loads = 0
  let frees = 0
  let port = 0
  let life: { readonly server: Server; readonly kill: () => void } | undefined
  const plain = { input: { required: {} }, output: ['*'], output_node: true }
  const loader = { input: { required: { ckpt_name: [models] } }, output: ['MODEL', 'CLIP', 'VAE'], output_node: false }
  const types: Record<string, object> = {
    ...Object.fromEntries(['SaveImage', ...classes].map((name) => [name, plain])),
    CheckpointLoaderSimple: loader,
  }

  async function start(): Promise<void> {
    const sockets = new Map<string, AcceptedSocket>()
    const pending = new Map<string, Graph>()
    const history = new Map<string, object>()
    let loaded: unknown
    let isAlive = true
    let last: Promise<void> = Promise.resolve()

    async function runPrompt(id: string, clientId: string, graph: Graph): Promise<void> {
      const model = Object.values(graph).find(({ class_type }) => class_type === 'CheckpointLoaderSimple')?.inputs
        .ckpt_name
      if (isAlive && model !== loaded) loads += 1
      loaded = model
      await runs()
      if (!isAlive || !pending.delete(id)) return
      ran.push(graph)
      const images = [{ filename: `${id}.png`, subfolder: '', type: 'output' }]
      history.set(id, {
        prompt: [0, id, graph, {}, []],
        outputs: { 9: { images } },
        status: { status_str: 'success', completed: true },
      })
      sockets.get(clientId)?.send(JSON.stringify({ type: 'execution_success', data: { prompt_id: id } }))
    }

    async function answer(request: IncomingMessage): Promise<unknown> {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here')
      const [, first = '', second] = pathname.split('/')
      if (first === 'system_stats')
        return {
          system: { comfyui_version: '0.3.50', python_version: '3.12' },
          devices: [{ name: 'cuda:0', type: 'cuda', torch_vram_total: loaded === undefined ? 0 : LOADED_BYTES }],
        }
      if (first === 'free') {
        frees += 1
        loaded = undefined
        return {}
      }
      if (first === 'object_info') return second === undefined ? types : { [second]: types[second] }
      if (first === 'queue') return { queue_running: [...pending.keys()].map((id) => [0, id]), queue_pending: [] }
      if (first === 'history' && second !== undefined)
        return history.has(second) ? { [second]: history.get(second) } : {}
      if (first === 'history') {
        const most = Number(searchParams.get('max_items') ?? history.size)
        return Object.fromEntries([...history].slice(-most))
      }
      if (first === 'view') return PICTURE
      if (first === 'prompt' && request.method === 'GET') return { exec_info: { queue_remaining: pending.size } }
      if (first !== 'prompt') return {}
      const { prompt, client_id: clientId } = JSON.parse(await bodyOf(request))
      const id = randomUUID()
      pending.set(id, prompt)
      last = last.then(() => runPrompt(id, clientId, prompt))
      return { prompt_id: id, number: 0, node_errors: {} }
    }

    const server = createServer(async (request, response) => {
      if (answers(request, response)) return
      const body = await answer(request)
      const isPicture = Buffer.isBuffer(body)
      response.writeHead(200, { 'content-type': isPicture ? 'image/png' : 'application/json' })
      response.end(isPicture ? body : JSON.stringify(body))
    })
    server.on('upgrade', (request, stream) => {
      const clientId = new URL(request.url ?? '/', 'http://here').searchParams.get('clientId') ?? ''
      sockets.set(clientId, acceptSocket(request, stream))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    life = {
      server,
      kill() {
        isAlive = false
        for (const socket of sockets.values()) socket.drop()
      },
    }
  }

  async function kill(): Promise<void> {
    const { server, kill: end } = life ?? {}
    life = undefined
    if (server === undefined) return
    end?.()
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }

  await start()
  onTestFinished(kill)
  return { url: () => `http://127.0.0.1:${port}`, ran, loads: () => loads, frees: () => frees, kill, start }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

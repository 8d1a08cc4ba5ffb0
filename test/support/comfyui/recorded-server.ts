/**
 * A server that answers what a real ComfyUI answered, over real HTTP and a real WebSocket. A test may break it: see
 * `Faults`.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type AcceptedSocket, acceptSocket } from './accept-socket.ts'
import { bytesOf, type Exchange } from './exchange.ts'

/** A request that the server got. */
export type Asked = { readonly method: string; readonly path: string; readonly body: string }

/** Differences from the recording. */
export type Faults = {
  /** Answers a request by itself; false leaves it to the recording. */
  readonly answer?: (asked: Asked, response: ServerResponse) => boolean
  /** Replaces the recorded messages of the socket once the prompt is queued. */
  readonly onPrompt?: (socket: AcceptedSocket, server: RecordedServer) => void | Promise<void>
  /** Hears of each socket that a client opens, the first one is 1; false refuses it. */
  readonly onSocket?: (socket: number) => boolean
}

/** A server that answers as a ComfyUI did when it was recorded. */
export type RecordedServer = {
  readonly url: string
  readonly asked: Asked[]
  /** Texts that clients sent over their sockets. */
  readonly told: string[]
  readonly exchange: Exchange
  /** Of the socket that was opened last. */
  readonly socket: () => AcceptedSocket
  /** Sends the recorded messages from one place to another. */
  readonly replay: (socket: AcceptedSocket, from?: number, to?: number) => void
  /** Ends it with all its connections, as a crash would. */
  readonly die: () => Promise<void>
}

/** Starts one; it ends with the test. */
export async function recordedServer(exchange: Exchange, faults: Faults = {}): Promise<RecordedServer> {
  const [asked, told, sockets]: [Asked[], string[], AcceptedSocket[]] = [[], [], []]
  let opened = 0
  const server = createServer(async (request, response) => {
    const got = { method: request.method ?? 'GET', path: request.url ?? '/', body: await bodyOf(request) }
    asked.push(got)
    if (faults.answer?.(got, response) === true) return
    const answer = exchange.answers.find(({ method, path }) => method === got.method && path === got.path)
    response.writeHead(answer?.status ?? 404, { 'content-type': answer?.type ?? 'text/plain' })
    response.end(answer === undefined ? '404: Not Found' : bytesOf(answer.body))
    const socket = sockets.at(-1)
    if (got.path === '/prompt' && answer?.status === 200 && socket !== undefined)
      await (faults.onPrompt ?? ((to) => replay(to)))(socket, recorded)
  })
  server.on('upgrade', (request, stream) => {
    opened += 1
    if (faults.onSocket?.(opened) === false) stream.destroy()
    else sockets.push(acceptSocket(request, stream, (text) => void told.push(text)))
  })

  function replay(socket: AcceptedSocket, from = 0, to = exchange.socket.length): void {
    for (const message of exchange.socket.slice(from, to))
      socket.send('text' in message ? message.text : bytesOf(message))
  }

  async function die(): Promise<void> {
    if (!server.listening) return
    for (const socket of sockets) socket.drop()
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(die)
  const recorded: RecordedServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ asked, told, exchange, replay, die },
    socket() {
      const last = sockets.at(-1)
      if (last === undefined) throw new Error('no client has connected')
      return last
    },
  }
  return recorded
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

import { createHash, randomBytes } from 'node:crypto'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Duplex } from 'node:stream'
import { BadFrame, FrameReader, type MessageLimits, type SocketMessage, writeFrame } from './frames.ts'

/** A connection to a WebSocket server. */
export type Socket = {
  readonly send: (text: string) => void
  /** Goes on after `onMessage` has asked for a pause. */
  readonly resume: () => void
  /** Ends it at once; `onMessage` and `onEnd` are not called any more. */
  readonly close: () => void
}

/** What a WebSocket is opened with. */
export type SocketOptions = {
  /** Address with http or https. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly limits: MessageLimits
  readonly signal: AbortSignal
  readonly openMs: number
  /** After half of it without a byte the server is asked for one; after all of it the socket counts as dead. */
  readonly silenceMs: number
  /** @returns false: no more is read until `resume`, but for what has come with this one */
  readonly onMessage: (message: Extract<SocketMessage, { kind: 'text' | 'binary' | 'dropped' }>) => boolean
  /** Called once, with the reason, when it ends without having been closed here. */
  readonly onEnd: (why: Error) => void
}

// Source: RFC 6455, 1.3.
const ACCEPT_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
// How long a server has to take the last frame, in ms. Source: ours.
const CLOSE_MS = 1000

/** Opens a WebSocket. @throws Error that says what the server did instead */
export async function openSocket(options: SocketOptions): Promise<Socket> {
  const key = randomBytes(16).toString('base64')
  const { answer, stream, head } = await upgrade(options, key)
  const accept = createHash('sha1')
    .update(key + ACCEPT_GUID)
    .digest('base64')
  if (answer.headers['sec-websocket-accept'] !== accept) {
    stream.destroy()
    throw new Error('the server answered the WebSocket handshake with a wrong key')
  }
  return serve(stream, head, options)
}

type Upgraded = { readonly answer: IncomingMessage; readonly stream: Duplex; readonly head: Buffer }

function upgrade({ url, headers, signal, openMs }: SocketOptions, key: string): Promise<Upgraded> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      agent: false,
      signal,
      timeout: openMs,
      headers: {
        ...headers,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': key,
      },
    })
    asked.on('upgrade', (answer, stream, head) => resolve({ answer, stream, head }))
    asked.on('response', (answer) => {
      answer.destroy()
      reject(new Error(`the server answered the WebSocket handshake with HTTP ${answer.statusCode}`))
    })
    asked.on('timeout', () =>
      asked.destroy(new Error(`the server did not open the WebSocket within ${openMs / 1000} s`)),
    )
    asked.on('error', reject)
    asked.end()
  })
}

function serve(stream: Duplex, head: Buffer, { limits, silenceMs, onMessage, onEnd }: SocketOptions): Socket {
  const reader = new FrameReader(limits)
  let ended = false
  let quietHalves = 0

  const send = (code: 'text' | 'pong' | 'ping', payload: Uint8Array) => {
    if (!ended) stream.write(writeFrame(code, payload, randomBytes(4)))
  }
  // Not every ping needs its answer (RFC 6455, 5.5.3), and a server that reads none must not fill our memory.
  const answer = (payload: Uint8Array) => {
    if (!stream.writableNeedDrain) send('pong', payload)
  }
  const end = (why: Error) => {
    if (ended) return
    ended = true
    clearInterval(watch)
    stream.destroy()
    onEnd(why)
  }
  const take = (bytes: Buffer) => {
    if (ended) return
    quietHalves = 0
    try {
      for (const message of reader.push(bytes)) {
        if (ended) return
        if (message.kind === 'ping') answer(message.payload)
        else if (message.kind === 'close') end(new Error(closeReason(message)))
        else if (message.kind !== 'pong' && !onMessage(message)) stream.pause()
      }
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error
      end(error)
    }
  }
  const watch = setInterval(() => {
    if (stream.isPaused()) return // who does not listen hears nothing
    quietHalves += 1
    if (quietHalves >= 2) end(new Error(`the server sent nothing for ${silenceMs / 1000} s`))
    else send('ping', Buffer.alloc(0))
  }, silenceMs / 2)

  stream.on('data', take)
  stream.on('error', (error) => end(error))
  stream.on('close', () => end(new Error('the connection was closed')))
  if (head.length > 0) take(head)
  return {
    send: (text) => send('text', Buffer.from(text)),
    resume: () => {
      if (stream.isPaused()) stream.resume()
    },
    close: () => {
      if (ended) return
      ended = true
      clearInterval(watch)
      stream.end(writeFrame('close', Buffer.alloc(0), randomBytes(4)), () => stream.destroy())
      setTimeout(() => stream.destroy(), CLOSE_MS).unref()
    },
  }
}

function closeReason({ code, reason }: { readonly code: number | undefined; readonly reason: string }): string {
  const said = reason === '' ? '' : `: ${reason}`
  return code === undefined ? 'the server closed the connection' : `the server closed the connection (${code}${said})`
}

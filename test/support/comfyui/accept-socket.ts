import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { FrameReader, writeFrame } from '../../../resources/node/comfyui/socket/frames.ts'

/** The server's end of a WebSocket. */
export type AcceptedSocket = {
  readonly send: (message: string | Uint8Array) => void
  /** Sends the head of a message of so many bytes, and zeros for it as fast as they are taken. */
  readonly sendZeros: (length: number) => Promise<void>
  /** Sends bytes that are no frame. */
  readonly sendRaw: (bytes: Uint8Array) => void
  readonly ping: () => void
  /** Breaks the connection off, as a server that dies does. */
  readonly drop: () => void
  /** Closes it in order. */
  readonly close: (code: number, reason: string) => void
}

const ACCEPT_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const MASKED_TEXT_MAX = 1024 * 1024

/** Accepts a WebSocket on a connection that node:http hands over. @param onText hears what the client sends */
export function acceptSocket(
  request: IncomingMessage,
  stream: Duplex,
  onText: (text: string) => void = () => {},
): AcceptedSocket {
  const key = `${request.headers['sec-websocket-key']}${ACCEPT_GUID}`
  const accept = createHash('sha1').update(key).digest('base64')
  stream.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  const reader = new FrameReader({ textBytes: MASKED_TEXT_MAX, binaryBytes: 0 })
  const closed = new Promise((resolve) => stream.on('close', resolve))
  stream.on('error', () => {}) // a client that has gone
  stream.on('data', (bytes: Buffer) => {
    for (const message of reader.push(bytes)) {
      if (message.kind === 'text') onText(message.text)
      if (message.kind === 'close') stream.end()
    }
  })
  return {
    send: (message) => stream.write(writeFrame(typeof message === 'string' ? 'text' : 'binary', Buffer.from(message))),
    async sendZeros(length) {
      const head = Buffer.alloc(10)
      head.set([0x82, 127])
      head.writeBigUInt64BE(BigInt(length), 2)
      stream.write(head)
      const part = Buffer.alloc(1024 * 1024)
      for (let sent = 0; sent < length && !stream.destroyed; sent += part.length) {
        const isTaken = stream.write(part.subarray(0, Math.min(part.length, length - sent)))
        if (!isTaken) await Promise.race([once(stream, 'drain'), closed])
      }
    },
    sendRaw: (bytes) => void stream.write(bytes),
    ping: () => stream.write(writeFrame('ping', Buffer.from('here'))),
    drop: () => stream.destroy(),
    close: (code, reason) => {
      const payload = Buffer.alloc(2)
      payload.writeUInt16BE(code)
      stream.end(writeFrame('close', Buffer.concat([payload, Buffer.from(reason)])))
    },
  }
}

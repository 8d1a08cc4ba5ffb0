import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'

/** The server's end of a WebSocket. */
export type AcceptedSocket = ReturnType<typeof acceptSocket>

const server = new WebSocketServer({ noServer: true, autoPong: false })

/** Accepts a WebSocket on a connection that node:http passes on. @param onText hears what the client sends */
export function acceptSocket(request: IncomingMessage, stream: Duplex, onText: (text: string) => void = () => {}) {
  const accepted: WebSocket[] = []
  server.handleUpgrade(request, stream, Buffer.alloc(0), (one) => accepted.push(one))
  const [socket] = accepted
  if (socket === undefined) throw new Error('the handshake was refused')
  const closed = new Promise((resolve) => stream.on('close', resolve))
  socket.on('error', () => {}) // a client that has gone
  socket.on('message', (text) => onText(String(text)))
  return {
    send: (message: string | Uint8Array) => socket.send(message),
    /** Sends the head of a message of this length, and zeros for it as fast as they are taken. */
    async sendZeros(length: number): Promise<void> {
      const head = Buffer.alloc(10)
      head.set([0x82, 127])
      head.writeBigUInt64BE(BigInt(length), 2)
      stream.write(head)
      const part = Buffer.alloc(1024 * 1024)
      for (let sent = 0; sent < length && !stream.destroyed; sent += part.length) {
        const isTaken = stream.write(part.subarray(0, Math.min(part.length, length - sent)))
        if (!isTaken) await Promise.race([new Promise((resolve) => stream.once('drain', resolve)), closed])
      }
    },
    /** Sends bytes that are no frame. */
    sendRaw: (bytes: Uint8Array) => void stream.write(bytes),
    ping: () => socket.ping('here'),
    /** Breaks the connection off, as a server that dies does. */
    drop: () => socket.terminate(),
    close: (code: number, reason: string) => socket.close(code, reason),
  }
}

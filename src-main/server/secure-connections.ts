/** Answers https on the port that answers http: the first byte that a client sends tells which of the two it speaks. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type SecureContext, Server as SecureServer } from 'node:tls'
import type { Connections } from './connections.ts'

// First byte of a record that shakes hands; source: RFC 8446, 5.1. No method of HTTP begins with it.
const HANDSHAKE = 0x16
const HANDSHAKE_MS = 10_000

/**
 * Makes a server answer both. To be called when it listens to connections itself, and before it has any.
 * @param contextFor rejects for names that are not ours
 * @returns ends connections on which nothing is asked yet
 */
export function answerSecurely(
  server: Server,
  { opened, released }: Pick<Connections, 'opened' | 'released'>,
  contextFor: (name: string) => Promise<SecureContext>,
): () => void {
  const plain = server.listeners('connection') as ((socket: Socket) => void)[]
  // Those that do not ask anything yet, by their client: the socket above one that shakes hands has the same.
  const silent = new Map<string, Socket>()
  const clientOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress}:${remotePort}`
  const serve = (socket: Socket) => {
    for (const listener of plain) listener.call(server, socket)
  }
  // It opens no port: connections are given to it.
  const secure = new SecureServer(
    {
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: HANDSHAKE_MS,
      SNICallback: (name, done) => contextFor(name).then((context) => done(null, context), done),
    },
    (socket) => {
      silent.delete(clientOf(socket))
      opened(socket)
      serve(socket)
    },
  )
  secure.on('tlsClientError', (_error, socket) => socket.destroy())
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    opened(socket)
    const client = clientOf(socket)
    silent.set(client, socket)
    const fail = () => socket.destroy()
    socket.once('close', () => {
      if (silent.get(client) === socket) silent.delete(client)
    })
    socket.once('error', fail)
    socket.once('data', (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      if (first[0] === HANDSHAKE) {
        released(socket)
        secure.emit('connection', socket)
      } else {
        silent.delete(client)
        socket.off('error', fail)
        serve(socket)
      }
      process.nextTick(() => socket.resume())
    })
  })
  return () => {
    for (const socket of silent.values()) socket.destroy()
  }
}

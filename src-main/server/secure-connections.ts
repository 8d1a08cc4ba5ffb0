/** Answers https on the port that answers http: the first byte that a client sends tells which of the two it speaks. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type SecureContext, Server as SecureServer } from 'node:tls'
import { isLoopback } from '../domain/own-addresses.ts'
import type { CertificatePair } from './certificates.ts'
import { type Connections, endSocketWith } from './connections.ts'

// First byte of a record that shakes hands; source: RFC 8446, 5.1. No method of HTTP begins with it.
const HANDSHAKE = 0x16
const HANDSHAKE_MS = 10_000

/** What a server answers securely with. */
export type Secured = {
  /** Finds the certificate for a name; rejects for names that are not ours. */
  readonly contextFor: (name: string) => Promise<SecureContext>
  /** The certificate for clients that name none; undefined: such clients are not answered. */
  readonly unnamed?: CertificatePair | undefined
  /** Whether http is answered on loopback alone, and https everywhere. */
  readonly onlyLoopbackIsPlain?: boolean
}

// A listener of both families names an address of IPv4 in the form of IPv6.
const localAddressOf = ({ localAddress = '' }: Socket) => localAddress.replace(/^::ffff:/, '')
const INSECURE =
  'HTTP/1.1 426 Upgrade Required\r\nupgrade: TLS/1.2\r\nconnection: upgrade, close\r\ncontent-length: 0\r\n\r\n'

/**
 * Makes a server answer both. To be called when it listens to connections itself, and before it has any.
 * @returns ends connections on which nothing is asked yet
 */
export function answerSecurely(
  server: Server,
  { opened, released }: Pick<Connections, 'opened' | 'released'>,
  { contextFor, unnamed, onlyLoopbackIsPlain = false }: Secured,
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
      ...unnamed,
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
      } else if (onlyLoopbackIsPlain && !isLoopback(localAddressOf(socket))) {
        // Before anything was read of it: a key must not look as if it could be sent so.
        endSocketWith(socket, INSECURE)
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

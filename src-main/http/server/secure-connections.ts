import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type SecureContext, Server as SecureServer } from 'node:tls'
import { isLoopback } from '../../lib/own-addresses.ts'
import type { CertificatePair } from './certificates.ts'
import { type Connections, endSocketWith } from './connections.ts'

// First byte of a handshake record; source: RFC 8446, 5.1. No HTTP method begins with it.
const HANDSHAKE = 0x16
const HANDSHAKE_MS = 10_000

export type Secured = {
  readonly contextFor: (name: string) => Promise<SecureContext>
  /** Certificate for clients that send no name (SNI); undefined rejects them. */
  readonly unnamed?: CertificatePair | undefined
  readonly onlyLoopbackIsPlain?: boolean
}

// A dual-stack listener reports IPv4 addresses in their IPv6 form.
const localAddressOf = ({ localAddress = '' }: Socket) => localAddress.replace(/^::ffff:/, '')
const INSECURE =
  'HTTP/1.1 426 Upgrade Required\r\nupgrade: TLS/1.2\r\nconnection: upgrade, close\r\ncontent-length: 0\r\n\r\n'

/**
 * Makes a server speak both; call when it listens and before its first connection.
 * @returns a function that ends connections without a request
 */
export function answerSecurely(
  server: Server,
  { opened, released }: Pick<Connections, 'opened' | 'released'>,
  { contextFor, unnamed, onlyLoopbackIsPlain = false }: Secured,
): () => void {
  const plain = server.listeners('connection') as ((socket: Socket) => void)[]
  const silent = new Map<string, Socket>()
  const clientOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress}:${remotePort}`
  const serve = (socket: Socket) => {
    for (const listener of plain) listener.call(server, socket)
  }
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
        // Before reading anything, so that sending a key this way never seems to work.
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

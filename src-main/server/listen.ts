/**
 * The only place that opens a port. Loopback only; header size, header time and the number of sockets are bounded, so
 * that slow or greedy clients do not keep others waiting.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { AppError, errorBody } from '../contract/errors.ts'
import { StartError } from './start-error.ts'

/** An open listener. */
export type Listener = {
  readonly port: number
  /** Takes no new connection, ends idle ones, and the others when they are answered or `graceMs` is over. */
  readonly close: (graceMs: number) => Promise<void>
}

/** Answers requests; the second argument is what the node server adds. */
export type Fetch = (request: Request, bindings: object) => Response | Promise<Response>

const HEADER_BYTES = 16 * 1024
const HEADERS_MS = 10_000
// A body of 20 MiB over a slow loopback proxy still arrives; a client that drips bytes does not hold a socket for ever.
const REQUEST_MS = 120_000
const KEEP_ALIVE_MS = 65_000
const LOOPBACK = '127.0.0.1'

/**
 * Opens a port on loopback.
 * @param port 0 takes a free one
 * @throws StartError 'port-taken'
 */
export async function listen(fetch: Fetch, port: number): Promise<Listener> {
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 5000,
      noDelay: true,
    },
    getRequestListener(fetch, { hostname: LOOPBACK, errorHandler: (error) => plainError(error) }),
  )
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  })
  await open(server, port)
  return { port: (server.address() as AddressInfo).port, close: (graceMs) => close(server, graceMs) }
}

// What the app never saw: a request line or Host that no address can be made of.
function plainError(error: unknown): Response {
  const unreadable = error instanceof Error && error.name === 'RequestError'
  const known = unreadable
    ? new AppError('BAD_FIELD', { field: 'request', why: 'its address or Host header is not valid' })
    : new AppError('INTERNAL', { requestId: 'no id' })
  const body = errorBody(known)
  return new Response(JSON.stringify(body), { status: body.status, headers: { 'content-type': 'application/json' } })
}

function open(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error & { code?: string }) => {
      if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') return reject(error)
      const why = error.code === 'EACCES' ? 'may not be opened by this user' : 'is taken by another program'
      reject(
        new StartError('port-taken', `Port ${port} ${why}. Choose another one with --port, or 0 for any free one.`, {
          cause: error,
        }),
      )
    })
    server.listen({ port, host: LOOPBACK, backlog: 1024 }, resolve)
  })
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
}

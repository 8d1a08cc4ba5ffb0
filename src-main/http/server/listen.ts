/**
 * The only place that opens ports: loopback, container network gateways, and addresses the user requests. Limits keep
 * slow or greedy clients from blocking others.
 */
import { randomInt } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { AppError, errorBody } from '../../contract/errors.ts'
import { LOOPBACK, OWN_PORTS } from '../../lib/own-addresses.ts'
import { OTHER_PROGRAM, StartError } from '../../lib/start-error.ts'
import { type ConnectionLimits, endSocketWith, REQUEST_TIMEOUT, watchConnections } from './connections.ts'
import { withinRequest } from './last-net.ts'
import { answerSecurely, type Secured } from './secure-connections.ts'

export type Listener = {
  readonly port: number
  readonly close: (graceMs: number) => Promise<void>
}

export type Fetch = (request: Request, bindings: object) => Response | Promise<Response>

export type StreamHandler = {
  readonly isFor: (incoming: IncomingMessage) => boolean
  /** Must write `100 Continue` itself if the client waits for it. */
  readonly request: (incoming: IncomingMessage, response: ServerResponse) => void
  readonly upgrade: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** Lets an app answer the requests of a stream handler. */
export const requestListener = (fetch: Fetch) =>
  getRequestListener(fetch, { hostname: LOOPBACK, errorHandler: plainError })

const HEADER_BYTES = 16 * 1024
// 20 MiB over a slow loopback proxy still arrive, but a client that drips bytes cannot hold a socket forever.
const BODY_MS = 120_000
const FREE_PORTS_TRIED = 100
const KEEP_ALIVE_MS = 65_000

/**
 * Opens a port, on loopback by default.
 * @param port 0 takes a free one
 * @param options.streams handles its requests instead of `fetch`, and all upgrades
 * @param options.bodyMs time limit for a `fetch` request body, ms
 * @param options.secure enables https
 * @throws StartError 'port-taken', 'address'
 */
export async function listen(
  fetch: Fetch,
  port: number,
  {
    host = LOOPBACK,
    streams,
    bodyMs = BODY_MS,
    connections: limits,
    secure,
  }: {
    readonly host?: string
    readonly streams?: StreamHandler
    readonly bodyMs?: number
    readonly connections?: Partial<ConnectionLimits>
    readonly secure?: Secured
  } = {},
): Promise<Listener> {
  const connections = watchConnections(limits)
  const handleRequest = getRequestListener(fetch, { hostname: host, errorHandler: (error) => plainError(error) })
  const onRequest = (incoming: IncomingMessage, response: ServerResponse) =>
    withinRequest(incoming, response, () => {
      connections.asked(incoming, response)
      if (streams?.isFor(incoming)) return streams.request(incoming, response)
      boundBody(incoming, bodyMs)
      if (!isReadableHost(incoming.headers.host)) incoming.headers.host = FOREIGN_HOST
      void handleRequest(incoming, response)
    })
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: 0,
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      noDelay: true,
      // Other upgrade requests are answered normally, as some clients always send them (h2c).
      shouldUpgradeCallback: (incoming) => streams?.isFor(incoming) === true && isWebSocket(incoming),
    },
    onRequest,
  )
  server.on('checkContinue', (incoming, response) => {
    if (streams?.isFor(incoming) !== true) response.writeContinue()
    onRequest(incoming, response)
  })
  const endSilent = secure === undefined ? undefined : answerSecurely(server, connections, secure)
  if (secure === undefined) server.on('connection', connections.opened)
  if (streams !== undefined) {
    server.on('upgrade', (incoming, socket, head) => {
      connections.asked(incoming, undefined)
      streams.upgrade(incoming, socket, head)
    })
  }
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
    endSocketWith(socket, `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  })
  server.once('close', connections.close)
  try {
    await open(server, port, host)
  } catch (error) {
    connections.close()
    throw error
  }
  return { port: (server.address() as AddressInfo).port, close: (graceMs) => close(server, graceMs, endSilent) }
}

// Node's limit would also end an upload that waits for a worker to read it.
function boundBody(incoming: IncomingMessage, ms: number): void {
  const { headers, socket } = incoming
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return
  const timer = setTimeout(() => {
    if (!incoming.complete) endSocketWith(socket, REQUEST_TIMEOUT)
  }, ms)
  incoming.once('close', () => clearTimeout(timer))
}

const isWebSocket = ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Finds a free loopback port for a worker. If another program takes it first, the worker ends and its successor gets
 * another.
 * @param isTaken ports already assigned
 */
export async function freePort(isTaken: (port: number) => boolean): Promise<number> {
  const [from, to] = [OWN_PORTS.from, OWN_PORTS.from + OWN_PORTS.count]
  for (let tries = 0; tries < FREE_PORTS_TRIED; tries++) {
    const port = randomInt(from, to)
    if (!isTaken(port) && (await canOpen(port))) return port
  }
  throw new Error(`no free port from ${from} to ${to} was found for the worker`)
}

export function canOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createSocketServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: LOOPBACK }, () => server.close(() => resolve(true)))
  })
}

// The guards refuse it. A Host that no address can be made of would fail before them.
const FOREIGN_HOST = 'host.invalid'

function isReadableHost(host = ''): boolean {
  return URL.parse(`http://${host}`)?.hostname === host.replace(/:\d+$/, '').toLowerCase()
}

// Answers a request line that no address can be made of, which the app never sees.
function plainError(error: unknown): Response {
  const unreadable = error instanceof Error && error.name === 'RequestError'
  const known = unreadable
    ? new AppError('BAD_FIELD', { field: 'request', why: 'its address is not valid' })
    : new AppError('INTERNAL', { requestId: 'no id' })
  const body = errorBody(known)
  return new Response(JSON.stringify(body), { status: body.status, headers: { 'content-type': 'application/json' } })
}

function open(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error & { code?: string }) => {
      if (error.code === 'EADDRNOTAVAIL') return reject(notOurs(host, error))
      if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') return reject(error)
      const why = error.code === 'EACCES' ? 'may not be opened by this user' : `is taken by ${OTHER_PROGRAM}`
      reject(
        new StartError('port-taken', `Port ${port} ${why}. Choose another one with --port, or 0 for any free one.`, {
          cause: error,
        }),
      )
    })
    server.listen({ port, host, backlog: 1024 }, resolve)
  })
}

function notOurs(host: string, cause: Error): StartError {
  const why = `This machine does not have the address ${host}. Listen on one of its own, or on 0.0.0.0 for all of them.`
  return new StartError('address', why, { cause })
}

function close(server: Server, graceMs: number, endSilent: (() => void) | undefined): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
    endSilent?.()
  })
}

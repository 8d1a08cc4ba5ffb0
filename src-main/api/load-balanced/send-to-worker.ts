import { Agent, type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { SendFailure } from '../../domain/load-balanced/choose-worker.ts'
import { headersForWorker } from '../../domain/load-balanced/forward-headers.ts'
import type { Seat } from '../../services/load-balanced/worker-seats.ts'
import { copyResponse, pumpBody, tooLarge } from './copy-bodies.ts'
import type { Exchange } from './exchange.ts'
import { discardRest } from './write-error.ts'

/** How one try ended. `failed`: no byte of a response came. `gone`: the client left. */
export type Sent =
  | { readonly kind: 'answered' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly failure: SendFailure; readonly why: string }

/**
 * Connections that stay open. Only requests that may be sent twice use them: a worker may close one in the very
 * moment in which it is used again. Others get a connection of their own, which costs a tenth of a millisecond.
 */
const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 })
// Source: ours. What a worker answers is its own matter, and some send many cookies.
const RESPONSE_HEADER_BYTES = 64 * 1024

// Whoever may send there may run anything: the worker takes it from the service alone, which knows the hash of its
// token. Another process of this machine, which can reach its port, does not.
const TAKES_CODE = '/_runpod/'

/** Opens the request at the worker; nothing of a body is sent yet. @param upgrade protocol, for a request for one */
export function openRequest(
  { incoming, address, body, trace }: Exchange,
  seat: Seat,
  { reuse, upgrade }: { readonly reuse: boolean; readonly upgrade?: string },
): ClientRequest {
  const method = incoming.method ?? 'GET'
  return request({
    host: seat.address.host,
    port: seat.address.port,
    method,
    path: address.target,
    headers: headersForWorker(incoming.rawHeaders, {
      clientAddress: incoming.socket.remoteAddress ?? '',
      host: incoming.headers.host ?? '',
      prefix: address.prefix,
      method,
      body,
      upgrade,
      trace: trace?.headers,
      proof: address.target.startsWith(TAKES_CODE) ? Buffer.from(seat.worker.tokenHash).toString('hex') : undefined,
    }),
    agent: reuse ? agent : false,
    setHost: false,
    maxHeaderSize: RESPONSE_HEADER_BYTES,
  })
}

/**
 * How long a request may take at its worker, ms: the limit of load-balanced endpoints, or the endpoint's own below it.
 */
export function processingMs({ endpoint }: Pick<Exchange, 'endpoint'>): number {
  return Math.min(limit('proxyProcessingMs'), endpoint.config.executionTimeoutMs)
}

/** The error of a request that takes too long. */
export function tooSlow(exchange: Pick<Exchange, 'endpoint'>, { worker }: Seat): AppError {
  return new AppError('REQUEST_TOO_SLOW', { workerId: worker.id, seconds: processingMs(exchange) / 1000 })
}

/** The error of a response that cannot be forwarded to the client. */
export function cannotForward({ endpoint }: Pick<Exchange, 'endpoint'>, { worker }: Seat, error: unknown): AppError {
  const why = `its response cannot be forwarded: ${(error as Error).message}`
  return new AppError('WORKER_FAILED', { workerId: worker.id, endpointId: endpoint.id, why })
}

/**
 * Sends a request to a worker and passes its response on. The limit on processing is for all of it, to the last byte.
 * @throws AppError REQUEST_TOO_LARGE, REQUEST_TOO_SLOW, WORKER_FAILED; the response may have begun then
 */
export function sendToWorker(
  exchange: Exchange,
  seat: Seat,
  { response, reuse }: { readonly response: ServerResponse; readonly reuse: boolean },
): Promise<Sent> {
  const { incoming, body, gone, service, endpoint } = exchange
  return new Promise((resolve, reject) => {
    const outgoing = openRequest(exchange, seat, { reuse })
    let connected = false
    let hasResponded = false
    let stopReading = () => {}
    let settled = false

    function settle(act: () => void): void {
      if (settled) return
      settled = true
      cancelTimer()
      gone.signal.removeEventListener('abort', leave)
      stopReading()
      act()
    }
    const cutOff = (error: AppError) => {
      settle(() => reject(error))
      outgoing.destroy()
    }
    const leave = () => {
      settle(() => resolve({ kind: 'gone' }))
      outgoing.destroy()
    }
    const cancelTimer = service.clock.after(processingMs(exchange), () => cutOff(tooSlow(exchange, seat)))
    gone.signal.addEventListener('abort', leave, { once: true })

    // Not before there is a connection: a body that was not read can still go to another worker.
    function sendBody(): void {
      connected = true
      if (settled || body === 'none') return
      if (incoming.headers.expect !== undefined) response.writeContinue()
      stopReading = pumpBody(exchange, outgoing, () => cutOff(tooLarge()))
    }

    function onResponse(workerResponse: IncomingMessage): void {
      copyResponse({ exchange, seat }, workerResponse, response, (why) => {
        if (why === undefined) settle(() => resolve({ kind: 'answered' }))
        else cutOff(new AppError('WORKER_FAILED', { workerId: seat.worker.id, endpointId: endpoint.id, why }))
        if (!incoming.complete) discardRest(incoming) // it answered without reading all
      })
    }

    outgoing.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', sendBody)
      else sendBody()
    })
    outgoing.on('information', ({ statusCode, headers }) => {
      if (statusCode === 102) response.writeProcessing()
      if (statusCode === 103 && headers.link !== undefined) writeHints(response, headers.link)
    })
    outgoing.on('response', (workerResponse) => {
      hasResponded = true
      try {
        onResponse(workerResponse)
      } catch (error) {
        cutOff(cannotForward(exchange, seat, error))
      }
    })
    outgoing.on('error', (error: Error & { code?: string }) => {
      if (hasResponded) return // the response itself tells how it goes on
      const failure = connected ? (outgoing.reusedSocket ? 'stale' : 'broken') : 'refused'
      settle(() => resolve({ kind: 'failed', failure, why: describe(error, connected) }))
    })
    // To Node a change of the protocol that nobody asked for is neither a response nor an error.
    outgoing.on('close', () => {
      if (hasResponded) return
      settle(() => resolve({ kind: 'failed', failure: 'broken', why: 'it changed the protocol without being asked' }))
    })
    if (body === 'none') outgoing.end()
  })
}

// Node checks the form of a link; a hint that it refuses is only a hint.
function writeHints(response: ServerResponse, link: string | string[]): void {
  try {
    response.writeEarlyHints({ link })
  } catch {
    // not passed on
  }
}

function describe(error: Error & { code?: string }, connected: boolean): string {
  if (!connected) return `it refuses connections (${error.code ?? error.message})`
  if (error.code?.startsWith('HPE_')) return `what it sent is not HTTP (${error.message})`
  return 'it closed the connection without a response'
}

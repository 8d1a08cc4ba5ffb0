import { Agent, type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import { discardRest } from '../../../http/write-error.ts'
import type { SendFailure } from '../rules/choose-worker.ts'
import { headersForWorker } from '../rules/forward-headers.ts'
import type { Slot } from '../worker-slots.ts'
import { copyResponse, pumpBody, tooLarge } from './copy-bodies.ts'
import type { Exchange } from './exchange.ts'

export type Sent =
  | { readonly kind: 'answered' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly failure: SendFailure; readonly why: string }

// A worker may close an idle connection just as it is reused. Web servers wait at least 2 s, so a younger one is safe
// even for requests that must not be sent twice. Source: defaults of gunicorn (2 s), uvicorn and Node (5 s).
const REUSE_WITHIN_MS = 1000
const agent = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: REUSE_WITHIN_MS })
// Generous, because some workers send many cookies. Source: ours.
const RESPONSE_HEADER_BYTES = 64 * 1024

// These paths run arbitrary code, so they need the worker token's hash, which other processes do not have.
const TAKES_CODE = '/_runpod/'

export function openRequest(
  { incoming, address, body, trace }: Exchange,
  slot: Slot,
  { reuse, upgrade }: { readonly reuse: boolean; readonly upgrade?: string },
): ClientRequest {
  const method = incoming.method ?? 'GET'
  return request({
    host: slot.address.host,
    port: slot.address.port,
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
      proof: address.target.startsWith(TAKES_CODE) ? Buffer.from(slot.worker.tokenHash).toString('hex') : undefined,
    }),
    agent: reuse ? agent : false,
    setHost: false,
    maxHeaderSize: RESPONSE_HEADER_BYTES,
  })
}

/** ms: the endpoint's timeout, capped at the limit for load-balanced endpoints. */
export function processingMs({ endpoint }: Pick<Exchange, 'endpoint'>): number {
  return Math.min(limit('proxyProcessingMs'), endpoint.config.executionTimeoutMs)
}

export function tooSlow(exchange: Pick<Exchange, 'endpoint'>, { worker }: Slot): AppError {
  return new AppError('REQUEST_TOO_SLOW', { workerId: worker.id, seconds: processingMs(exchange) / 1000 })
}

export function cannotForward({ endpoint }: Pick<Exchange, 'endpoint'>, { worker }: Slot, error: unknown): AppError {
  const why = `its response cannot be forwarded: ${(error as Error).message}`
  return new AppError('WORKER_FAILED', { workerId: worker.id, endpointId: endpoint.id, why })
}

/**
 * The processing limit covers the last byte.
 * @throws AppError REQUEST_TOO_LARGE, REQUEST_TOO_SLOW, WORKER_FAILED; the response may already have begun
 */
export function sendToWorker(
  exchange: Exchange,
  slot: Slot,
  { response, reuse }: { readonly response: ServerResponse; readonly reuse: boolean },
): Promise<Sent> {
  const { incoming, body, gone, service, endpoint } = exchange
  return new Promise((resolve, reject) => {
    const outgoing = openRequest(exchange, slot, { reuse })
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
    const cancelTimer = service.clock.after(processingMs(exchange), () => cutOff(tooSlow(exchange, slot)))
    gone.signal.addEventListener('abort', leave, { once: true })

    // Waits for the connection, because an unread body can still go to another worker.
    function sendBody(): void {
      connected = true
      if (settled || body === 'none') return
      if (incoming.headers.expect !== undefined) response.writeContinue()
      stopReading = pumpBody(exchange, outgoing, () => cutOff(tooLarge()))
    }

    function onResponse(workerResponse: IncomingMessage): void {
      copyResponse({ exchange, slot }, workerResponse, response, (why) => {
        if (why === undefined) settle(() => resolve({ kind: 'answered' }))
        else cutOff(new AppError('WORKER_FAILED', { workerId: slot.worker.id, endpointId: endpoint.id, why }))
        if (!incoming.complete) discardRest(incoming)
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
        cutOff(cannotForward(exchange, slot, error))
      }
    })
    outgoing.on('error', (error: Error & { code?: string }) => {
      if (hasResponded) return
      const failure = connected ? (outgoing.reusedSocket ? 'stale' : 'broken') : 'refused'
      settle(() => resolve({ kind: 'failed', failure, why: describe(error, connected) }))
    })
    // Node emits neither a response nor an error for an unrequested protocol switch.
    outgoing.on('close', () => {
      if (hasResponded) return
      settle(() => resolve({ kind: 'failed', failure: 'broken', why: 'it switched protocols without being asked' }))
    })
    if (body === 'none') outgoing.end()
  })
}

// Node rejects malformed links; early hints are optional, so those are dropped.
function writeHints(response: ServerResponse, link: string | string[]): void {
  try {
    response.writeEarlyHints({ link })
  } catch {
    // Dropped.
  }
}

function describe(error: Error & { code?: string }, connected: boolean): string {
  if (!connected) return `it refuses connections (${error.code ?? error.message})`
  if (error.code?.startsWith('HPE_')) return `its response is not valid HTTP (${error.message})`
  return 'it closed the connection without a response'
}

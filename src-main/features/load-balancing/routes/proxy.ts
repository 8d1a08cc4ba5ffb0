/**
 * Streams requests to load-balanced workers without buffering; an upgrade, such as to a WebSocket, becomes a tunnel.
 * Source: docs/spec/job-api.md, 10.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { AppError, errorBody } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import { admit, foreignPage, namesOwnHost } from '../../../http/admit-stream.ts'
import { readAddress } from '../../../http/request-address.ts'
import { asAppError, responseHead, writeError, writeSocketError } from '../../../http/write-error.ts'
import { createFindEndpoint } from '../../apps/environment-endpoints.ts'
import { requireLoadBalanced } from '../../endpoints/kinds/endpoint-kinds.ts'
import { headersForPage, preflightHeaders } from '../../keys/rules.ts'
import type { BalancerServices } from '../../service-context.ts'
import { WORKER_ID_HEADER } from '../rules/affinity.ts'
import { mayRepeat, type NextTry, nextTry } from '../rules/choose-worker.ts'
import { headersForClient } from '../rules/forward-headers.ts'
import type { Slot } from '../worker-slots.ts'
import { checkHead } from './check-head.ts'
import { clientAddressOf, tooLarge } from './copy-bodies.ts'
import { beginExchange, type Exchange, injectFaults, injectKillForRequest } from './exchange.ts'
import { cannotForward, openRequest, processingMs, type Sent, sendToWorker, tooSlow } from './send-to-worker.ts'

const GONE = 'the client closed the connection before the end of the response'

export function createProxy(service: BalancerServices, ready: Promise<void>) {
  const findEndpoint = createFindEndpoint(service)
  const admitRequest = (incoming: IncomingMessage, { signal }: AbortController) =>
    admit(
      incoming,
      { service, findEndpoint, gone: signal },
      { requireKind: (endpoint) => requireLoadBalanced(endpoint, service) },
    )
  const count = service.requestCounts.of('/lb/:endpointId/*')

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    let exchange: Exchange | undefined
    let unwatch = () => {}
    const close = () => {
      unwatch()
      if (!response.writableFinished) {
        if (exchange !== undefined) exchange.notes.error ??= GONE
        gone.abort()
      }
      exchange?.end()
    }
    response.once('close', close)
    try {
      await ready
      if (respondToPreflight(incoming, response)) return
      const admitted = await admitRequest(incoming, gone)
      exchange = beginExchange(incoming, service, { ...admitted, gone })
      unwatch = service.openStreams.watch(admitted.isAllowed, () => incoming.socket.destroy())
      if (gone.signal.aborted) close()
      else await forward(exchange, response)
    } catch (error) {
      const known = asAppError(error, service)
      if (exchange !== undefined) note(exchange, known, response.headersSent)
      const page = foreignPage(incoming, service)
      writeError(incoming, response, known, { ...workerHeader(exchange), ...(page && headersForPage(page)) })
    }
  }

  function respondToPreflight(incoming: IncomingMessage, response: ServerResponse): boolean {
    const { method, headers } = incoming
    const privateNetwork = headers['access-control-request-private-network']
    const asked = headers['access-control-request-method']
    const page = method === 'OPTIONS' && asked !== undefined ? foreignPage(incoming, service) : undefined
    if (page === undefined || !namesOwnHost(incoming, service)) return false
    const more = { headers: headers['access-control-request-headers'], privateNetwork: privateNetwork?.toString() }
    response.writeHead(204, preflightHeaders(page, { method: asked, ...more })).end()
    return true
  }

  async function respondToUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const gone = new AbortController()
    socket.once('close', () => gone.abort())
    const unwatch = watchForEnd(socket)
    let exchange: Exchange | undefined
    let slot: Slot | undefined
    let refused: number | undefined
    let unwatchKey = () => {}
    try {
      await ready
      const admitted = await admitRequest(incoming, gone)
      const begun = beginExchange(incoming, service, { ...admitted, gone })
      exchange = begun
      unwatchKey = service.openStreams.watch(admitted.isAllowed, () => socket.destroy())
      if (begun.endpoint.config.faults !== undefined) await injectFaults(begun)
      slot = await takeSlot(begun, new Set())
      begun.notes.workerId = slot?.worker.id
      if (slot === undefined) begun.notes.error = GONE
      else await tunnel(begun, slot, { socket, head, unwatch })
    } catch (error) {
      const known = asAppError(error, service)
      const hasResponded = exchange?.notes.status !== undefined
      if (exchange !== undefined) note(exchange, known, hasResponded)
      if (hasResponded) socket.destroy()
      else writeSocketError(socket, known, workerHeader(exchange))
      refused = hasResponded ? undefined : errorBody(known).status
    } finally {
      unwatchKey()
      const status = refused ?? exchange?.notes.status
      if (status !== undefined) count(incoming.method ?? 'GET', status)
      slot?.leave(true)
      exchange?.end()
    }
  }

  return {
    isFor: ({ url = '', headers }: IncomingMessage): boolean => readAddress(url, headers.host) !== undefined,
    ...{ count, respond, respondToUpgrade },
  }
}

const workerHeader = (exchange: Exchange | undefined) =>
  exchange?.notes.workerId === undefined ? {} : { [WORKER_ID_HEADER]: exchange.notes.workerId }

function note({ notes, endpoint, service, incoming }: Exchange, error: AppError, hasResponded: boolean): void {
  notes.error = error.message
  if (!hasResponded) notes.status = errorBody(error).status
  const { method } = incoming
  const fields = { endpointId: endpoint.id, workerId: notes.workerId, method, code: error.code, why: error.message }
  service.log.warn('load-balanced request failed', fields)
}

/**
 * Retries on another worker if none responded and a retry is safe.
 * @throws AppError FAULT_SWITCH, REQUEST_TOO_LARGE, and errors of the balancer and of sendToWorker
 */
async function forward(exchange: Exchange, response: ServerResponse): Promise<void> {
  const { incoming, body, endpoint } = exchange
  if (Number(incoming.headers['content-length'] ?? 0) > limit('proxyBodyBytes')) throw tooLarge()
  if (endpoint.config.faults !== undefined) await injectFaults(exchange)
  const repeatable = mayRepeat(incoming.method ?? '', body !== 'none')
  const isStrict = exchange.affinity?.isStrict === true
  const failed = new Set<string>()
  let slot = await takeSlot(exchange, failed)
  for (let tries = 1; slot !== undefined; tries++) {
    const { worker } = slot
    const sent = await sendTo(exchange, slot, response, tries === 1)
    if (sent.kind !== 'failed') return
    const next = nextTry(sent.failure, { tries, repeatable, isStrict })
    if (next !== 'any') failed.add(worker.id)
    const failure = new AppError('WORKER_FAILED', { workerId: worker.id, endpointId: endpoint.id, why: sent.why })
    slot = await takeNext(exchange, failed, next).catch((error) => {
      throw error instanceof AppError && error.code === 'NO_WORKER' ? failure : error
    })
    if (slot === undefined && !exchange.gone.signal.aborted) throw failure
  }
}

async function takeSlot(exchange: Exchange, except: ReadonlySet<string>): Promise<Slot | undefined> {
  const { service, endpoint, gone, notes, elapsedMs, affinity } = exchange
  const since = elapsedMs()
  try {
    return await service.balancer.enter({ endpointId: endpoint.id, signal: gone.signal, except, affinity })
  } finally {
    notes.waitedMs += elapsedMs() - since
  }
}

async function takeNext(exchange: Exchange, except: ReadonlySet<string>, next: NextTry): Promise<Slot | undefined> {
  if (next === 'none') return undefined
  if (next !== 'another running worker') return takeSlot(exchange, except)
  const { service, endpoint, affinity } = exchange
  return service.balancer.enterNow({ endpointId: endpoint.id, except, affinity })
}

async function sendTo(exchange: Exchange, slot: Slot, response: ServerResponse, reuse: boolean): Promise<Sent> {
  exchange.notes.workerId = slot.worker.id
  let hasResponded = false
  try {
    const killed = exchange.endpoint.config.faults && (await injectKillForRequest(exchange, slot))
    if (killed !== undefined) return { kind: 'failed', failure: 'refused', why: killed }
    const sent = await sendToWorker(exchange, slot, { response, reuse })
    hasResponded = sent.kind === 'answered'
    return sent
  } finally {
    slot.leave(hasResponded)
  }
}

type End = { readonly socket: Duplex; readonly head: Buffer }

/**
 * Node reports a socket's end only to readers, and nothing reads while it waits for a worker.
 * @returns a function that stops watching; call it before reading
 */
function watchForEnd(socket: Duplex): () => void {
  const onReadable = () => void socket.read(0)
  const onEnd = () => void socket.destroy()
  socket.on('readable', onReadable).once('end', onEnd)
  return () => void socket.off('readable', onReadable).off('end', onEnd)
}

/**
 * Tunnels an accepted upgrade without a time limit, else forwards the worker's response.
 * @returns once the connection has ended
 * @throws AppError REQUEST_TOO_SLOW, WORKER_FAILED before the response begins
 */
function tunnel(exchange: Exchange, slot: Slot, client: End & { readonly unwatch: () => void }): Promise<void> {
  const { service, gone, endpoint, notes } = exchange
  const { socket, head, unwatch } = client
  return new Promise((resolve, reject) => {
    const outgoing = openRequest(exchange, slot, { reuse: false, upgrade: 'websocket' })
    const cancelTimer = service.clock.after(processingMs(exchange), () => {
      reject(tooSlow(exchange, slot))
      outgoing.destroy()
    })
    const leave = () => {
      cancelTimer()
      resolve()
      outgoing.destroy()
    }
    gone.signal.addEventListener('abort', leave, { once: true })

    function writeHeadToClient(workerResponse: IncomingMessage, own: readonly string[]): boolean {
      cancelTimer()
      try {
        checkHead(workerResponse, 101)
      } catch (error) {
        reject(cannotForward(exchange, slot, error))
        outgoing.destroy()
        return false
      }
      notes.status = workerResponse.statusCode
      notes.firstByteMs = exchange.elapsedMs()
      const headers = [
        ...headersForClient(workerResponse.rawHeaders, {
          trailers: false,
          client: clientAddressOf(exchange, slot),
          workerId: slot.worker.id,
        }),
        ...own,
      ]
      const { statusCode = 502, statusMessage = '' } = workerResponse
      socket.write(responseHead(statusCode, statusMessage, headers), 'latin1')
      return true
    }

    outgoing.on('upgrade', (answer, worker, first) => {
      if (!writeHeadToClient(answer, ['Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? 'websocket'])) {
        worker.destroy()
        return
      }
      slot.becomeSocket()
      const stop = () => worker.destroy()
      service.stopping.addEventListener('abort', stop, { once: true })
      unwatch()
      join({ socket, head }, { socket: worker, head: first }, notes)
      worker.once('close', () => {
        service.stopping.removeEventListener('abort', stop)
        resolve()
      })
    })
    outgoing.on('response', (answer) => {
      if (!writeHeadToClient(answer, ['Connection', 'close'])) return
      answer.on('data', (chunk: Buffer) => {
        notes.bytesOut += chunk.length
      })
      answer.on('error', () => socket.destroy())
      answer.once('close', resolve)
      answer.pipe(socket)
    })
    outgoing.on('error', (error) => {
      cancelTimer()
      const why = `it closed the connection before it responded (${error.message})`
      reject(new AppError('WORKER_FAILED', { workerId: slot.worker.id, endpointId: endpoint.id, why }))
    })
    outgoing.end()
  })
}

function join(client: End, worker: End, notes: Exchange['notes']): void {
  client.socket.on('data', (chunk: Buffer) => {
    notes.bytesIn += chunk.length
  })
  worker.socket.on('data', (chunk: Buffer) => {
    notes.bytesOut += chunk.length
  })
  worker.socket.on('error', () => client.socket.destroy())
  client.socket.once('close', () => worker.socket.destroy())
  worker.socket.once('close', () => client.socket.end())
  if (worker.head.length > 0) client.socket.write(worker.head)
  if (client.head.length > 0) worker.socket.write(client.head)
  client.socket.pipe(worker.socket)
  worker.socket.pipe(client.socket)
}

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { AppError } from '../../contract/errors.ts'
import { headersForClient } from '../../domain/load-balanced/forward-headers.ts'
import type { Seat } from '../../services/load-balanced/worker-seats.ts'
import { placeOfAnswer } from './copy-answer.ts'
import type { Exchange } from './exchange.ts'
import { openRequest, processingMs, tooSlow } from './send-to-worker.ts'
import { answerHead } from './write-error.ts'

/** Both ends of an upgraded connection at the client. */
export type ClientSocket = { readonly socket: Duplex; readonly head: Buffer }

/**
 * Passes a request for a WebSocket on. When the worker agrees, the two sockets are joined and every byte goes through
 * as it is, until one side ends; there is no limit of time then. When it does not agree, its answer goes back.
 * @returns when all has ended
 * @throws AppError REQUEST_TOO_SLOW, WORKER_FAILED before anything was answered
 */
export function tunnel(exchange: Exchange, seat: Seat, client: ClientSocket): Promise<void> {
  const { service, gone, endpoint, notes } = exchange
  const { socket, head } = client
  return new Promise((resolve, reject) => {
    const outgoing = openRequest(exchange, seat, { reuse: false, upgrade: 'websocket' })
    const cancelTimer = service.clock.after(processingMs(exchange), () => {
      reject(tooSlow(exchange, seat))
      outgoing.destroy()
    })
    const leave = () => {
      cancelTimer()
      resolve()
      outgoing.destroy()
    }
    gone.signal.addEventListener('abort', leave, { once: true })

    function begin(answer: IncomingMessage, own: readonly string[]): void {
      cancelTimer()
      notes.status = answer.statusCode
      notes.firstByteMs = exchange.elapsedMs()
      const headers = [
        ...headersForClient(answer.rawHeaders, { trailers: false, place: placeOfAnswer(exchange, seat) }),
        ...own,
      ]
      socket.write(answerHead(answer.statusCode ?? 502, answer.statusMessage ?? '', headers))
    }

    outgoing.on('upgrade', (answer, worker, first) => {
      begin(answer, ['Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? 'websocket'])
      seat.becomeSocket()
      const stop = () => worker.destroy()
      service.stopping.addEventListener('abort', stop, { once: true })
      join({ socket, head }, { socket: worker, head: first }, notes)
      worker.once('close', () => {
        service.stopping.removeEventListener('abort', stop)
        resolve()
      })
    })
    outgoing.on('response', (answer) => {
      begin(answer, ['Connection', 'close'])
      answer.on('data', (chunk: Buffer) => {
        notes.bytesOut += chunk.length
      })
      answer.on('error', () => socket.destroy())
      answer.once('close', resolve)
      answer.pipe(socket)
    })
    outgoing.on('error', (error) => {
      cancelTimer()
      const why = `it ended the connection before it answered (${error.message})`
      reject(new AppError('WORKER_FAILED', { workerId: seat.worker.id, endpointId: endpoint.id, why }))
    })
    outgoing.end()
  })
}

// What one side sends goes to the other as it is, and when one ends or breaks, so does the other.
function join(client: ClientSocket, worker: ClientSocket, notes: Exchange['notes']): void {
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

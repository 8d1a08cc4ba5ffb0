import type { ServerResponse } from 'node:http'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { mayRepeat, type NextTry, nextTry } from '../../domain/load-balanced/retry.ts'
import type { Seat } from '../../services/load-balanced/worker-seats.ts'
import type { Exchange } from './exchange.ts'
import { killByFault, meetFaults } from './meet-faults.ts'
import { tooLarge } from './pump-body.ts'
import { type Sent, sendToWorker } from './send-to-worker.ts'

/**
 * Gives a request to a worker, and to another one where the first has not answered and that does no harm.
 * @throws AppError FAULT_SWITCH; of the balancer and of the sending; REQUEST_TOO_LARGE before a worker is asked for
 */
export async function passOn(exchange: Exchange, response: ServerResponse): Promise<void> {
  const { incoming, body, endpoint } = exchange
  if (Number(incoming.headers['content-length'] ?? 0) > limit('proxyBodyBytes')) throw tooLarge()
  if (endpoint.config.faults !== undefined) await meetFaults(exchange)
  const repeatable = mayRepeat(incoming.method ?? '', body !== 'none')
  const failed = new Set<string>()
  let seat = await takeSeat(exchange, failed)
  for (let tries = 1; seat !== undefined; tries++) {
    const { worker } = seat
    const sent = await sendSeated(exchange, seat, response, repeatable && tries === 1)
    if (sent.kind !== 'failed') return
    const next = nextTry(sent.failure, { tries, repeatable })
    if (next !== 'any') failed.add(worker.id)
    seat = await takeNext(exchange, failed, next)
    if (seat === undefined && !exchange.gone.signal.aborted)
      throw new AppError('WORKER_FAILED', { workerId: worker.id, endpointId: endpoint.id, why: sent.why })
  }
}

/** Waits for a worker. @returns undefined when the client has gone meanwhile */
export async function takeSeat(exchange: Exchange, except: ReadonlySet<string>): Promise<Seat | undefined> {
  const { service, endpoint, gone, notes, elapsedMs } = exchange
  const since = elapsedMs()
  try {
    return await service.balancer.enter({ endpointId: endpoint.id, signal: gone.signal, except })
  } finally {
    notes.waitedMs += elapsedMs() - since
  }
}

async function takeNext(exchange: Exchange, except: ReadonlySet<string>, next: NextTry): Promise<Seat | undefined> {
  if (next === 'none') return undefined
  if (next !== 'another worker that is there') return takeSeat(exchange, except)
  return exchange.service.balancer.enterNow({ endpointId: exchange.endpoint.id, except })
}

async function sendSeated(exchange: Exchange, seat: Seat, response: ServerResponse, reuse: boolean): Promise<Sent> {
  exchange.notes.workerId = seat.worker.id
  let answered = false
  try {
    const killed = exchange.endpoint.config.faults && (await killByFault(exchange, seat))
    if (killed !== undefined) return { kind: 'failed', failure: 'refused', why: killed }
    const sent = await sendToWorker(exchange, seat, { response, reuse })
    answered = sent.kind === 'answered'
    return sent
  } finally {
    seat.leave(answered)
  }
}

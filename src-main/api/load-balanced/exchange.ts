/**
 * A request to a load-balanced endpoint while it is under way: what is noted of it for the log of requests, and what
 * the fault injection of its endpoint does to it.
 */
import type { IncomingMessage } from 'node:http'
import { AppError } from '../../contract/errors.ts'
import type { ProxiedRequest } from '../../contract/management.ts'
import type { RequestAddress } from '../../domain/load-balanced/read-address.ts'
import { isHit } from '../../domain/worker/faults.ts'
import type { Seat } from '../../services/load-balanced/worker-seats.ts'
import type { RequestTrace } from '../../services/monitoring/traces.ts'
import type { BalancerServices } from '../../services/service-context.ts'
import { wait } from '../../services/wait.ts'
import { injectKill } from '../../services/workers/inject-faults.ts'
import type { Admitted } from './admit.ts'

/** What is noted of a request while it goes on. */
type Notes = {
  status: number | undefined
  workerId: string | undefined
  waitedMs: number
  firstByteMs: number | undefined
  bytesIn: number
  bytesOut: number
  error: string | undefined
}

/** A request on its way to a worker and back. */
export type Exchange = Admitted & {
  readonly service: BalancerServices
  readonly incoming: IncomingMessage
  readonly address: RequestAddress
  /** How its body comes. */
  readonly body: 'none' | 'chunked' | 'sized'
  readonly notes: Notes
  /** What its worker is told of its trace; undefined: nothing is traced, and headers pass as they are. */
  readonly trace: RequestTrace | undefined
  /** Aborts when the client has gone. */
  readonly gone: AbortController
  /** Since it came, ms. */
  readonly elapsedMs: () => number
  /** It has ended: puts it into the log of requests. Only the first call counts. */
  readonly end: () => void
}

// A longer path says no more to a person.
const PATH_LENGTH = 1000

/** Begins the exchange of an admitted request, whose client may have disconnected by now. */
export function beginExchange(
  incoming: IncomingMessage,
  service: BalancerServices,
  admitted: Admitted & Pick<Exchange, 'gone'>,
): Exchange {
  const { clock, requestLog, traces } = service
  const trace = traces.beginRequest((name) => headerOf(incoming, name))
  const since = clock.steady()
  const at = clock.now()
  const elapsedMs = () => clock.steady() - since
  const notes: Notes = {
    status: undefined,
    workerId: undefined,
    waitedMs: 0,
    firstByteMs: undefined,
    bytesIn: 0,
    bytesOut: 0,
    error: undefined,
  }
  let ended = false
  return {
    ...admitted,
    service,
    incoming,
    body: bodyKind(incoming),
    notes,
    trace,
    elapsedMs,
    end() {
      if (ended) return
      ended = true
      const { status, workerId, firstByteMs, error, waitedMs, bytesIn, bytesOut } = notes
      const [path = ''] = admitted.address.target.split('?', 1)
      const optional: Pick<ProxiedRequest, 'status' | 'workerId' | 'firstByteMs' | 'error'> = {
        ...(status === undefined ? {} : { status }),
        ...(workerId === undefined ? {} : { workerId }),
        ...(firstByteMs === undefined ? {} : { firstByteMs: Math.round(firstByteMs) }),
        ...(error === undefined ? {} : { error }),
      }
      if (trace !== undefined) {
        const facts = { endpointId: admitted.endpoint.id, method: incoming.method ?? '', durationMs: elapsedMs() }
        traces.endRequest(trace, { ...facts, from: at, waitedMs, status, workerId })
      }
      const request = {
        at,
        endpointId: admitted.endpoint.id,
        method: incoming.method ?? '',
        path: path.slice(0, PATH_LENGTH),
        waitedMs: Math.round(waitedMs),
        durationMs: Math.round(elapsedMs()),
        bytesIn,
        bytesOut,
        ...optional,
      }
      requestLog.add(request, admitted.endpoint)
    },
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(',') : value
}

function bodyKind({ headers }: IncomingMessage): Exchange['body'] {
  if (headers['transfer-encoding'] !== undefined) return 'chunked'
  return Number(headers['content-length'] ?? 0) > 0 ? 'sized' : 'none'
}

// Whether an injected fault hits is decided by an id: each request, and each try of one, gets one of its own for it.

/** Holds a request back, and fails it, as fault injection says. @throws AppError FAULT_SWITCH */
export async function injectFaults({ endpoint, service, gone, notes }: Exchange): Promise<void> {
  const { faults = {} } = endpoint.config
  const { clock, newId } = service
  if (faults.delayMs !== undefined) {
    const since = clock.steady()
    await wait(clock, { ms: faults.delayMs, signal: gone.signal, listen: () => () => undefined })
    notes.waitedMs += clock.steady() - since
  }
  if (isHit(faults, 'failPercent', newId.worker())) throw new AppError('FAULT_SWITCH', { endpointId: endpoint.id })
}

/** Kills the worker that is about to get the request, where a switch says so. @returns why; undefined: it lives */
export async function injectKillForRequest(
  { endpoint, service }: Exchange,
  { worker }: Seat,
): Promise<string | undefined> {
  const { faults = {} } = endpoint.config
  await injectKill(service, worker, faults, service.newId.worker())
  return worker.killedBy
}

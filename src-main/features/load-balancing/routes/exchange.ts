import type { IncomingMessage } from 'node:http'
import { AppError } from '../../../contract/errors.ts'
import type { ProxiedRequest } from '../../../contract/management.ts'
import type { Admitted } from '../../../http/admit-stream.ts'
import type { RequestAddress } from '../../../http/request-address.ts'
import { wait } from '../../../lib/wait.ts'
import type { RequestTrace } from '../../monitoring/traces.ts'
import type { BalancerServices } from '../../service-context.ts'
import { injectKill } from '../../workers/inject-faults.ts'
import { isHit } from '../../workers/rules/faults.ts'
import { type Affinity, readAffinity, WORKER_ID_HEADER } from '../rules/affinity.ts'
import type { Slot } from '../worker-slots.ts'

type Notes = {
  status: number | undefined
  workerId: string | undefined
  waitedMs: number
  firstByteMs: number | undefined
  bytesIn: number
  bytesOut: number
  error: string | undefined
}

export type Exchange = Admitted & {
  readonly service: BalancerServices
  readonly incoming: IncomingMessage
  readonly address: RequestAddress
  readonly body: 'none' | 'chunked' | 'sized'
  readonly notes: Notes
  readonly trace: RequestTrace | undefined
  readonly affinity: Affinity | undefined
  readonly gone: AbortController
  readonly elapsedMs: () => number
  readonly end: () => void
}

const PATH_LENGTH = 1000

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
    affinity: readAffinity(headerOf(incoming, WORKER_ID_HEADER.toLowerCase())),
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

// A fresh id per request and retry decides whether a fault hits.

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

export async function injectKillForRequest(
  { endpoint, service }: Exchange,
  { worker }: Slot,
): Promise<string | undefined> {
  const { faults = {} } = endpoint.config
  await injectKill(service, worker, faults, service.newId.worker())
  return worker.killedBy
}

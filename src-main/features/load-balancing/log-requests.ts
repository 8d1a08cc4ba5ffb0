import { limit } from '../../contract/limits.ts'
import type { ProxiedRequest } from '../../contract/management.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import { isFailed } from '../jobs/rules/requests/is-failed.ts'
import type { MetricsRecorder } from '../monitoring/metrics.ts'

export type RequestLog = ReturnType<typeof createRequestLog>

type NewRequest = Omit<ProxiedRequest, 'id'>
// At the write the id may belong to a newer endpoint; createdAt tells them apart.
type Line = { readonly request: NewRequest; readonly endpointCreatedAt: number }

// Delay of a write, ms; source: ours, so that one write serves many.
const WRITE_AFTER_MS = 200
/** Queued lines; source: ours. On a full disk more are dropped, with a line in the service log. */
const MOST_WAITING = 20_000
// An endpoint's lines are trimmed to the newest after this many more.
const TRIM_EVERY = 1000

export function createRequestLog(deps: {
  readonly storage: Pick<Storage, 'write' | 'requests' | 'endpoints'>
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<MetricsRecorder, 'countRequest'>
  readonly stored: () => void
}) {
  const { storage, clock, log, metrics, stored } = deps
  const added = new Map<string, number>()
  let lines: Line[] = []
  let cancel: (() => void) | undefined
  let writing: Promise<void> = Promise.resolve()
  let stopped = false

  function plan(): void {
    if (cancel === undefined) cancel = clock.after(stopped ? 0 : WRITE_AFTER_MS, write)
  }

  function dueForTrim(batch: readonly Line[]): readonly string[] {
    for (const { request } of batch) added.set(request.endpointId, (added.get(request.endpointId) ?? 0) + 1)
    const due = [...added].filter(([, count]) => count >= TRIM_EVERY).map(([endpointId]) => endpointId)
    for (const endpointId of due) added.delete(endpointId)
    return due
  }

  function write(): void {
    cancel?.()
    cancel = undefined
    if (lines.length === 0) return
    const batch = lines
    lines = []
    const trims = dueForTrim(batch)
    const byEndpoint = Map.groupBy(batch, ({ request }) => request.endpointId)
    writing = storage
      .write(() => {
        for (const [endpointId, ofEndpoint] of byEndpoint) {
          const requests = linesOf(storage.endpoints.read(endpointId), ofEndpoint)
          storage.requests.append(requests)
          storage.endpoints.addTotals(endpointId, totalsOf(requests))
        }
        for (const endpointId of trims)
          storage.requests.trimEndpoint({ endpointId, keep: limit('requestsPerEndpoint') })
      })
      .then(() => {
        for (const endpointId of byEndpoint.keys()) storage.endpoints.reread(endpointId)
        stored()
      })
      .catch((error) => log.warn('requests not logged', { count: batch.length, error }))
  }

  return {
    add(request: NewRequest, { createdAt }: Pick<Endpoint, 'createdAt'>) {
      if (storage.endpoints.get(request.endpointId)?.createdAt !== createdAt) return
      metrics.countRequest(request)
      if (lines.length >= MOST_WAITING) {
        log.warn('a request is not logged: too many wait to be written', { endpointId: request.endpointId })
        return
      }
      lines.push({ request, endpointCreatedAt: createdAt })
      plan()
    },
    async stop() {
      stopped = true
      write()
      await writing
    },
  }
}

function linesOf(endpoint: Endpoint | undefined, lines: readonly Line[]): readonly NewRequest[] {
  return lines.flatMap(({ request, endpointCreatedAt }) => (endpointCreatedAt === endpoint?.createdAt ? request : []))
}

// For health: client errors count as completed; clients that left do not count.
function totalsOf(requests: readonly NewRequest[]) {
  const answered = requests.filter(({ status }) => status !== undefined)
  const failed = answered.filter(isFailed).length
  return { completed: answered.length - failed, failed }
}

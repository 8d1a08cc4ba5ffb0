import { limit } from '../../contract/limits.ts'
import type { ProxiedRequest } from '../../contract/management.ts'
import type { MetricsRecorder } from '../monitoring/metrics.ts'
import type { Storage } from '../ports/storage.ts'
import type { Clock, Log } from '../ports/system.ts'

/** The log of requests to load-balanced endpoints. */
export type RequestLog = {
  /** Notes a request that has ended; costs nothing now. */
  readonly add: (request: Omit<ProxiedRequest, 'id'>) => void
  /** Writes what is left; what comes later is written at once. */
  readonly stop: () => Promise<void>
}

// How long a request may wait for its line, ms; source: ours. One write then serves all of them.
const WRITE_AFTER_MS = 200
/** Most lines that wait; source: ours. On a full disk further ones are left out, and the log of the service says so. */
const MOST_WAITING = 20_000
// An endpoint is cut to the newest lines after this many more.
const TRIM_EVERY = 1000

/** Makes the log. `metrics` count each request at once, `stored` is called when lines were written. */
export function createRequestLog({
  storage,
  clock,
  log,
  metrics,
  stored,
}: {
  readonly storage: Pick<Storage, 'write' | 'requests' | 'endpoints'>
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<MetricsRecorder, 'countRequest'>
  readonly stored: () => void
}): RequestLog {
  const added = new Map<string, number>()
  let lines: Omit<ProxiedRequest, 'id'>[] = []
  let cancel: (() => void) | undefined
  let writing: Promise<void> = Promise.resolve()
  let stopped = false

  function plan(): void {
    if (cancel === undefined) cancel = clock.after(stopped ? 0 : WRITE_AFTER_MS, write)
  }

  function dueForTrim(batch: readonly Omit<ProxiedRequest, 'id'>[]): readonly string[] {
    for (const { endpointId } of batch) added.set(endpointId, (added.get(endpointId) ?? 0) + 1)
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
    const endpointIds = [...new Set(batch.map(({ endpointId }) => endpointId))]
    writing = storage
      .write(() => {
        // Of an endpoint that was deleted meanwhile nothing is stored.
        storage.requests.append(batch.filter(({ endpointId }) => storage.endpoints.get(endpointId) !== undefined))
        for (const endpointId of endpointIds) storage.endpoints.addTotals(endpointId, totalsOf(batch, endpointId))
        for (const endpointId of trims) storage.requests.trimEndpoint(endpointId, limit('requestsPerEndpoint'))
      })
      .then(() => {
        for (const endpointId of endpointIds) storage.endpoints.reread(endpointId)
        stored()
      })
      .catch((error) => log.warn('requests not logged', { count: batch.length, error }))
  }

  return {
    add(request) {
      metrics.countRequest(request)
      if (lines.length >= MOST_WAITING) {
        log.warn('a request is not logged: too many wait to be written', { endpointId: request.endpointId })
        return
      }
      lines.push(request)
      plan()
    },
    async stop() {
      stopped = true
      write()
      await writing
    },
  }
}

// For health: what the client did wrong is a response all the same; who left before there was one counts nowhere.
function totalsOf(batch: readonly Omit<ProxiedRequest, 'id'>[], endpointId: string) {
  const statuses = batch.flatMap((request) => (request.endpointId === endpointId ? (request.status ?? []) : []))
  const failed = statuses.filter((status) => status >= 500).length
  return { completed: statuses.length - failed, failed }
}

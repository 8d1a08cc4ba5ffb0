import type { Storage } from './ports/storage.ts'
/** Lines that the service itself writes into the log of an endpoint, among those of its workers. */
import type { Clock, Log } from './ports/system.ts'

/** Writes a line. A warning that repeats is written once a minute, so that no client and no worker floods the log. */
export type EndpointLog = (entry: {
  readonly endpointId: string
  readonly workerId?: string
  readonly jobId?: string
  readonly line: string
  /** Default: a warning. */
  readonly level?: 'INFO' | 'WARN'
}) => void

const REPEATED_MS = 60_000
// A few hundred bytes each; source: ours.
const REMEMBERED = 1000
// In place of the id of a worker.
const SERVICE = 'service'

/** Makes the log. @param stored called when a line was stored */
export function createEndpointLog({
  storage,
  clock,
  log,
  stored,
}: {
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
  readonly stored: () => void
}): EndpointLog {
  const written = new Map<string, number>()
  return ({ endpointId, workerId = SERVICE, jobId, line, level = 'WARN' }) => {
    const key = `${jobId ?? endpointId} ${line}`
    const before = written.get(key)
    if (level === 'WARN' && before !== undefined && clock.steady() - before < REPEATED_MS) return
    written.delete(key)
    written.set(key, clock.steady())
    for (const oldest of written.keys()) if (written.size > REMEMBERED) written.delete(oldest)
    const ofJob = jobId === undefined ? {} : { jobId }
    storage
      .write(() => storage.logs.append([{ at: clock.now(), endpointId, workerId, ...ofJob, level, line }]))
      .then(stored)
      .catch((error) => log.warn('line of the endpoint log not stored', { endpointId, error }))
  }
}

import type { Clock, Log } from '../../../lib/clock.ts'
import type { Storage } from '../../../storage/storage.ts'

export type EndpointLog = (entry: {
  readonly endpointId: string
  readonly workerId?: string
  readonly jobId?: string
  readonly line: string
  readonly level?: 'INFO' | 'WARN' | 'ERROR'
}) => void

const REPEATED_MS = 60_000
// Remembered warnings, a few hundred bytes each; source: ours.
const REMEMBERED = 1000
const SERVICE = 'service'

export function createEndpointLog(deps: {
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
  readonly stored: () => void
}): EndpointLog {
  const { storage, clock, log, stored } = deps
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

import { limit } from '../../contract/limits.ts'
import { jobAt } from '../../domain/worker/job-at.ts'
import { readLogLine } from '../../domain/worker/log-line.ts'
import type { MaskLogs } from '../apps/mask-logs.ts'
import type { Clock, Log, NewLogLine, Storage, WorkerOutput } from '../ports.ts'
import type { Leases } from '../queue/leases.ts'
import { createUnsentResults } from './unsent-results.ts'
import type { LiveWorker, WorkerRegistry } from './worker-registry.ts'

// Enough for two long tracebacks; domain/worker/last-words reads no more.
const LAST_LINES = 100
// Trimming rewrites indexes, so it is done for many lines at a time.
const TRIM_EVERY = 5000

/**
 * Stores what workers print, line by line. A line belongs to the job that it names (JSON with requestId); a plain line
 * belongs to the job of a worker that runs just one, where a cancelled one counts until it has stopped; where lines come
 * late, with their time, to the one that ran then. Lines above the
 * limits of a worker or a job are not kept, and a last line says so.
 */
export function createLogCollector({
  storage,
  clock,
  registry,
  leases,
  log,
  mask,
  stored,
}: {
  readonly storage: Storage
  readonly clock: Clock
  readonly registry: WorkerRegistry
  readonly leases: Leases
  readonly log: Log
  readonly mask: MaskLogs
  /** Called when lines were stored. */
  readonly stored: () => void
}): (output: WorkerOutput) => void {
  const unsent = createUnsentResults({ storage, clock, leases, log })
  const perJob = new Map<string, { lines: number; readonly endpointId: string | undefined }>()

  // A worker may name any job in its lines; one of another endpoint is not its own.
  function countOf(worker: LiveWorker, jobId: string | undefined): { lines: number } | undefined {
    if (jobId === undefined) return undefined
    const known = perJob.get(jobId)
    const count = known ?? { lines: 0, endpointId: storage.jobs.find(jobId)?.endpointId }
    if (known === undefined) perJob.set(jobId, count)
    return count.endpointId === worker.endpointId ? count : undefined
  }

  function toLine(worker: LiveWorker, only: string | undefined, raw: string, at: number): NewLogLine | undefined {
    const { jobId: named, level, line } = readLogLine(raw, limit('logLineBytes'))
    if (named !== undefined) unsent(worker, named, line)
    const base = { at, endpointId: worker.endpointId, workerId: worker.id, level, line }
    const jobId = named ?? only
    const count = countOf(worker, jobId)
    if (count === undefined || jobId === undefined) return base
    count.lines += 1
    const most = limit('logLinesPerJob')
    if (count.lines <= most) return { ...base, jobId }
    if (count.lines > most + 1) return undefined
    return { ...base, jobId, level: 'WARN', line: `Further lines of this job are not kept: ${most} is the limit.` }
  }

  function trimPlan(worker: LiveWorker, added: number): boolean {
    const before = worker.storedLines
    const after = before + added
    worker.storedLines = after
    const most = limit('logLinesPerWorker')
    return after > most && Math.floor(before / TRIM_EVERY) !== Math.floor(after / TRIM_EVERY)
  }

  return ({ workerId, lines: printed, at, writtenAt, stored: remember }) => {
    const worker = registry.get(workerId)
    if (worker === undefined || printed.length === 0) return
    const lines = mask(worker.app, printed)
    worker.lastLines.push(...lines.slice(-LAST_LINES))
    worker.lastLines.splice(0, Math.max(0, worker.lastLines.length - LAST_LINES))
    const running = [...leases.ofWorker(workerId).map((lease) => lease.jobId), ...worker.stopOrders.keys()]
    const only = running.length === 1 ? running[0] : undefined
    const kept = lines.flatMap((raw, index) => {
      // A clock of the engine that runs ahead must not put lines into the future.
      const time = Math.min(writtenAt?.[index] ?? at, at)
      return toLine(worker, writtenAt === undefined ? only : jobAt(worker.jobSpans, time), raw, time) ?? []
    })
    const trim = trimPlan(worker, kept.length)
    for (const jobId of perJob.keys()) if (perJob.size > 10_000) perJob.delete(jobId)
    storage
      .write(() => {
        storage.logs.append(kept)
        if (trim) storage.logs.trimWorker(workerId, limit('logLinesPerWorker'))
      })
      .then(remember)
      .then(stored)
      .catch((error) => log.warn('worker output not stored', { workerId, error }))
  }
}

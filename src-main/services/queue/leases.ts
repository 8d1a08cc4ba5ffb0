/**
 * The jobs that workers hold. A lease begins with a committed claim and ends with the job's next move. It is renewed
 * by any call of its worker, but a job that the worker has never named is held only for the first lease, so that an
 * answer lost on the way does not hold a job for ever. Times are steady ms; leases live in memory and start anew when
 * the service does. What workers report of their jobs is below: it counts only with the lease.
 * Source: docs/spec/job-api.md, 4.
 */
import { limit } from '../../contract/limits.ts'
import type { KeptReport } from '../../domain/job/report.ts'
import type { Json } from '../../domain/json/json.ts'
import { failedByInjection, isHit, tryId } from '../../domain/worker/faults.ts'
import type { Change, Job, Storage, StoredPayload } from '../ports/storage.ts'
import type { Clock } from '../ports/system.ts'
import { momentOf } from '../steady-clock.ts'
import type { JobWaiters } from './wait-for-job.ts'

/** One held job. `attempt` is the fencing token: a report counts only for the attempt it was given. */
export type Lease = {
  readonly seq: number
  readonly jobId: string
  readonly endpointId: string
  readonly workerId: string
  readonly attempt: number
  readonly executeUntil: number
  /** It was claimed in an earlier run of the service, whose answer may not have reached the worker. */
  readonly resumed: boolean
  confirmed: boolean
  until: number
  /** When it ran out while the machine of its worker was unreachable, and the job waits for it. */
  silentSince?: number | undefined
}

/** The book of leases. */
export type Leases = {
  readonly get: (jobId: string) => Lease | undefined
  readonly ofWorker: (workerId: string) => readonly Lease[]
  readonly all: () => Iterable<Lease>
  /** A sign of life of a worker; `named` are the jobs it says it runs. */
  readonly renew: (workerId: string, named: readonly string[]) => void
  /** Holds a job again after a restart of the service, with a full lease and a full execution time. */
  readonly resume: (job: Job) => void
}

/** Makes the book of leases; it follows the committed changes. */
export function createLeases(storage: Pick<Storage, 'onCommit'>, clock: Clock): Leases {
  const byJob = new Map<string, Lease>()
  const byWorker = new Map<string, Map<string, Lease>>()

  function hold(job: Job, resumed: boolean): void {
    const { seq, id: jobId, endpointId, workerId, attempt } = job
    if (workerId === null) return
    const now = clock.steady()
    const lease: Lease = {
      seq,
      jobId,
      endpointId,
      workerId,
      attempt,
      executeUntil: now + job.executionTimeoutMs,
      resumed,
      confirmed: false,
      until: now + limit('leaseMs'),
    }
    byJob.set(jobId, lease)
    const held = byWorker.get(workerId) ?? new Map<string, Lease>()
    byWorker.set(workerId, held.set(jobId, lease))
  }

  function drop(jobId: string): void {
    const lease = byJob.get(jobId)
    if (lease === undefined) return
    byJob.delete(jobId)
    const held = byWorker.get(lease.workerId)
    held?.delete(jobId)
    if (held?.size === 0) byWorker.delete(lease.workerId)
  }

  storage.onCommit((changes: readonly Change[]) => {
    for (const change of changes) {
      if (change.type !== 'job' || change.event === 'submit' || change.event === 'progress') continue
      if (change.event === 'claim') hold(change.job, false)
      else drop(change.jobId)
    }
  })

  return {
    get: (jobId) => byJob.get(jobId),
    ofWorker: (workerId) => [...(byWorker.get(workerId)?.values() ?? [])],
    all: () => byJob.values(),
    renew(workerId, named) {
      const held = byWorker.get(workerId)
      if (held === undefined) return
      for (const jobId of named) {
        const lease = held.get(jobId)
        if (lease !== undefined) lease.confirmed = true
      }
      const until = clock.steady() + limit('leaseMs')
      for (const lease of held.values()) if (lease.confirmed) Object.assign(lease, { until, silentSince: undefined })
    },
    resume: (job) => hold(job, true),
  }
}

/** What became of a report: it counted, or it came from a worker that no longer held the job. */
export type ReportOutcome = 'accepted' | 'late'

/**
 * Takes the report of a worker on a job. It counts only with the lease that the worker was given: the same worker and
 * the same attempt. A late one changes nothing.
 */
export async function finishJob(
  { storage, clock, leases }: { readonly storage: Storage; readonly clock: Clock; readonly leases: Leases },
  {
    jobId,
    workerId,
    report: reported,
    reason: told,
  }: {
    readonly jobId: string
    readonly workerId: string
    readonly report: KeptReport
    /** For the history. */
    readonly reason?: string | undefined
  },
): Promise<ReportOutcome> {
  const lease = leases.get(jobId)
  if (lease === undefined || lease.workerId !== workerId) return 'late'
  const { seq, attempt } = lease
  const { report, reason = told } = withFaults(storage, lease, reported)
  const move = (output: StoredPayload | undefined) => {
    const error = report.kind === 'fail' ? { error: report.error } : {}
    const moved = storage.jobs.move(seq, report.kind, { workerId, attempt, reason, output, ...error }, momentOf(clock))
    return { stored: moved !== undefined, result: moved }
  }
  const moved =
    report.output === undefined
      ? (await storage.write(() => move(undefined))).result
      : await storage.payloads.write(report.output, (output) => storage.write(() => move(output)))
  return moved === undefined ? 'late' : 'accepted'
}

// The handler has run: what it printed and did stays, only its result is lost. A job that failed by itself keeps its
// error.
function withFaults(
  { endpoints }: Pick<Storage, 'endpoints'>,
  { endpointId, jobId, attempt }: Lease,
  reported: KeptReport,
): { readonly report: KeptReport; readonly reason?: string } {
  const faults = endpoints.get(endpointId)?.config.faults
  if (faults === undefined || reported.kind !== 'complete') return { report: reported }
  if (!isHit(faults, 'failPercent', tryId(jobId, attempt))) return { report: reported }
  const error = failedByInjection(endpointId)
  return { report: { kind: 'fail', error, output: undefined, replaceWorker: reported.replaceWorker }, reason: error }
}

// In one commit; a piece has a megabyte, and twenty would hold the event loop.
const PIECES_AT_ONCE = 2

/**
 * Adds a chunk to the stream of a job. Arrival order is the order.
 * @param pieces JSON of its outputs and metrics, of which each is within the limit
 */
export async function appendStream(
  { storage, leases, waiters }: { readonly storage: Storage; readonly leases: Leases; readonly waiters: JobWaiters },
  { jobId, workerId, pieces }: { readonly jobId: string; readonly workerId: string; readonly pieces: readonly Json[] },
): Promise<ReportOutcome> {
  const lease = leases.get(jobId)
  if (lease === undefined || lease.workerId !== workerId) return 'late'
  const { seq, attempt } = lease
  for (let from = 0; from < pieces.length; from += PIECES_AT_ONCE) {
    const isStored = await storage.write(() => {
      const job = storage.jobs.read(seq)
      const holds = job?.status === 'IN_PROGRESS' && job.workerId === workerId && job.attempt === attempt
      if (!holds || storage.chunks.count(seq) >= limit('chunksPerJob')) return false
      storage.chunks.append(seq, pieces.slice(from, from + PIECES_AT_ONCE))
      return true
    })
    waiters.notify(jobId)
    if (!isStored) return 'late'
  }
  return 'accepted'
}

/**
 * Leases of held jobs, from claim to next transition. Any worker call renews them, but an unnamed job only for its
 * first lease, as its response may be lost. In memory, steady ms. Source: docs/spec/job-api.md, 4.
 */
import type { WorkerPool } from '../../../contract/endpoint.ts'
import { limit } from '../../../contract/limits.ts'
import { type Clock, momentOf } from '../../../lib/clock.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import type { Change, Job, Storage, StoredPayload } from '../../../storage/storage.ts'
import { failedByInjection, isHit, tryId } from '../../workers/rules/faults.ts'
import type { KeptReport } from '../rules/report.ts'
import type { JobWaiters } from './wait-for-job.ts'

/** `attempt` is the fencing token: reports count only for their attempt. */
export type Lease = {
  readonly seq: number
  readonly jobId: string
  readonly endpointId: string
  readonly workerId: string
  /** The job's pool, which may differ from its worker's. */
  readonly pool: WorkerPool
  readonly attempt: number
  readonly executeUntil: number
  readonly resumed: boolean
  confirmed: boolean
  until: number
  /** Set when it expired while its machine was unreachable and the job waits. */
  silentSince?: number | undefined
}

export type Leases = ReturnType<typeof createLeases>

export function createLeases(storage: Pick<Storage, 'onCommit'>, clock: Clock) {
  const byJob = new Map<string, Lease>()
  const byWorker = new Map<string, Map<string, Lease>>()

  function hold(job: Job, resumed: boolean): void {
    const { seq, id: jobId, endpointId, workerId, pool, attempt } = job
    if (workerId === null) return
    const now = clock.steady()
    const lease: Lease = {
      seq,
      jobId,
      endpointId,
      workerId,
      pool,
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
    get: (jobId: string): Lease | undefined => byJob.get(jobId),
    ofWorker: (workerId: string): readonly Lease[] => [...(byWorker.get(workerId)?.values() ?? [])],
    all: (): Iterable<Lease> => byJob.values(),
    /** Any call of a worker; `named` are the jobs it claims to run. */
    renew(workerId: string, named: readonly string[]) {
      const held = byWorker.get(workerId)
      if (held === undefined) return
      for (const jobId of named) {
        const lease = held.get(jobId)
        if (lease !== undefined) lease.confirmed = true
      }
      const until = clock.steady() + limit('leaseMs')
      for (const lease of held.values()) if (lease.confirmed) Object.assign(lease, { until, silentSince: undefined })
    },
    extend(ms: number) {
      for (const lease of byJob.values()) lease.until += ms
    },
    resume: (job: Job) => hold(job, true),
  }
}

export type ReportOutcome = 'accepted' | 'late'

/** Counts only with the lease: same worker and attempt. Late reports change nothing. */
export async function finishJob(
  { storage, clock, leases }: { readonly storage: Storage; readonly clock: Clock; readonly leases: Leases },
  {
    jobId,
    workerId,
    report: reported,
    reason: told,
    inCommit,
  }: {
    readonly jobId: string
    readonly workerId: string
    readonly report: KeptReport
    readonly reason?: string | undefined
    readonly inCommit?: (() => void) | undefined
  },
): Promise<ReportOutcome> {
  const lease = leases.get(jobId)
  if (lease === undefined || lease.workerId !== workerId) return 'late'
  const { seq, attempt } = lease
  const { report, reason = told } = withFaults(storage, lease, reported)
  const move = (output: StoredPayload | undefined) => {
    const error = report.kind === 'fail' ? { error: report.error } : {}
    const moved = storage.jobs.move(seq, report.kind, { workerId, attempt, reason, output, ...error }, momentOf(clock))
    inCommit?.()
    return { stored: moved !== undefined, result: moved }
  }
  const moved =
    report.output === undefined
      ? (await storage.write(() => move(undefined))).result
      : await storage.payloads.write(report.output, (output) => storage.write(() => move(output)))
  return moved === undefined ? 'late' : 'accepted'
}

// The handler has run; only its result is lost. A job that failed by itself keeps its error.
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

// Per commit; pieces have a megabyte, and twenty would block the event loop.
const PIECES_AT_ONCE = 2

/**
 * Appends a chunk in arrival order.
 * @param pieces JSON of its outputs and metrics, each within the limit
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

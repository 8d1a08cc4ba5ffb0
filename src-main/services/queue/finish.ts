import type { Report } from '../../domain/job/result.ts'
import { failedByFault, isHit, tryId } from '../../domain/worker/faults.ts'
import type { KeptPayload } from '../ports/payloads.ts'
import type { Clock, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'
import type { Lease, Leases } from './leases.ts'
import { writePayload } from './write-payload.ts'

/** What became of a report: it counted, or it came from a worker that no longer held the job. */
export type ReportOutcome = 'accepted' | 'late'

/**
 * Takes the report of a worker on a job. It counts only with the lease that the worker was given: the same worker and
 * the same attempt. A late one changes nothing.
 */
export async function finishJob(
  { storage, clock, leases }: { readonly storage: Storage; readonly clock: Clock; readonly leases: Leases },
  { jobId, workerId, report: told }: { readonly jobId: string; readonly workerId: string; readonly report: Report },
): Promise<ReportOutcome> {
  const lease = leases.get(jobId)
  if (lease === undefined || lease.workerId !== workerId) return 'late'
  const { seq, attempt } = lease
  const { report, reason } = underFaults(storage, lease, told)
  const move = (output: KeptPayload | undefined) => {
    const error = report.kind === 'fail' ? { error: report.error } : {}
    const moved = storage.jobs.move(seq, report.kind, { workerId, attempt, reason, output, ...error }, momentOf(clock))
    return { stored: moved !== undefined, result: moved }
  }
  const moved =
    report.output === undefined
      ? (await storage.write(() => move(undefined))).result
      : await writePayload(storage, report.output, move)
  return moved === undefined ? 'late' : 'accepted'
}

// The handler has run: what it printed and did stays, only its result is lost. A job that failed by itself keeps its error.
function underFaults(
  { endpoints }: Pick<Storage, 'endpoints'>,
  { endpointId, jobId, attempt }: Lease,
  told: Report,
): { readonly report: Report; readonly reason?: string } {
  const faults = endpoints.get(endpointId)?.config.faults
  if (faults === undefined || told.kind !== 'complete') return { report: told }
  if (!isHit(faults, 'failPercent', tryId(jobId, attempt))) return { report: told }
  const error = failedByFault(endpointId)
  return { report: { kind: 'fail', error, output: undefined, replaceWorker: told.replaceWorker }, reason: error }
}

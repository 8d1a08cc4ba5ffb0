import type { Report } from '../../domain/job/result.ts'
import type { Clock, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'
import type { Leases } from './leases.ts'

/** What became of a report: it counted, or it came from a worker that no longer held the job. */
export type ReportOutcome = 'accepted' | 'late'

/**
 * Takes the report of a worker on a job. It counts only with the lease that the worker was given: the same worker and
 * the same attempt. A late one changes nothing.
 */
export async function finishJob(
  { storage, clock, leases }: { readonly storage: Storage; readonly clock: Clock; readonly leases: Leases },
  { jobId, workerId, report }: { readonly jobId: string; readonly workerId: string; readonly report: Report },
): Promise<ReportOutcome> {
  const lease = leases.get(jobId)
  if (lease === undefined || lease.workerId !== workerId) return 'late'
  const { seq, attempt } = lease
  const moved = await storage.write(() => {
    const fields = {
      workerId,
      attempt,
      output: report.output,
      ...(report.kind === 'fail' ? { error: report.error } : {}),
    }
    return storage.jobs.move(seq, report.kind, fields, momentOf(clock))
  })
  return moved === undefined ? 'late' : 'accepted'
}

import type { Clock, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'
import type { Lease } from './leases.ts'

/**
 * Takes jobs back from a worker that was lost: each is queued again while it has tries left, else it fails.
 * Source: job-api, States.
 * @param reason why the worker counts as lost, for the job's history
 */
export async function rescueLostJobs(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  leases: readonly Lease[],
  reason: string,
): Promise<void> {
  if (leases.length === 0) return
  await storage.write(() => {
    for (const { seq, workerId, attempt, endpointId } of leases) {
      const job = storage.jobs.read(seq)
      if (job === undefined) continue
      const tries = storage.endpoints.get(endpointId)?.config.redispatches ?? 0
      const fields = { workerId, attempt, reason }
      if (job.retries < tries) storage.jobs.move(seq, 'rescue', fields, momentOf(clock))
      else
        storage.jobs.move(seq, 'abandon', { ...fields, error: `job timed out after ${tries} retries` }, momentOf(clock))
    }
  })
}

import type { Clock, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'
import type { Lease } from './leases.ts'

/**
 * Takes jobs back from a worker that was lost: each is queued again while it has tries left, else it fails.
 * Source: job-api, States.
 * @param reason why the worker counts as lost, for the job's history
 * @param cause what is known to have ended it and would again, out of memory say, for the error of the job
 */
export async function rescueLostJobs(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  leases: readonly Lease[],
  reason: string,
  cause?: string,
): Promise<void> {
  if (leases.length === 0) return
  await storage.write(() => {
    for (const { seq, workerId, attempt, endpointId } of leases) {
      const job = storage.jobs.read(seq)
      if (job === undefined) continue
      const tries = storage.endpoints.get(endpointId)?.config.redispatches ?? 0
      const fields = { workerId, attempt, reason }
      if (job.retries < tries) storage.jobs.move(seq, 'rescue', fields, momentOf(clock))
      else storage.jobs.move(seq, 'abandon', { ...fields, error: errorOf(tries, cause) }, momentOf(clock))
    }
  })
}

// Clients know the first words; source: job-api, States.
function errorOf(tries: number, cause: string | undefined): string {
  const error = `job timed out after ${tries} retries`
  return cause === undefined ? error : `${error}: ${cause}`
}

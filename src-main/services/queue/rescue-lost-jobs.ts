import type { Clock, Endpoint, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'
import type { Lease } from './leases.ts'

/** What the rescue needs. */
type Deps = { readonly storage: Storage; readonly clock: Clock }

/**
 * Takes jobs back from a worker that was lost: each is queued again while it has tries left, else it fails.
 * Source: job-api, States.
 * @param reason why the worker counts as lost, for the job's history
 */
export async function rescueLostJobs(
  { storage, clock }: Deps,
  leases: readonly Lease[],
  reason: string,
): Promise<void> {
  if (leases.length === 0) return
  await storage.write(() => {
    for (const { seq, workerId, attempt, endpointId } of leases) {
      const job = storage.jobs.read(seq)
      if (job === undefined) continue
      const tries = triesOf(storage.endpoints.get(endpointId))
      const fields = { workerId, attempt, reason }
      if (job.retries < tries) storage.jobs.move(seq, 'rescue', fields, momentOf(clock))
      else
        storage.jobs.move(seq, 'abandon', { ...fields, error: `job timed out after ${tries} retries` }, momentOf(clock))
    }
  })
}

/**
 * Gives jobs back to the queue without counting a try: the hand-out never began, or we ended the worker ourselves.
 * @param reason for the job's history
 */
export async function releaseJobs({ storage, clock }: Deps, leases: readonly Lease[], reason: string): Promise<void> {
  if (leases.length === 0) return
  await storage.write(() => {
    for (const { seq, workerId, attempt } of leases) {
      storage.jobs.move(seq, 'release', { workerId, attempt, reason }, momentOf(clock))
    }
  })
}

/** Fails jobs that ran longer than their execution limit. Source: job-api, States. */
export async function failOverdueJobs({ storage, clock }: Deps, leases: readonly Lease[]): Promise<void> {
  if (leases.length === 0) return
  await storage.write(() => {
    for (const { seq, workerId, attempt } of leases) {
      const fields = {
        workerId,
        attempt,
        error: 'executionTimeout exceeded',
        reason: 'it ran longer than its executionTimeout',
      }
      storage.jobs.move(seq, 'exceedExecution', fields, momentOf(clock))
    }
  })
}

function triesOf(endpoint: Endpoint | undefined): number {
  return endpoint?.config.redispatches ?? 0
}

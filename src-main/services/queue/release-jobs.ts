import type { Clock, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'
import type { Lease } from './leases.ts'

/**
 * Gives jobs back to the queue without counting a try: the hand-out never began, or we ended the worker ourselves.
 * @param reason for the job's history
 */
export async function releaseJobs(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  leases: readonly Lease[],
  reason: string,
): Promise<void> {
  if (leases.length === 0) return
  await storage.write(() => {
    for (const { seq, workerId, attempt } of leases) {
      storage.jobs.move(seq, 'release', { workerId, attempt, reason }, momentOf(clock))
    }
  })
}

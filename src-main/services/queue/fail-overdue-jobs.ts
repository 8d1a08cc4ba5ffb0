import type { Clock, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'
import type { Lease } from './leases.ts'

/** Fails jobs that ran longer than their execution limit. Source: job-api, States. */
export async function failOverdueJobs(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  leases: readonly Lease[],
): Promise<void> {
  if (leases.length === 0) return
  const texts = { error: 'executionTimeout exceeded', reason: 'it ran longer than its executionTimeout' }
  await storage.write(() => {
    for (const { seq, workerId, attempt } of leases) {
      storage.jobs.move(seq, 'exceedExecution', { workerId, attempt, ...texts }, momentOf(clock))
    }
  })
}

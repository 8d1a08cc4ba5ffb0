import type { Clock, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'

// One commit of this many moves takes some 50 ms, so that other requests are answered in between.
const BATCH = 1000

/**
 * Cancels all jobs of an endpoint that wait at the moment of the call; running ones go on.
 * @returns how many were removed
 */
export async function purgeQueue(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  endpointId: string,
  reason = 'purged by a client',
): Promise<number> {
  let removed = 0
  const newest = storage.jobs.newestSeq()
  for (;;) {
    const { found, moved } = await storage.write(() => {
      const jobs = storage.jobs.waiting(endpointId, BATCH, newest)
      const done = jobs.filter((job) => storage.jobs.move(job.seq, 'purge', { reason }, momentOf(clock)) !== undefined)
      return { found: jobs.length, moved: done.length }
    })
    removed += moved
    if (found < BATCH) return removed
  }
}

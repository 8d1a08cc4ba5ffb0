import type { Clock, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'

// One commit of this many moves takes some 50 ms, so that other requests are answered in between.
const BATCH = 1000

type Deps = { readonly storage: Storage; readonly clock: Clock }

const BY_A_CLIENT = 'purged by a client'

/**
 * Cancels all jobs of an endpoint that wait at the moment of the call; running ones go on.
 * @returns how many were removed
 */
export function purgeQueue(deps: Deps, endpointId: string, reason = BY_A_CLIENT): Promise<number> {
  const { jobs } = deps.storage
  return purge(deps, (newest) => jobs.waiting(endpointId, BATCH, newest).map(({ seq }) => seq), reason)
}

/** The same for the jobs of a published graph; others of the endpoint behind it stay. */
export function purgeGraph(deps: Deps, graphId: string): Promise<number> {
  return purge(deps, (newest) => deps.storage.graphs.waiting(graphId, BATCH, newest), BY_A_CLIENT)
}

async function purge(
  { storage, clock }: Deps,
  waiting: (newest: number) => readonly number[],
  reason: string,
): Promise<number> {
  let removed = 0
  const newest = storage.jobs.newestSeq()
  for (;;) {
    const { found, moved } = await storage.write(() => {
      const seqs = waiting(newest)
      const done = seqs.filter((seq) => storage.jobs.move(seq, 'purge', { reason }, momentOf(clock)) !== undefined)
      return { found: seqs.length, moved: done.length }
    })
    removed += moved
    if (found < BATCH) return removed
  }
}

import type { Clock, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'
import { writeInSlices } from '../write-slices.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock }

const BY_A_CLIENT = 'purged by a client'

/**
 * Cancels all jobs of an endpoint that wait at the moment of the call; running ones go on.
 * @returns how many were removed
 */
export function purgeQueue(deps: Deps, endpointId: string, reason = BY_A_CLIENT): Promise<number> {
  const { jobs } = deps.storage
  return purge(deps, (most, newest) => jobs.waiting(endpointId, most, newest).map(({ seq }) => seq), reason)
}

/** The same for the jobs of a published graph; others of the endpoint behind it stay. */
export function purgeGraph(deps: Deps, graphId: string): Promise<number> {
  return purge(deps, (most, newest) => deps.storage.graphs.waiting(graphId, most, newest), BY_A_CLIENT)
}

function purge(
  { storage, clock }: Deps,
  waiting: (most: number, newest: number) => readonly number[],
  reason: string,
): Promise<number> {
  const newest = storage.jobs.newestSeq()
  return writeInSlices(
    { storage, clock },
    (most) => waiting(most, newest),
    (seq) => storage.jobs.move(seq, 'purge', { reason }, momentOf(clock)) !== undefined,
  )
}

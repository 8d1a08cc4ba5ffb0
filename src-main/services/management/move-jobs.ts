/**
 * Retries or cancels many jobs. They are moved in batches, each a commit of its own, so that the service answers others
 * in between; what was moved stays so where a later batch fails. Jobs that come meanwhile are left alone.
 */
import type { BulkMove } from '../../contract/job-routes.ts'
import { TRANSITIONS } from '../../domain/job/transitions.ts'
import type { Clock, Job, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'
import { type JobSelection, selectedJobs } from './select-jobs.ts'

// One commit of this many moves takes some 10 ms.
const BATCH = 200

/** How it went. */
export type BulkResult = {
  readonly changed: number
  readonly refused: readonly { readonly reason: string; readonly count: number }[]
}

type Deps = { readonly storage: Storage; readonly clock: Clock }

const REASONS = { retry: 'retried by a client, with others', cancel: 'cancelled by a client, with others' } as const

/** Moves the jobs that may be moved, and says why the others may not. */
export async function moveJobs(deps: Deps, action: BulkMove, selection: JobSelection): Promise<BulkResult> {
  const { storage, clock } = deps
  const refused = createRefusals()
  let changed = 0
  // No move takes an archived job: a filter does not mean it.
  const movable = 'ids' in selection ? selection : { filter: { ...selection.filter, archived: false } }
  for await (const { jobs, unknown } of selectedJobs(storage, movable, { most: BATCH })) {
    refused.add(UNKNOWN_JOB, unknown)
    const reasons = await storage.write(() => jobs.map((job) => moveOne(storage, job, action, clock)))
    for (const reason of reasons) {
      if (reason === undefined) changed += 1
      else refused.add(reason)
    }
  }
  return { changed, refused: refused.all() }
}

/** Why an id is of no job. */
export const UNKNOWN_JOB = 'unknown, or its time in the history is over'
const ARCHIVED = 'expired for the job API; it can only be run again as a new job'

/** Counts jobs by the reason why nothing was done to them. */
export function createRefusals() {
  const counts = new Map<string, number>()
  return {
    add(reason: string, count = 1): void {
      if (count > 0) counts.set(reason, (counts.get(reason) ?? 0) + count)
    },
    all: (): BulkResult['refused'] => [...counts].map(([reason, count]) => ({ reason, count })),
  }
}

/** @returns why it was not moved */
function moveOne({ jobs }: Storage, job: Job, action: BulkMove, clock: Clock): string | undefined {
  if (jobs.move(job.seq, action, { reason: REASONS[action] }, momentOf(clock)) !== undefined) return undefined
  const current = jobs.read(job.seq)
  if (current === undefined) return UNKNOWN_JOB
  if (current.archived === 1) return ARCHIVED
  return `${current.status}; ${action} needs one of ${TRANSITIONS[action].from.join(', ')}`
}

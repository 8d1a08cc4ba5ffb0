/**
 * Selects and changes many jobs, in batches with a commit each, so that others are served in between. A later failure
 * keeps earlier batches; new jobs are ignored.
 */
import type { JobState } from '../../../contract/job.ts'
import type { BulkMove } from '../../../contract/job-routes.ts'
import { type Clock, momentOf } from '../../../lib/clock.ts'
import { writeInSlices } from '../../../lib/write-slices.ts'
import type { Job, JobFilter, NamedJobs, Storage } from '../../../storage/storage.ts'
import { TRANSITIONS } from '../rules/transitions.ts'

// A commit of this size takes about 10 ms.
const BATCH = 200

// The whole index must catch up, as all matches are needed. A commit of this size takes about 7 ms.
const CATCH_UP = 250

const REASONS = {
  retry: 'retried by a client together with others',
  cancel: 'cancelled by a client together with others',
} as const

export const UNKNOWN_JOB = 'unknown, or no longer stored'
const ARCHIVED = 'expired for the job API; it can only be run again as a new job'

const BY_A_CLIENT = 'purged by a client'

export type BulkResult = {
  readonly changed: number
  readonly refused: readonly { readonly reason: string; readonly count: number }[]
}

export type JobSelection = NamedJobs | { readonly batch: number; readonly states: readonly JobState[] }

type Deps = { readonly storage: Storage; readonly clock: Clock }

export async function moveJobs(deps: Deps, action: BulkMove, selection: JobSelection): Promise<BulkResult> {
  const { storage, clock } = deps
  const refused = createReasonCounts()
  let changed = 0
  // No transition takes an archived job, so a filter leaves them out unless it asks for them.
  const movable =
    'filter' in selection
      ? { filter: { ...selection.filter, archived: selection.filter.archived ?? false } }
      : selection
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

export function createReasonCounts() {
  const counts = new Map<string, number>()
  return {
    add(reason: string, count = 1): void {
      if (count > 0) counts.set(reason, (counts.get(reason) ?? 0) + count)
    },
    all: (): BulkResult['refused'] => [...counts].map(([reason, count]) => ({ reason, count })),
  }
}

function moveOne({ jobs }: Storage, job: Job, action: BulkMove, clock: Clock): string | undefined {
  if (jobs.move(job.seq, action, { reason: REASONS[action] }, momentOf(clock)) !== undefined) return undefined
  const current = jobs.read(job.seq)
  if (current === undefined) return UNKNOWN_JOB
  if (current.archived === 1) return ARCHIVED
  return `${current.status}; ${action} needs one of ${TRANSITIONS[action].from.join(', ')}`
}

/** Batches of selected jobs: filters newest first or reversed, without repeats or new jobs; ids in order. */
export async function* selectedJobs(
  storage: Storage,
  selection: JobSelection,
  { most, oldestFirst = false }: { readonly most: number; readonly oldestFirst?: boolean },
): AsyncGenerator<{ readonly jobs: readonly Job[]; readonly unknown: number }> {
  if ('ids' in selection) {
    const ids = [...new Set(selection.ids)]
    for (let from = 0; from < ids.length; from += most) {
      const found = ids.slice(from, from + most).map((id) => storage.jobs.find(id))
      const jobs = found.filter((job) => job !== undefined)
      yield { jobs, unknown: found.length - jobs.length }
    }
    return
  }
  // By number, so that a job that returns to its state is not met again.
  if ('batch' in selection) {
    for (const state of selection.states) {
      let jobs = storage.batches.jobs(selection.batch, state, 0, most)
      for (let last = jobs.at(-1); last !== undefined; last = jobs.at(-1)) {
        yield { jobs, unknown: 0 }
        jobs = storage.batches.jobs(selection.batch, state, last.seq, most)
      }
    }
    return
  }
  const { filter } = selection
  let before = Math.min(filter.before ?? Number.MAX_SAFE_INTEGER, storage.jobs.newestSeq() + 1)
  let { after } = filter
  await catchUp(storage, filter)
  for (;;) {
    const jobs = await storage.jobs.search({ ...filter, before, after, limit: most, oldestFirst })
    const last = jobs.at(-1)
    if (last === undefined) return
    yield { jobs, unknown: 0 }
    if (oldestFirst) after = last.seq
    else before = last.seq
  }
}

async function catchUp(storage: Storage, { text }: JobFilter): Promise<void> {
  if (text === undefined) return
  while (await storage.write(() => storage.search.catchUp(CATCH_UP)));
}

export function purgeQueue(deps: Deps, endpointId: string, reason = BY_A_CLIENT): Promise<number> {
  const { jobs } = deps.storage
  return purge(deps, (most, newest) => jobs.waiting(endpointId, newest, most).map(({ seq }) => seq), reason)
}

export function purgeGraph(deps: Deps, graphId: string): Promise<number> {
  return purge(deps, (most, newest) => deps.storage.graphs.waiting(graphId, newest, most), BY_A_CLIENT)
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

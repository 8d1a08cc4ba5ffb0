/**
 * Retries or cancels many jobs. They are moved in batches, each a commit of its own, so that the service answers others
 * in between; what was moved stays so where a later batch fails. Jobs that come meanwhile are left alone.
 */
import type { BulkAction } from '../../contract/job-routes.ts'
import { TRANSITIONS } from '../../domain/job/transitions.ts'
import type { Clock, Job, JobFilter, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'

// One commit of this many moves takes some 10 ms.
const BATCH = 200
// The index of the search may be behind; a bulk move takes all that match, so it waits for all of it.
// One commit of this many short inputs takes some 7 ms; of 2,000 it took 36.
const CATCH_UP = 250

/** Which jobs: by id, or all that a filter lets through. */
export type BulkSelection = { readonly ids: readonly string[] } | { readonly filter: JobFilter }

/** How it went. */
export type BulkResult = {
  readonly changed: number
  readonly refused: readonly { readonly reason: string; readonly count: number }[]
}

type Deps = { readonly storage: Storage; readonly clock: Clock }

const REASONS = { retry: 'retried by a client, with others', cancel: 'cancelled by a client, with others' } as const

/** Moves the jobs that may be moved, and says why the others may not. */
export async function moveJobs(deps: Deps, action: BulkAction, selection: BulkSelection): Promise<BulkResult> {
  const refused = new Map<string, number>()
  const refuse = (reason: string) => refused.set(reason, (refused.get(reason) ?? 0) + 1)
  let changed = 0

  async function move(jobs: readonly Job[]): Promise<void> {
    const { storage, clock } = deps
    const reasons = await storage.write(() => jobs.map((job) => moveOne(storage, job, action, clock)))
    for (const reason of reasons) {
      if (reason === undefined) changed += 1
      else refuse(reason)
    }
  }

  if ('ids' in selection) {
    for (const ids of inBatches([...new Set(selection.ids)])) {
      const jobs = ids.map((id) => deps.storage.jobs.find(id))
      for (const job of jobs) if (job === undefined) refuse(GONE)
      await move(jobs.filter((job) => job !== undefined))
    }
  } else {
    await catchUp(deps.storage, selection.filter)
    for await (const jobs of batchesOf(deps.storage, selection.filter)) await move(jobs)
  }
  return { changed, refused: [...refused].map(([reason, count]) => ({ reason, count })) }
}

const GONE = 'unknown, or its retention is over'

/** @returns why it was not moved */
function moveOne({ jobs }: Storage, job: Job, action: BulkAction, clock: Clock): string | undefined {
  if (jobs.move(job.seq, action, { reason: REASONS[action] }, momentOf(clock)) !== undefined) return undefined
  const state = jobs.read(job.seq)?.status
  return state === undefined ? GONE : `${state}; ${action} needs one of ${TRANSITIONS[action].from.join(', ')}`
}

async function catchUp(storage: Storage, { text }: JobFilter): Promise<void> {
  if (text === undefined) return
  while (await storage.write(() => storage.search.catchUp(CATCH_UP)));
}

// From the newest to the oldest by the number of each, so that a job that comes back to its state is not met again.
async function* batchesOf(storage: Storage, filter: JobFilter): AsyncGenerator<readonly Job[]> {
  let before = Math.min(filter.before ?? Number.MAX_SAFE_INTEGER, storage.jobs.newestSeq() + 1)
  for (;;) {
    const jobs = storage.jobs.list({ ...filter, before, limit: BATCH })
    const last = jobs.at(-1)
    if (last === undefined) return
    yield jobs
    before = last.seq
  }
}

function* inBatches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += BATCH) yield items.slice(from, from + BATCH)
}

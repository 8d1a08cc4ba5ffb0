/** Goes through many jobs for what is done to all of them: moved, run again, exported. */
import type { Job, JobFilter, Storage } from '../ports.ts'

/** Which jobs: by id, or all that a filter lets through. */
export type JobSelection = { readonly ids: readonly string[] } | { readonly filter: JobFilter }

/** Some of the selected jobs, and how many of the ids in between are of no job. */
export type SelectedJobs = { readonly jobs: readonly Job[]; readonly unknown: number }

// The index of the search may be behind; whoever takes all that match waits for all of it.
// One commit of this many short inputs takes some 7 ms; of 2,000 it took 36.
const CATCH_UP = 250

/**
 * The selected jobs in batches, as they are when their batch comes: those of a filter from the newest to the oldest,
 * or the other way round, none of them twice, and none that came since; those of ids in their order.
 */
export async function* selectedJobs(
  storage: Storage,
  selection: JobSelection,
  { most, oldestFirst = false }: { readonly most: number; readonly oldestFirst?: boolean },
): AsyncGenerator<SelectedJobs> {
  if ('ids' in selection) {
    const ids = [...new Set(selection.ids)]
    for (let from = 0; from < ids.length; from += most) {
      const found = ids.slice(from, from + most).map((id) => storage.jobs.find(id))
      const jobs = found.filter((job) => job !== undefined)
      yield { jobs, unknown: found.length - jobs.length }
    }
    return
  }
  const { filter } = selection
  // By the number of each, so that a job that comes back to its state is not met again.
  let before = Math.min(filter.before ?? Number.MAX_SAFE_INTEGER, storage.jobs.newestSeq() + 1)
  let { after } = filter
  await catchUp(storage, filter)
  for (;;) {
    const jobs = storage.jobs.list({ ...filter, before, after, limit: most, oldestFirst })
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

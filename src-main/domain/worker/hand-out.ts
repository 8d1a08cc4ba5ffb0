/**
 * The hand-out: which of the waiting workers gets the next jobs, how many, and what becomes of a job whose worker was
 * lost. Which job is next is the order of the queue: normal priority first, else the position (storage/job-store.ts).
 */
import type { Faults } from '../../contract/faults.ts'

/**
 * Least loaded first; among equals the one that came last, so that the others can fall idle and end. They are given one
 * by one and never sorted: as a rule the first few take all that waits, and nobody goes before one that has no job.
 * @param entries what waits for jobs, in the order in which it came
 * @param load how many jobs the worker of an entry holds
 */
export function* bestFirst<Entry extends { readonly workerId: string }>(
  entries: Iterable<Entry>,
  load: (workerId: string) => number,
): Generator<Entry> {
  const byLoad: Entry[][] = []
  for (const entry of [...entries].reverse()) {
    const jobs = load(entry.workerId)
    if (jobs === 0) yield entry
    else {
      byLoad[jobs] ??= []
      byLoad[jobs].push(entry)
    }
  }
  yield* byLoad.flat() // which passes over the loads that nobody has
}

/** How many jobs one call of a worker gets at most. @param asked how many it asked for */
export function mostPerTake(asked: number, faults: Faults | undefined): number {
  return faults?.coldStart === true ? Math.min(asked, 1) : asked
}

/**
 * What becomes of a job whose worker was lost: it is queued again while it has tries left.
 * Source: docs/spec/job-api.md, 4.
 * @param retries how often it was queued again before
 * @param redispatches how often its endpoint allows that
 */
export function moveOfLostJob(retries: number, redispatches: number): 'rescue' | 'abandon' {
  return retries < redispatches ? 'rescue' : 'abandon'
}

/**
 * Decides which waiting workers get the next jobs, and the fate of jobs of lost workers.
 * features/jobs/store/job-store.ts orders the jobs.
 */
import type { Faults } from '../../../contract/faults.ts'

/**
 * Least loaded first, then the latest, so that others become idle and end. Lazy: the first few usually take everything.
 * @param load jobs held by the entry's worker
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
  yield* byLoad.flat()
}

export function mostPerTake(asked: number, faults: Faults | undefined): number {
  return faults?.coldStart === true ? Math.min(asked, 1) : asked
}

/**
 * Requeues while retries are left. Source: docs/spec/job-api.md, 4.
 * @param redispatches the endpoint's limit
 */
export function moveOfLostJob(retries: number, redispatches: number): 'rescue' | 'abandon' {
  return retries < redispatches ? 'rescue' : 'abandon'
}

import type { JobState } from '../../../contract/job.ts'
import type { Change, Job, JobStore, Storage } from '../../../storage/storage.ts'

export type QueueCount = {
  readonly normal: number
  readonly lowPriority: number
  readonly batch: number
  readonly inProgress: number
  /** Those of `normal` that wait for a specific worker, so that starting another one would not help. */
  readonly forOneWorker?: number
}

/** Live counts, so that health and scaling do not depend on the number of jobs. */
export type QueueCounts = ReturnType<typeof createQueueCounts>

const NONE: Counting = { normal: 0, lowPriority: 0, batch: 0, inProgress: 0 }

export const waitingJobs = ({ normal, lowPriority, batch }: QueueCount): number => normal + lowPriority + batch

type Counting = { -readonly [Name in Exclude<keyof QueueCount, 'forOneWorker'>]: number }
type Counted = Pick<Job, 'pool' | 'lowPriority'>

export function createQueueCounts(storage: Pick<Storage, 'onCommit'> & { readonly jobs: Pick<JobStore, 'counts'> }) {
  const counts = new Map<string, Counting>()
  const waiting = new Set<string>()
  const add = (endpointId: string, state: JobState | undefined, { pool, lowPriority }: Counted, by: number) => {
    if (state !== 'IN_QUEUE' && state !== 'IN_PROGRESS') return
    let count = counts.get(endpointId)
    if (count === undefined) {
      count = { ...NONE }
      counts.set(endpointId, count)
    }
    if (state === 'IN_PROGRESS') count.inProgress += by
    else if (pool === 'batch') count.batch += by
    else if (lowPriority === 1) count.lowPriority += by
    else count.normal += by
    if (waitingJobs(count) > 0) waiting.add(endpointId)
    else waiting.delete(endpointId)
  }
  const forget = (endpointId: string) => {
    counts.delete(endpointId)
    waiting.delete(endpointId)
  }
  for (const row of storage.jobs.counts()) add(row.endpointId, row.status, row, row.count)
  storage.onCommit((changes: readonly Change[]) => {
    for (const change of changes) {
      if (change.type === 'endpoint' && change.event === 'deleted') forget(change.endpointId)
      if (change.type !== 'job' || change.from === change.to) continue
      add(change.endpointId, change.from, change.job, -1)
      add(change.endpointId, change.to, change.job, 1)
    }
  })
  return {
    of: (endpointId: string): QueueCount => counts.get(endpointId) ?? NONE,
    waitingEndpoints: (): Iterable<string> => waiting,
    total: (): QueueCount => {
      const sum: Counting = { ...NONE }
      for (const count of counts.values()) {
        for (const name of Object.keys(NONE) as (keyof Counting)[]) sum[name] += count[name]
      }
      return sum
    },
  }
}

import type { JobState } from '../../../contract/job.ts'
import type { Change, JobStore, Storage } from '../../../storage/storage.ts'

export type QueueCount = {
  readonly normal: number
  readonly lowPriority: number
  readonly inProgress: number
  /** Those of `normal` that wait for a specific worker, so that starting another one would not help. */
  readonly forOneWorker?: number
}

/** Live counts, so that health and scaling do not depend on the number of jobs. */
export type QueueCounts = ReturnType<typeof createQueueCounts>

const NONE: QueueCount = { normal: 0, lowPriority: 0, inProgress: 0 }

export function createQueueCounts(storage: Pick<Storage, 'onCommit'> & { readonly jobs: Pick<JobStore, 'counts'> }) {
  const counts = new Map<string, { normal: number; lowPriority: number; inProgress: number }>()
  const waiting = new Set<string>()
  const add = (endpointId: string, state: JobState | undefined, lowPriority: 0 | 1, by: number) => {
    if (state !== 'IN_QUEUE' && state !== 'IN_PROGRESS') return
    let count = counts.get(endpointId)
    if (count === undefined) {
      count = { ...NONE }
      counts.set(endpointId, count)
    }
    if (state === 'IN_PROGRESS') count.inProgress += by
    else if (lowPriority === 1) count.lowPriority += by
    else count.normal += by
    if (count.normal + count.lowPriority > 0) waiting.add(endpointId)
    else waiting.delete(endpointId)
  }
  const forget = (endpointId: string) => {
    counts.delete(endpointId)
    waiting.delete(endpointId)
  }
  for (const row of storage.jobs.counts()) add(row.endpointId, row.status, row.lowPriority, row.count)
  storage.onCommit((changes: readonly Change[]) => {
    for (const change of changes) {
      if (change.type === 'endpoint' && change.event === 'deleted') forget(change.endpointId)
      if (change.type !== 'job' || change.from === change.to) continue
      add(change.endpointId, change.from, change.job.lowPriority, -1)
      add(change.endpointId, change.to, change.job.lowPriority, 1)
    }
  })
  return {
    of: (endpointId: string): QueueCount => counts.get(endpointId) ?? NONE,
    waitingEndpoints: (): Iterable<string> => waiting,
    total: (): QueueCount => {
      const sum = { ...NONE } as { normal: number; lowPriority: number; inProgress: number }
      for (const count of counts.values()) {
        sum.normal += count.normal
        sum.lowPriority += count.lowPriority
        sum.inProgress += count.inProgress
      }
      return sum
    },
  }
}

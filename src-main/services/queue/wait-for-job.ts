import { isFinal } from '../../domain/job/transitions.ts'
import type { Change, Clock, Job, JobStore, Storage } from '../ports.ts'

/** Callers that wait for the end of a job, and for anything that happens to it. */
export type JobWaiters = {
  /**
   * Waits until the job has ended, `waitMs` is over or the signal aborts.
   * @param job as it was read or written in this turn of the event loop
   * @returns the job as it then is; undefined when it is gone
   */
  readonly untilEnd: (job: Job, waitMs: number, signal: AbortSignal | undefined) => Promise<Job | undefined>
  /** Calls `hear` with each change of the job or its chunks, until the returned function is called. */
  readonly listen: (jobId: string, hear: () => void) => () => void
  /** Says that the job has new chunks. */
  readonly notify: (jobId: string) => void
  /** Ends all waits; callers see the job as it is. */
  readonly release: () => void
}

/** Makes the waiters; they are woken after the commit. */
export function createJobWaiters(
  storage: Pick<Storage, 'onCommit'> & { readonly jobs: Pick<JobStore, 'read'> },
  clock: Clock,
): JobWaiters {
  const listeners = new Map<string, Set<(job: Job | undefined) => void>>()
  let released = false

  function add(jobId: string, hear: (job: Job | undefined) => void): () => void {
    const set = listeners.get(jobId) ?? new Set()
    listeners.set(jobId, set.add(hear))
    return () => {
      set.delete(hear)
      if (set.size === 0 && listeners.get(jobId) === set) listeners.delete(jobId)
    }
  }

  storage.onCommit((changes: readonly Change[]) => {
    if (listeners.size === 0) return
    for (const change of changes) {
      if (change.type === 'job') for (const hear of [...(listeners.get(change.jobId) ?? [])]) hear(change.job)
    }
  })

  return {
    listen: add,
    notify: (jobId) => {
      for (const hear of [...(listeners.get(jobId) ?? [])]) hear(undefined)
    },
    release: () => {
      released = true
      for (const [, set] of [...listeners]) for (const hear of [...set]) hear(undefined)
    },
    untilEnd: (job, waitMs, signal) =>
      new Promise((resolve) => {
        if (isFinal(job.status) || released || signal?.aborted) return resolve(job)
        const finish = (ended: Job | undefined) => {
          stopListening()
          cancelTimer()
          signal?.removeEventListener('abort', giveUp)
          resolve(ended)
        }
        const giveUp = () => finish(storage.jobs.read(job.seq))
        const stopListening = add(job.id, (changed) => {
          if (changed !== undefined && isFinal(changed.status)) finish(changed)
          else if (released) giveUp()
        })
        const cancelTimer = clock.after(waitMs, giveUp)
        signal?.addEventListener('abort', giveUp, { once: true })
      }),
  }
}

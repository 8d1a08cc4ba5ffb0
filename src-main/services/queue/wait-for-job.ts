import { createKeyedEmitter } from '../../domain/emitter.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import type { Change, Job, JobStore, Storage } from '../ports/storage.ts'
import type { Clock } from '../ports/system.ts'

/** Callers that wait for the end of a job, and for anything that happens to it. */
export type JobWaiters = {
  /**
   * Waits until the job has ended, `waitMs` is over or the signal aborts.
   * @returns the job as it then is, on the disk; undefined when it is gone
   * @throws AppError STORAGE_FAILED
   */
  readonly untilEnd: (job: Job, waitMs: number, signal: AbortSignal | undefined) => Promise<Job | undefined>
  /** Calls `onChange` at each change of the job or its chunks, until the returned function is called. */
  readonly listen: (jobId: string, onChange: () => void) => () => void
  /** Says that the job has new chunks. */
  readonly notify: (jobId: string) => void
  /** Ends all waits; callers see the job as it is. */
  readonly release: () => void
}

/** Makes the waiters; they are woken when what happened is on the disk. */
export function createJobWaiters(
  storage: Pick<Storage, 'onDurable' | 'durable'> & { readonly jobs: Pick<JobStore, 'read'> },
  clock: Clock,
): JobWaiters {
  const jobChanges = createKeyedEmitter<[Job | undefined]>()
  let released = false

  storage.onDurable((changes: readonly Change[]) => {
    if (jobChanges.isEmpty()) return
    for (const change of changes) if (change.type === 'job') jobChanges.emit(change.jobId, change.job)
  })

  return {
    listen: jobChanges.on,
    notify: (jobId) => jobChanges.emit(jobId, undefined),
    release: () => {
      released = true
      jobChanges.emitAll(undefined)
    },
    untilEnd: (job, waitMs, signal) =>
      new Promise((resolve, reject) => {
        if (isFinal(job.status) || released || signal?.aborted) return resolve(job)
        const finish = (ended: Job | undefined) => {
          stopListening()
          cancelTimer()
          signal?.removeEventListener('abort', giveUp)
          resolve(ended)
        }
        // What is read may be ahead of the disk.
        const finishAsRead = (read: Job | undefined) => void storage.durable().then(() => finish(read), reject)
        const giveUp = () => finishAsRead(storage.jobs.read(job.seq))
        const stopListening = jobChanges.on(job.id, (changed) => {
          if (changed !== undefined && isFinal(changed.status)) finish(changed)
          else if (released) giveUp()
        })
        const cancelTimer = clock.after(waitMs, giveUp)
        signal?.addEventListener('abort', giveUp, { once: true })
        // It may have ended while the commit that queued it was on its way to the disk.
        const now = storage.jobs.read(job.seq)
        if (now === undefined || isFinal(now.status)) finishAsRead(now)
      }),
  }
}

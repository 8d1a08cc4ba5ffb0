import type { Clock } from '../../../lib/clock.ts'
import { createKeyedEmitter } from '../../../lib/emitter.ts'
import type { Change, Job, JobStore, Storage } from '../../../storage/storage.ts'
import { isFinal } from '../rules/transitions.ts'

export type JobWaiters = ReturnType<typeof createJobWaiters>

export function createJobWaiters(
  storage: Pick<Storage, 'onDurable' | 'durable'> & { readonly jobs: Pick<JobStore, 'read'> },
  clock: Clock,
) {
  const jobChanges = createKeyedEmitter<[Job | undefined]>()
  let released = false

  storage.onDurable((changes: readonly Change[]) => {
    if (jobChanges.isEmpty()) return
    for (const change of changes)
      if (change.type === 'job') jobChanges.emit(change.jobId, change.job)
      else if (change.type === 'run') jobChanges.emit(change.runId, undefined)
  })

  return {
    /** To changes of a job, its chunks, and the results of its run. */
    listen: jobChanges.on,
    notify: (jobId: string) => jobChanges.emit(jobId, undefined),
    release: () => {
      released = true
      jobChanges.emitAll(undefined)
    },
    /**
     * Waits for the job's end, `waitMs` or an abort.
     * @returns the durable job; undefined if gone
     * @throws AppError STORAGE_FAILED
     */
    untilEnd: (job: Job, waitMs: number, signal: AbortSignal | undefined): Promise<Job | undefined> =>
      new Promise((resolve, reject) => {
        if (isFinal(job.status) || released || signal?.aborted) return resolve(job)
        const finish = (ended: Job | undefined) => {
          stopListening()
          cancelTimer()
          signal?.removeEventListener('abort', giveUp)
          resolve(ended)
        }
        // Reads may be ahead of the disk, so the result waits until it is durable.
        const finishAsRead = (read: Job | undefined) => void storage.durable().then(() => finish(read), reject)
        const giveUp = () => finishAsRead(storage.jobs.read(job.seq))
        const stopListening = jobChanges.on(job.id, (changed) => {
          if (changed !== undefined && isFinal(changed.status)) finish(changed)
          else if (released) giveUp()
        })
        const cancelTimer = clock.after(waitMs, giveUp)
        signal?.addEventListener('abort', giveUp, { once: true })
        // It may have ended while its commit was being synced.
        const now = storage.jobs.read(job.seq)
        if (now === undefined || isFinal(now.status)) finishAsRead(now)
      }),
  }
}

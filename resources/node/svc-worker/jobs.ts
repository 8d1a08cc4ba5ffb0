import type { Job } from './handler.ts'
import { currentJob } from './logs.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import type { Post } from './poster.ts'
import type { Settings } from './settings.ts'

class CancelReason extends DOMException {
  constructor() {
    super('The job was cancelled.', 'AbortError')
  }
}

export function comesOfCancel(error: unknown): boolean {
  return error instanceof CancelReason || (error instanceof Error && error.cause instanceof CancelReason)
}

export type RunningJob = { readonly job: Job; readonly abort: AbortController; readonly outbox: Outbox }

export function toRunningJob(job: Job, settings: Settings, post: Post): RunningJob {
  return { job, abort: new AbortController(), outbox: createOutbox(job.id, settings, post) }
}

export type RunningJobs = ReturnType<typeof createRunningJobs>

/** @param onChange receives the ids in the order in which the jobs were taken */
export function createRunningJobs(onChange: (jobIds: readonly string[]) => void) {
  const jobs = new Map<string, RunningJob>()
  let waiters: (() => void)[] = []

  const nextChange = () => new Promise<void>((resolve) => waiters.push(resolve))
  function wake(): void {
    const woken = waiters
    waiters = []
    for (const resolve of woken) resolve()
  }

  return {
    size: (): number => jobs.size,
    /** False if the job is already running: the service dispatched it again too early. */
    add(running: RunningJob): boolean {
      if (jobs.has(running.job.id)) return false
      jobs.set(running.job.id, running)
      onChange([...jobs.keys()])
      return true
    },
    /** Call after the result is posted, so that pings name the job until then. */
    remove(running: RunningJob) {
      jobs.delete(running.job.id)
      onChange([...jobs.keys()])
      wake()
    },
    // Runs in the job's context, so that its listeners' logs belong to the job.
    cancel: (jobId: string) => currentJob.run(jobId, () => jobs.get(jobId)?.abort.abort(new CancelReason())),
    /** Resolves once fewer than `limit` run, or at `wake`. */
    async waitForRoom(limit: number) {
      if (jobs.size >= limit) await nextChange()
    },
    async waitUntilIdle() {
      while (jobs.size > 0) await nextChange()
    },
    wake,
  }
}

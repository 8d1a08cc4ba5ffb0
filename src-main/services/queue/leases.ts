/**
 * The jobs that workers hold. A lease begins with a committed claim and ends with the job's next move. It is renewed
 * by any call of its worker, but a job that the worker has never named is held only for the first lease, so that an
 * answer lost on the way does not keep a job for ever. Times are steady ms; leases live in memory and start anew when
 * the service does. Source: job-api, States.
 */
import { limit } from '../../contract/limits.ts'
import type { Change, Clock, Job, Storage } from '../ports.ts'

/** One held job. `attempt` is the fencing token: a report counts only for the attempt it was given. */
export type Lease = {
  readonly seq: number
  readonly jobId: string
  readonly endpointId: string
  readonly workerId: string
  readonly attempt: number
  readonly executeUntil: number
  /** It was claimed in an earlier run of the service, whose answer may not have reached the worker. */
  readonly resumed: boolean
  confirmed: boolean
  until: number
}

/** The book of leases. */
export type Leases = {
  readonly get: (jobId: string) => Lease | undefined
  readonly ofWorker: (workerId: string) => readonly Lease[]
  readonly all: () => Iterable<Lease>
  /** A sign of life of a worker; `named` are the jobs it says it runs. */
  readonly renew: (workerId: string, named: readonly string[]) => void
  /** Holds a job again after a restart of the service, with a full lease and a full execution time. */
  readonly resume: (job: Job) => void
}

/** Makes the book of leases; it follows the committed changes. */
export function createLeases(storage: Pick<Storage, 'onCommit'>, clock: Clock): Leases {
  const byJob = new Map<string, Lease>()
  const byWorker = new Map<string, Map<string, Lease>>()

  function hold(job: Job, resumed: boolean): void {
    const { seq, id: jobId, endpointId, workerId, attempt } = job
    if (workerId === null) return
    const now = clock.steady()
    const lease: Lease = {
      seq,
      jobId,
      endpointId,
      workerId,
      attempt,
      executeUntil: now + job.executionTimeoutMs,
      resumed,
      confirmed: false,
      until: now + limit('leaseMs'),
    }
    byJob.set(jobId, lease)
    const held = byWorker.get(workerId) ?? new Map<string, Lease>()
    byWorker.set(workerId, held.set(jobId, lease))
  }

  function drop(jobId: string): void {
    const lease = byJob.get(jobId)
    if (lease === undefined) return
    byJob.delete(jobId)
    const held = byWorker.get(lease.workerId)
    held?.delete(jobId)
    if (held?.size === 0) byWorker.delete(lease.workerId)
  }

  storage.onCommit((changes: readonly Change[]) => {
    for (const change of changes) {
      if (change.type !== 'job' || change.event === 'submit' || change.event === 'progress') continue
      if (change.event === 'claim') hold(change.job, false)
      else drop(change.jobId)
    }
  })

  return {
    get: (jobId) => byJob.get(jobId),
    ofWorker: (workerId) => [...(byWorker.get(workerId)?.values() ?? [])],
    all: () => byJob.values(),
    renew(workerId, named) {
      const held = byWorker.get(workerId)
      if (held === undefined) return
      for (const jobId of named) {
        const lease = held.get(jobId)
        if (lease !== undefined) lease.confirmed = true
      }
      const until = clock.steady() + limit('leaseMs')
      for (const lease of held.values()) if (lease.confirmed) lease.until = until
    },
    resume: (job) => hold(job, true),
  }
}

import { type Clock, momentOf } from '../../../lib/clock.ts'
import { type SliceDeps, writeInSlices } from '../../../lib/write-slices.ts'
import type { Job, Moment, Storage } from '../../../storage/storage.ts'
import { moveOfLostJob } from '../../workers/rules/dispatch.ts'
import { lostWorkerError } from '../rules/lost-worker.ts'
import { TIME_LIMIT_ERROR } from '../rules/time-limit.ts'
import { isFinal } from '../rules/transitions.ts'
import type { Lease } from './leases.ts'

/**
 * Requeues a lost worker's jobs while attempts remain, otherwise fails them. Source: docs/spec/job-api.md, 4.
 * @param reason for the history
 * @param cause worker exit, for the job's error
 */
export async function rescueLostJobs(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  leases: readonly Lease[],
  reason: string,
  cause?: string,
): Promise<void> {
  if (leases.length === 0) return
  await storage.write(() => {
    for (const { seq, workerId, attempt, endpointId } of leases) {
      const job = storage.jobs.read(seq)
      if (job === undefined) continue
      const tries = storage.endpoints.get(endpointId)?.config.redispatches ?? 0
      const fields = { workerId, attempt, reason }
      const event = moveOfLostJob(job.retries, tries)
      const error = event === 'abandon' ? { error: lostWorkerError(tries, cause) } : {}
      storage.jobs.move(seq, event, { ...fields, ...error }, momentOf(clock))
    }
  })
}

/** Requeues jobs without counting an attempt: the dispatch never began, or we ended the worker. */
export async function requeueJobs(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  leases: readonly Lease[],
  reason: string,
): Promise<void> {
  if (leases.length === 0) return
  await storage.write(() => {
    for (const { seq, workerId, attempt } of leases) {
      storage.jobs.move(seq, 'release', { workerId, attempt, reason }, momentOf(clock))
    }
  })
}

/** Fails jobs over their execution limit. Source: docs/spec/job-api.md, 4. */
export async function failOverdueJobs(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  leases: readonly Lease[],
): Promise<void> {
  if (leases.length === 0) return
  const texts = { error: TIME_LIMIT_ERROR, reason: 'it ran longer than its executionTimeout' }
  await storage.write(() => {
    for (const { seq, workerId, attempt } of leases) {
      storage.jobs.move(seq, 'exceedExecution', { workerId, attempt, ...texts }, momentOf(clock))
    }
  })
}

// Pending webhooks and results need the record; check again later.
const STILL_NEEDED_MS = 60_000

/**
 * Ends expired waiting jobs as TIMED_OUT, and archives expired running or ended ones. Source: docs/spec/job-api.md, 4.
 */
export async function sweepDeadlines(
  deps: SliceDeps & { readonly storage: Storage; readonly clock: Clock },
): Promise<void> {
  const { storage, clock } = deps
  const steady = clock.steady()
  if (storage.jobs.pastDeadline(steady, 1).length === 0) return
  await writeInSlices(
    deps,
    (most) => storage.jobs.pastDeadline(steady, most),
    (job) => sweepOne(storage, clock, job),
  )
}

function sweepOne(storage: Storage, clock: Clock, job: Job): boolean {
  const moment = momentOf(clock)
  if (!isFinal(job.status)) {
    const where = job.status === 'IN_QUEUE' ? 'before a worker took it' : 'while it ran'
    storage.jobs.move(job.seq, 'expire', { reason: `its ttl of ${job.ttlMs} ms passed ${where}` }, moment)
    const isKept = storage.endpoints.get(job.endpointId)?.config.ttlWhileRunning === 'keep'
    if (job.status === 'IN_PROGRESS' && !isKept) forget(storage, job, moment)
  } else forget(storage, job, moment)
  return true
}

function forget(storage: Storage, { seq, id }: Job, moment: Moment): void {
  if (storage.jobs.hasPendingDelivery(seq) || storage.runs.isOpen(id))
    storage.jobs.postponeArchiving({ seq, steady: moment.steady + STILL_NEEDED_MS })
  else storage.archive.add(seq, moment)
}

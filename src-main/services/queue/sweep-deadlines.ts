import { isFinal } from '../../domain/job/transitions.ts'
import type { Clock, Job, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'
import { type SliceDeps, writeInSlices } from '../write-slices.ts'

// A webhook that is still on its way needs the record, and a run whose results are not kept yet; look again after that.
const STILL_NEEDED_MS = 60_000

/**
 * Acts on passed deadlines: a job whose ttl is over ends as TIMED_OUT, an ended job whose retention is over is archived,
 * so that the job API does not know it any more. Source: job-api, States.
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
  } else if (storage.jobs.hasPendingDelivery(job.seq) || storage.runs.isOpen(job.id))
    storage.jobs.postponeArchiving(job.seq, moment.steady + STILL_NEEDED_MS)
  else storage.archive.add(job.seq, moment)
  return true
}

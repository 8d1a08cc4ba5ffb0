import { isFinal } from '../../domain/job/transitions.ts'
import type { Clock, Job, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'

const BATCH = 200
// A webhook that is still on its way needs the record, and a run whose results are not kept yet; look again after that.
const STILL_NEEDED_MS = 60_000

/**
 * Acts on passed deadlines: a job whose ttl is over ends as TIMED_OUT, the record of an ended job whose retention is
 * over is deleted. Source: job-api, States.
 * @returns whether more are past their deadline
 */
export function sweepDeadlines({
  storage,
  clock,
}: {
  readonly storage: Storage
  readonly clock: Clock
}): Promise<boolean> {
  const due = storage.jobs.pastDeadline(clock.steady(), BATCH)
  if (due.length === 0) return Promise.resolve(false)
  return storage.write(() => {
    for (const job of due) sweepOne(storage, clock, job)
    return due.length === BATCH
  })
}

function sweepOne(storage: Storage, clock: Clock, job: Job): void {
  const moment = momentOf(clock)
  if (!isFinal(job.status)) {
    const where = job.status === 'IN_QUEUE' ? 'before a worker took it' : 'while it ran'
    storage.jobs.move(job.seq, 'expire', { reason: `its ttl of ${job.ttlMs} ms passed ${where}` }, moment)
  } else if (storage.jobs.hasPendingDelivery(job.seq) || storage.runs.isOpen(job.id))
    storage.jobs.postponeRemoval(job.seq, moment.steady + STILL_NEEDED_MS)
  else storage.jobs.remove(job.seq)
}

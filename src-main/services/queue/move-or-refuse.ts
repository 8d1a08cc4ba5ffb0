import { AppError } from '../../contract/errors.ts'
import { type JobEvent, TRANSITIONS } from '../../domain/job/transitions.ts'
import type { Clock, Job, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'

/**
 * Makes a move that a client asked for, or says why it is not possible.
 * @param reason for the job's history
 * @throws AppError WRONG_STATE when the table does not allow the move, JOB_NOT_FOUND when the job is gone or archived
 */
export async function moveOrRefuse(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  job: Job,
  event: JobEvent,
  reason: string,
): Promise<Job> {
  const moved = await storage.write(() => storage.jobs.move(job.seq, event, { reason }, momentOf(clock)))
  if (moved !== undefined) return moved
  const current = storage.jobs.read(job.seq)
  if (current === undefined || current.archived === 1) throw new AppError('JOB_NOT_FOUND', { jobId: job.id })
  const allowed = TRANSITIONS[event].from.join(', ')
  throw new AppError('WRONG_STATE', { jobId: job.id, status: current.status, operation: event, allowed })
}

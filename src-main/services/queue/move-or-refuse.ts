import { AppError } from '../../contract/errors.ts'
import type { JobState } from '../../contract/job.ts'
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
  return moved ?? refuseMove({ storage }, job, event, TRANSITIONS[event].from)
}

/**
 * Says why a job was not moved.
 * @param allowed the states that it would have to be in
 * @throws AppError always: WRONG_STATE, or JOB_NOT_FOUND when the job is gone or archived
 */
export function refuseMove(
  { storage }: { readonly storage: Storage },
  job: Job,
  operation: string,
  allowed: readonly JobState[],
): never {
  const current = storage.jobs.read(job.seq)
  if (current === undefined || current.archived === 1) throw new AppError('JOB_NOT_FOUND', { jobId: job.id })
  throw new AppError('WRONG_STATE', { jobId: job.id, status: current.status, operation, allowed: allowed.join(', ') })
}

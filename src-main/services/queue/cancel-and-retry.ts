import { AppError } from '../../contract/errors.ts'
import { TRANSITIONS } from '../../domain/job/transitions.ts'
import type { Clock, Job, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'

/**
 * Cancels a job that waits or runs. A running handler is told to stop by the supervisor, which hears of the move.
 * @throws AppError WRONG_STATE when the job has ended, JOB_NOT_FOUND when it is gone
 */
export function cancelJob(deps: { readonly storage: Storage; readonly clock: Clock }, job: Job): Promise<Job> {
  return moveOrRefuse(deps, job, 'cancel', 'cancelled by a client')
}

/**
 * Queues a job again that has failed or timed out: same id and input; output, error, chunks and times are gone.
 * @throws AppError WRONG_STATE in any other state, JOB_NOT_FOUND when it is gone
 */
export function retryJob(deps: { readonly storage: Storage; readonly clock: Clock }, job: Job): Promise<Job> {
  return moveOrRefuse(deps, job, 'retry', 'retried by a client')
}

async function moveOrRefuse(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  job: Job,
  event: 'cancel' | 'retry',
  reason: string,
): Promise<Job> {
  const moved = await storage.write(() => storage.jobs.move(job.seq, event, { reason }, momentOf(clock)))
  if (moved !== undefined) return moved
  const current = storage.jobs.read(job.seq)
  if (current === undefined) throw new AppError('JOB_NOT_FOUND', { jobId: job.id })
  const allowed = TRANSITIONS[event].from.join(', ')
  throw new AppError('WRONG_STATE', { jobId: job.id, status: current.status, operation: event, allowed })
}

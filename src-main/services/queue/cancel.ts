import type { Clock, Job, Storage } from '../ports.ts'
import { moveOrRefuse } from './move-or-refuse.ts'

/**
 * Cancels a job that waits or runs. A running handler is told to stop by the supervisor, which hears of the move.
 * @throws AppError WRONG_STATE when the job has ended, JOB_NOT_FOUND when it is gone
 */
export function cancelJob(deps: { readonly storage: Storage; readonly clock: Clock }, job: Job): Promise<Job> {
  return moveOrRefuse(deps, job, 'cancel', 'cancelled by a client')
}

import type { Clock, Job, Storage } from '../ports.ts'
import { moveOrRefuse } from './move-or-refuse.ts'

/**
 * Queues a job again that has failed or timed out: same id and input; output, error, chunks and times are gone.
 * @throws AppError WRONG_STATE in any other state, JOB_NOT_FOUND when it is gone
 */
export function retryJob(deps: { readonly storage: Storage; readonly clock: Clock }, job: Job): Promise<Job> {
  return moveOrRefuse(deps, job, 'retry', 'retried by a client')
}

/** What clients ask for one job: cancel, retry, another position in the queue. */
import { AppError } from '../../contract/errors.ts'
import type { JobState } from '../../contract/job.ts'
import { type JobEvent, TRANSITIONS } from '../../domain/job/transitions.ts'
import type { Job, Storage } from '../ports/storage.ts'
import type { Clock } from '../ports/system.ts'
import { momentOf } from '../steady-clock.ts'

/**
 * Makes a move that a client asked for, or says why it is not possible.
 * @param reason for the job's history
 * @throws AppError WRONG_STATE when the table does not allow the move, JOB_NOT_FOUND when the job is gone or archived
 */
async function moveOrRefuse(
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
function refuseMove(
  { storage }: { readonly storage: Storage },
  job: Job,
  operation: string,
  allowed: readonly JobState[],
): never {
  const current = storage.jobs.read(job.seq)
  if (current === undefined || current.archived === 1) throw new AppError('JOB_NOT_FOUND', { jobId: job.id })
  throw new AppError('WRONG_STATE', { jobId: job.id, status: current.status, operation, allowed: allowed.join(', ') })
}

/**
 * Cancels a job that waits or runs. A running handler is asked to stop by the supervisor, which is notified of the
 * move.
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

type Deps = { readonly storage: Storage; readonly clock: Clock }

/**
 * Moves a waiting job before all others of its endpoint with its priority.
 * @throws AppError WRONG_STATE when it does not wait any more, JOB_NOT_FOUND when it is gone
 */
export async function moveToFront({ storage, clock }: Deps, job: Job): Promise<Job> {
  const moved = await storage.write(() => storage.jobs.moveToFront(job.seq, momentOf(clock)))
  return moved ?? refuseMove({ storage }, job, 'reorder', ['IN_QUEUE'])
}

/**
 * Lets two waiting jobs swap positions, so that no other is claimed sooner or later than before.
 * @throws AppError WRONG_STATE when one of them does not wait any more, JOB_NOT_FOUND when one is gone, BAD_FIELD when
 * they are in different queues
 */
export async function swapPositions({ storage, clock }: Deps, job: Job, otherId: string): Promise<Job> {
  const other = storage.jobs.find(otherId)
  if (other === undefined) throw new AppError('JOB_NOT_FOUND', { jobId: otherId })
  if (other.endpointId !== job.endpointId || other.lowPriority !== job.lowPriority) {
    const why = 'is not a job of the same endpoint with the same priority'
    throw new AppError('BAD_FIELD', { field: 'swapWith', why })
  }
  const moved = await storage.write(() => storage.jobs.swapPositions(job.seq, other.seq, momentOf(clock)))
  if (moved !== undefined) return moved
  const waits = storage.jobs.read(job.seq)?.status === 'IN_QUEUE'
  return refuseMove({ storage }, waits ? other : job, 'reorder', ['IN_QUEUE'])
}

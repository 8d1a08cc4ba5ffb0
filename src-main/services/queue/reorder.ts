import { AppError } from '../../contract/errors.ts'
import type { Clock, Job, Storage } from '../ports.ts'
import { momentOf } from '../steady-clock.ts'
import { refuseMove } from './move-or-refuse.ts'

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
 * Lets two waiting jobs change places, so that no other is claimed sooner or later than before.
 * @throws AppError WRONG_STATE when one of them does not wait any more, JOB_NOT_FOUND when one is gone, BAD_FIELD when they are in
 * different queues
 */
export async function changePlaces({ storage, clock }: Deps, job: Job, otherId: string): Promise<Job> {
  const other = storage.jobs.find(otherId)
  if (other === undefined) throw new AppError('JOB_NOT_FOUND', { jobId: otherId })
  if (other.endpointId !== job.endpointId || other.lowPriority !== job.lowPriority) {
    const why = 'is no job of the same endpoint with the same priority'
    throw new AppError('BAD_FIELD', { field: 'swapWith', why })
  }
  const moved = await storage.write(() => storage.jobs.changePlaces(job.seq, other.seq, momentOf(clock)))
  if (moved !== undefined) return moved
  const waits = storage.jobs.read(job.seq)?.status === 'IN_QUEUE'
  return refuseMove({ storage }, waits ? other : job, 'reorder', ['IN_QUEUE'])
}

import { AppError } from '../../../contract/errors.ts'
import type { JobState } from '../../../contract/job.ts'
import type { QueueMove } from '../../../contract/job-routes.ts'
import { type Clock, momentOf } from '../../../lib/clock.ts'
import type { Job, Moment, Storage } from '../../../storage/storage.ts'
import { type JobEvent, TRANSITIONS } from '../rules/transitions.ts'

async function moveOrRefuse(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  job: Job,
  event: JobEvent,
  reason: string,
): Promise<Job> {
  const moved = await storage.write(() => storage.jobs.move(job.seq, event, { reason }, momentOf(clock)))
  return moved ?? refuseMove({ storage }, job, event, TRANSITIONS[event].from)
}

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
 * Cancels a waiting or running job; the supervisor, notified of the transition, stops its handler.
 * @throws AppError WRONG_STATE if it has ended, JOB_NOT_FOUND if gone
 */
export function cancelJob(deps: { readonly storage: Storage; readonly clock: Clock }, job: Job): Promise<Job> {
  return moveOrRefuse(deps, job, 'cancel', 'cancelled by a client')
}

/**
 * Requeues a failed or timed-out job with its id and input; output, error, chunks and times are cleared.
 * @throws AppError WRONG_STATE in other states, JOB_NOT_FOUND if gone
 */
export function retryJob(deps: { readonly storage: Storage; readonly clock: Clock }, job: Job): Promise<Job> {
  return moveOrRefuse(deps, job, 'retry', 'retried by a client')
}

type Deps = { readonly storage: Storage; readonly clock: Clock }

/** @throws AppError WRONG_STATE if either job no longer waits, JOB_NOT_FOUND if one is gone, BAD_FIELD across queues */
export async function reorderJob({ storage, clock }: Deps, job: Job, move: QueueMove): Promise<Job> {
  const { jobs } = storage
  const { seq } = job
  const write = (work: (moment: Moment) => Job | undefined) => storage.write(() => work(momentOf(clock)))
  let moved: Job | undefined
  let other: Job | undefined
  if ('to' in move) {
    const { to } = move
    moved = await write((moment) => (to === 'front' ? jobs.moveToFront(seq, moment) : jobs.moveToBack(seq, moment)))
  } else if ('priority' in move) moved = await write((moment) => jobs.setPriority(seq, move.priority, moment))
  else {
    const [field, otherId] = Object.entries(move)[0] ?? ['', '']
    other = partnerOf({ storage }, job, field, otherId)
    const { seq: otherSeq } = other
    moved = await write((moment) => {
      if ('swapWith' in move) return jobs.swapPositions(seq, otherSeq, moment)
      return jobs.moveBeside(seq, 'before' in move ? 'before' : 'after', otherSeq, moment)
    })
  }
  if (moved !== undefined) return moved
  const waits = jobs.read(seq)?.status === 'IN_QUEUE'
  return refuseMove({ storage }, waits ? (other ?? job) : job, 'reorder', ['IN_QUEUE'])
}

function partnerOf({ storage }: Pick<Deps, 'storage'>, job: Job, field: string, otherId: string): Job {
  const other = storage.jobs.find(otherId)
  if (other === undefined) throw new AppError('JOB_NOT_FOUND', { jobId: otherId })
  if (other.id === job.id) throw new AppError('BAD_FIELD', { field, why: 'is the job itself' })
  const isAlike = other.lowPriority === job.lowPriority && other.priority === job.priority
  if (other.pool !== job.pool)
    throw new AppError('BAD_FIELD', {
      field,
      why: 'waits for other workers: only one of the two jobs is part of a batch',
    })
  if (other.endpointId !== job.endpointId || !isAlike)
    throw new AppError('BAD_FIELD', { field, why: 'is not a job of the same endpoint with the same priority' })
  return other
}

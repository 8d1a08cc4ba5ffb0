import type { BatchState } from '../../../contract/batch.ts'
import { JOB_STATES, type JobState } from '../../../contract/job.ts'
import type { BatchView } from '../../../contract/job-routes.ts'
import { TRANSITIONS } from '../../jobs/rules/transitions.ts'

/** Inputs by state; UNQUEUED: not a job yet, GONE: the job was deleted, REFUSED: never became a job. */
export type BatchCounts = Readonly<Partial<Record<JobState | 'UNQUEUED' | 'GONE' | 'REFUSED', number>>>

// By state of the batch, the state as which an unqueued input counts.
export const UNQUEUED_AS: Readonly<Partial<Record<BatchState, JobState>>> = {
  FINALIZED: 'IN_QUEUE',
  CANCELLED: 'CANCELLED',
  FAILED: 'FAILED',
}

const OPEN = TRANSITIONS.cancel.from

type Counted = { readonly state: BatchState; readonly total: number; readonly counts: BatchCounts }

export function countsOf({ state, total, counts }: Counted) {
  const { UNQUEUED: unqueued = 0, REFUSED: refused = 0, GONE: gone = 0 } = counts
  const as = UNQUEUED_AS[state]
  const jobs = Object.fromEntries(
    JOB_STATES.map((one) => [one, (counts[one] ?? 0) + (one === as ? unqueued : 0)]),
  ) as Record<JobState, number>
  const drafts = as === undefined ? unqueued : 0
  const stored = drafts + refused + gone + JOB_STATES.reduce((sum, one) => sum + jobs[one], 0)
  const unsent = Math.max(0, total - stored)
  // Stored by a call that adds all of its requests or none, and is still running.
  const uncounted = Math.max(0, stored - total)
  const isOpen = OPEN.some((one) => jobs[one] > 0)
  return {
    drafts: drafts - uncounted,
    unsent,
    uncounted,
    refused,
    gone,
    jobs,
    isOpen,
    state: shownState(state, { unsent, isOpen }),
  }
}

function shownState(
  state: BatchState,
  { unsent, isOpen }: { readonly unsent: number; readonly isOpen: boolean },
): BatchView['state'] {
  if (state === 'DRAFT') return unsent > 0 ? 'uploading' : 'draft'
  if (isOpen) return 'running'
  return ({ FINALIZED: 'ended', CANCELLED: 'cancelled', FAILED: 'failed' } as const)[state]
}

/** The state on the wire: a batch is CANCELLED once its running jobs have ended. */
export const wireState = (state: BatchState, isOpen: boolean): BatchState =>
  state === 'CANCELLED' && isOpen ? 'FINALIZED' : state

export const endedIn = ({ total, unsent, drafts, jobs }: BatchView): number =>
  total - unsent - drafts - jobs.IN_QUEUE - jobs.IN_PROGRESS

export const failedIn = ({ jobs, refused }: BatchView): number => jobs.FAILED + jobs.TIMED_OUT + refused

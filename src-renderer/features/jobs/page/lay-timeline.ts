import type { JobState } from '../../../../src-main/contract/job.ts'
import type { JobHistoryEntry } from '../../../../src-main/contract/management.ts'
import { isFinal } from '../../../../src-main/features/jobs/rules/transitions.ts'
import type { Tone } from '../../../ui/colours.ts'
import { duration } from '../../../ui/format.ts'
import { JOB_STATES } from '../../../ui/StateDot.tsx'

export type TimelineSpan = { readonly state: JobState; readonly from: number; readonly to: number }

export type TimelineStep = {
  readonly at: number
  readonly event: string
  readonly to: JobState
  readonly attempt: number
  readonly workerId: string | undefined
  readonly reason: string | undefined
  readonly times: number
}

/** The bar and its steps; all times are ms since the epoch. */
export type Timeline = {
  readonly from: number
  readonly to: number
  readonly goesOn: boolean
  readonly spans: readonly TimelineSpan[]
  readonly steps: readonly TimelineStep[]
}

export function layTimeline(history: readonly JobHistoryEntry[], now: number): Timeline {
  const spans: TimelineSpan[] = []
  const steps: TimelineStep[] = []
  for (const [index, { at, event, to, attempt, workerId, reason }] of history.entries()) {
    const next = history[index + 1]
    const end = next?.at ?? (isFinal(to) ? at : Math.max(now, at))
    const last = spans.at(-1)
    if (last !== undefined && last.state === to) spans[spans.length - 1] = { ...last, to: end }
    // An end followed by a retry lasted too; the last end is a moment.
    else if (!isFinal(to) || end > at) spans.push({ state: to, from: at, to: end })
    const before = steps.at(-1)
    if (before?.event === event && event === 'progress')
      steps[steps.length - 1] = { ...before, at, reason, times: before.times + 1 }
    else steps.push({ at, event, to, attempt, workerId, reason, times: 1 })
  }
  const from = history[0]?.at ?? now
  const end = history.at(-1)?.to
  return { from, to: spans.at(-1)?.to ?? from, goesOn: end !== undefined && !isFinal(end), spans, steps }
}

export type Attempt = {
  readonly number: number
  readonly workerId: string | undefined
  readonly from: number
  readonly to: number | undefined
  readonly end: TimelineStep | undefined
}

export function attemptsOf(history: readonly JobHistoryEntry[]): readonly Attempt[] {
  const attempts: Attempt[] = []
  for (const { at, event, to, attempt, workerId, reason } of history) {
    if (event === 'claim') {
      attempts.push({ number: attempt, workerId, from: at, to: undefined, end: undefined })
      continue
    }
    const last = attempts.at(-1)
    if (last === undefined || last.to !== undefined || to === 'IN_PROGRESS') continue
    const end = { at, event, to, attempt, workerId, reason, times: 1 }
    attempts[attempts.length - 1] = { ...last, to: at, end }
  }
  return attempts
}

const SPAN_TEXTS: Readonly<Record<JobState, string>> = {
  IN_QUEUE: 'waited',
  IN_PROGRESS: 'ran',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TIMED_OUT: 'timed out',
}

export function spanText({ state, from, to }: TimelineSpan, goesOn: boolean): string {
  if (!goesOn) return `${SPAN_TEXTS[state]} ${duration(to - from)}`
  return `${state === 'IN_QUEUE' ? 'waiting' : 'running'} for ${duration(to - from)}`
}

const STEP_TEXTS: Readonly<Record<string, string>> = {
  submit: 'Queued',
  claim: 'Taken by a worker',
  progress: 'Progress',
  complete: 'Completed',
  fail: 'Failed',
  exceedExecution: 'Ran longer than allowed',
  rescue: 'Worker lost, queued again',
  abandon: 'Worker lost, no tries left',
  release: 'Returned to the queue before it started',
  expire: 'Its time to live has passed',
  cancel: 'Cancelled',
  purge: 'Removed from the queue',
  retry: 'Retried, queued again',
}

export function stepText({ event, times }: Pick<TimelineStep, 'event' | 'times'>): string {
  const label = STEP_TEXTS[event] ?? event
  return times === 1 ? label : `${label}, ${times.toLocaleString('en')} times`
}

/** Colour of the target state; retry for returns to the queue, none within it. */
export function toneOf({ event, to }: { readonly event: string; readonly to: JobState }): Tone {
  return to === 'IN_QUEUE' && event !== 'submit' && event !== 'reorder' ? 'retried' : JOB_STATES[to].tone
}

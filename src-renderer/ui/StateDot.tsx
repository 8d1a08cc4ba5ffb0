import clsx from 'clsx'
import type { JobState } from '../../src-main/contract/job.ts'
import { isTimedOut } from '../../src-main/features/jobs/rules/time-limit.ts'
import { TONE_FILLS, type Tone } from './colours.ts'

export type StateDotProps = {
  readonly tone: Tone
  readonly text: string
  readonly detail?: string | undefined
  readonly pulses?: boolean
}

export function StateDot({ tone, text, detail, pulses = false }: StateDotProps) {
  return (
    <span className={clsx('inline-flex items-center gap-1.5 whitespace-nowrap', detail !== undefined && 'min-w-0')}>
      <span aria-hidden className={clsx('size-2 shrink-0 rounded-full', TONE_FILLS[tone], pulses && 'pulses')} />
      <span>{text}</span>
      {detail !== undefined && <span className="truncate text-ink-2">{detail}</span>}
    </span>
  )
}

export const JOB_STATES: Readonly<Record<JobState, StateDotProps>> = {
  IN_QUEUE: { tone: 'queued', text: 'Queued' },
  IN_PROGRESS: { tone: 'running', text: 'Running', pulses: true },
  COMPLETED: { tone: 'completed', text: 'Completed' },
  FAILED: { tone: 'failed', text: 'Failed' },
  CANCELLED: { tone: 'cancelled', text: 'Cancelled' },
  TIMED_OUT: { tone: 'timed-out', text: 'Timed out' },
}

type JobStateDotProps = {
  readonly state: JobState
  /** Tells whether a time limit stopped a job that the job API calls FAILED. */
  readonly error?: string | undefined
  readonly still?: boolean
}

export function JobStateDot({ state, error, still = false }: JobStateDotProps) {
  const isOverLimit = state !== 'TIMED_OUT' && isTimedOut({ status: state, error })
  const detail = isOverLimit ? { tone: JOB_STATES.TIMED_OUT.tone, detail: 'timed out' } : {}
  return <StateDot {...JOB_STATES[state]} {...detail} {...(still ? { pulses: false } : {})} />
}

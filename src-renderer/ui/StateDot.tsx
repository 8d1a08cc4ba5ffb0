import clsx from 'clsx'
import type { JobState } from '../../src-main/contract/job.ts'
import { TONE_FILLS, type Tone } from './tone.ts'

/** A state: a dot and its word. */
export type StateDotProps = {
  readonly tone: Tone
  readonly word: string
  /** Why it is so, after the word. */
  readonly detail?: string | undefined
  /** Whether something is going on: the dot pulses. */
  readonly pulses?: boolean
}

/** A state, told by word and colour. */
export function StateDot({ tone, word, detail, pulses = false }: StateDotProps) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5 whitespace-nowrap">
      <span aria-hidden className={clsx('size-2 shrink-0 rounded-full', TONE_FILLS[tone], pulses && 'pulses')} />
      <span>{word}</span>
      {detail !== undefined && <span className="truncate text-ink-2">{detail}</span>}
    </span>
  )
}

/** How the states of jobs look. */
export const JOB_STATES: Readonly<Record<JobState, StateDotProps>> = {
  IN_QUEUE: { tone: 'queued', word: 'Queued' },
  IN_PROGRESS: { tone: 'running', word: 'Running', pulses: true },
  COMPLETED: { tone: 'completed', word: 'Completed' },
  FAILED: { tone: 'failed', word: 'Failed' },
  CANCELLED: { tone: 'cancelled', word: 'Cancelled' },
  TIMED_OUT: { tone: 'timed-out', word: 'Timed out' },
}

/** The state of a job; `still` where it stands for the kind of state and nothing runs. */
export function JobStateDot({ state, still = false }: { readonly state: JobState; readonly still?: boolean }) {
  return <StateDot {...JOB_STATES[state]} {...(still ? { pulses: false } : {})} />
}

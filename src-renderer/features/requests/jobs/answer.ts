import type { z } from 'zod'
import type { JobState, jobRecord } from '../../../../src-main/contract/job.ts'

/** The ways to send a job. */
export const JOB_OPERATIONS = ['run', 'runsync', 'stream'] as const

/** A way to send a job. */
export type JobOperation = (typeof JOB_OPERATIONS)[number]

/** Record of a job. */
export type JobRecord = z.infer<typeof jobRecord>

/** What has come of one sending so far. Times in ms since the epoch. */
export type Answer = {
  readonly operation: JobOperation
  readonly body: string
  readonly sentAt: number
  readonly endedAt?: number
  readonly jobId?: string
  readonly record?: JobRecord
  /** What streamed. */
  readonly chunks: readonly unknown[]
  /** Why no answer came. */
  readonly error?: Error
}

/** Whether nothing more comes. */
export function hasEnded(answer: Answer): boolean {
  return answer.endedAt !== undefined
}

/** Whether a job has ended. */
export function isFinal(state: JobState): boolean {
  return state !== 'IN_QUEUE' && state !== 'IN_PROGRESS'
}

/** A job as stored, and by what jobs are found, listed and moved. */
import type { JobState } from '../contract/job.ts'

/** A large payload that is on the disk already. `head` is the beginning of its text, for the search. */
export type PayloadFile = { readonly file: string; readonly head: string; readonly bytes: number }

/** A payload as a write stores it: its JSON text for the row itself, or the file that the row is to name. */
export type StoredPayload = string | PayloadFile

/** A job as stored, without its payloads. `queuedAt`, `startedAt`, `deadlineAt` are steady ms. */
export type Job = {
  readonly seq: number
  readonly id: string
  readonly endpointId: string
  readonly status: JobState
  readonly lowPriority: 0 | 1
  readonly attempt: number
  readonly retries: number
  readonly workerId: string | null
  readonly createdAt: number
  readonly queuedAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  readonly delayMs: number | null
  readonly executionMs: number | null
  readonly executionTimeoutMs: number
  readonly ttlMs: number
  readonly retentionMs: number
  readonly deadlineAt: number
  readonly streamCursor: number
  readonly webhook: string | null
  readonly error: string | null
  /** 1: its retention is over. The job API does not know it any more, and nothing moves it. */
  readonly archived: 0 | 1
  /** Higher ones are claimed first; low priority stands behind them all. */
  readonly priority: number
  /** Among the jobs of its endpoint with its priority: lower ones are claimed first, of equal ones the older job. */
  readonly place: number
}

/** A new job. `s3Config` is JSON text as it came. */
export type NewJob = {
  readonly id: string
  readonly endpointId: string
  readonly input: StoredPayload
  readonly s3Config: string | undefined
  readonly webhook: string | undefined
  readonly lowPriority: boolean
  /** 0 without it. */
  readonly priority?: number | undefined
  readonly executionTimeoutMs: number
  readonly ttlMs: number
  readonly retentionMs: number
  readonly idempotencyKey: string | undefined
}

/** By what a payload is found, and named in messages. */
export type JobName = Pick<Job, 'seq' | 'id'>

/** The two times of one moment. */
export type Moment = { readonly now: number; readonly steady: number }

/** Fields that a move carries in addition to the moment. A given `workerId` or `attempt` must be the job's, or nothing moves. */
export type MoveFields = {
  readonly workerId?: string | undefined
  readonly attempt?: number | undefined
  readonly reason?: string | undefined
  readonly error?: string | undefined
  readonly output?: StoredPayload | undefined
}

/**
 * Which jobs: all of it holds. Times of creation in wall ms, both inclusive; `before` and `after` are seqs, exclusive.
 */
export type JobFilter = {
  readonly endpointId?: string | undefined
  readonly states?: readonly JobState[] | undefined
  /** Whether TIMED_OUT stands for all that a time limit stopped, see domain/job/time-limit. */
  readonly withTimeLimits?: boolean | undefined
  readonly workerId?: string | undefined
  readonly text?: string | undefined
  /** Only jobs that the job API has forgotten, or only those that it knows. */
  readonly archived?: boolean | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly before?: number | undefined
  readonly after?: number | undefined
}

/** Jobs by their ids, or all that a filter lets through. */
export type NamedJobs = { readonly ids: readonly string[] } | { readonly filter: JobFilter }

/** A page of a list of jobs, newest first unless it says otherwise. */
export type JobQuery = JobFilter & {
  readonly limit: number
  readonly offset?: number | undefined
  readonly oldestFirst?: boolean | undefined
  /** Of a search: jobs whose error has the text as a phrase come first. */
  readonly phraseFirst?: boolean | undefined
}

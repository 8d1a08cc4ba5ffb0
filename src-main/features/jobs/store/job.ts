import type { WorkerPool } from '../../../contract/endpoint.ts'
import type { JobState } from '../../../contract/job.ts'

export type PayloadFile = { readonly file: string; readonly head: string; readonly bytes: number }

export type StoredPayload = string | PayloadFile

/** A stored job without payloads. `queuedAt`, `startedAt`, `deadlineAt` are steady ms. */
export type Job = {
  readonly seq: number
  readonly id: string
  readonly endpointId: string
  readonly status: JobState
  readonly lowPriority: 0 | 1
  readonly pool: WorkerPool
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
  /** 1 means retention is over: the job API no longer knows it and nothing moves it. */
  readonly archived: 0 | 1
  /** Higher numbers are claimed first; low priority comes after all of them. */
  readonly priority: number
  readonly place: number
  /** Null also once its batch is deleted. */
  readonly batchId: string | null
}

export type DraftPlace = { readonly batch: number; readonly line: number }

export type NewJob = {
  readonly id: string
  readonly endpointId: string
  /** Or the draft from which the job takes the stored input and bucket. */
  readonly input: StoredPayload | DraftPlace
  readonly s3Config: string | undefined
  /** JSON of an object, whose members only the worker sees in the input. */
  readonly secretInput?: string | undefined
  readonly webhook: string | undefined
  readonly lowPriority: boolean
  readonly pool?: WorkerPool | undefined
  readonly priority?: number | undefined
  readonly executionTimeoutMs: number
  readonly ttlMs: number
  readonly retentionMs: number
  readonly idempotencyKey: string | undefined
}

export type JobName = Pick<Job, 'seq' | 'id'>

export type Moment = { readonly now: number; readonly steady: number }

/** Fields that a move carries in addition to the moment. A given `workerId` or `attempt` must be the job's, or nothing moves. */
export type MoveFields = {
  readonly workerId?: string | undefined
  readonly attempt?: number | undefined
  readonly reason?: string | undefined
  readonly error?: string | undefined
  readonly output?: StoredPayload | undefined
}

/** All conditions apply. Creation times are wall ms, inclusive; `before` and `after` are seqs, exclusive. */
export type JobFilter = {
  readonly endpointId?: string | undefined
  readonly states?: readonly JobState[] | undefined
  /** True if TIMED_OUT includes every job stopped by a time limit, see features/jobs/rules/time-limit. */
  readonly withTimeLimits?: boolean | undefined
  readonly workerId?: string | undefined
  readonly batchId?: string | undefined
  readonly text?: string | undefined
  /** Only jobs that the job API has forgotten, or only those that it knows. */
  readonly archived?: boolean | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly before?: number | undefined
  readonly after?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export type PlainFilter = JobFilter & { readonly text?: undefined }

export type NamedJobs = { readonly ids: readonly string[] } | { readonly filter: JobFilter }

export type JobQuery = JobFilter & {
  readonly limit: number
  readonly offset?: number | undefined
  readonly oldestFirst?: boolean | undefined
  readonly phraseFirst?: boolean | undefined
}

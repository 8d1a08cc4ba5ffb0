/** Committed changes, as listeners receive them. */
import type { JobState } from '../contract/job.ts'
import type { JobEvent } from '../domain/job/transitions.ts'
import type { Job } from './job.ts'

/** A committed change of a run of a graph, as listeners receive it. */
export type RunChange = {
  readonly type: 'run'
  readonly eventId: number
  readonly at: number
  readonly endpointId: string
  readonly runId: string
  readonly event: 'created' | 'results'
  readonly workerId: undefined
  readonly reason: undefined
}

/** A committed move, as listeners receive it. */
export type JobChange = {
  readonly type: 'job'
  readonly eventId: number
  readonly at: number
  readonly seq: number
  readonly jobId: string
  readonly endpointId: string
  /** `reorder` changes its position in the queue and no state. */
  readonly event: JobEvent | 'submit' | 'reorder'
  readonly from: JobState | undefined
  readonly to: JobState
  readonly workerId: string | undefined
  readonly attempt: number
  readonly reason: string | undefined
  readonly job: Job
}

/** A committed change of a worker or an endpoint, as listeners receive it. */
export type FleetChange = {
  readonly type: 'worker' | 'endpoint'
  readonly eventId: number
  readonly at: number
  readonly endpointId: string
  readonly workerId: string | undefined
  /** For a worker its new state, for an endpoint what was done. */
  readonly event: string
  readonly reason: string | undefined
}

/** Anything committed that others want to be notified of. */
export type Change = JobChange | FleetChange | RunChange

import type { JobState } from '../contract/job.ts'
import type { JobEvent } from '../features/jobs/rules/transitions.ts'
import type { Job } from '../features/jobs/store/job.ts'

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

export type JobChange = {
  readonly type: 'job'
  readonly eventId: number
  readonly at: number
  readonly seq: number
  readonly jobId: string
  readonly endpointId: string
  readonly event: JobEvent | 'submit' | 'reorder'
  readonly from: JobState | undefined
  readonly to: JobState
  readonly workerId: string | undefined
  readonly attempt: number
  readonly reason: string | undefined
  readonly job: Job
}

export type FleetChange = {
  readonly type: 'worker' | 'endpoint'
  readonly eventId: number
  readonly at: number
  readonly endpointId: string
  readonly workerId: string | undefined
  readonly event: string
  readonly reason: string | undefined
}

export type Change = JobChange | FleetChange | RunChange

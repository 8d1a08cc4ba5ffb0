/** Schedules as they are stored. */
import type { JobRequest } from '../../contract/job.ts'
import type { ScheduleCreate, ScheduleRun } from '../../contract/schedules.ts'

/** A stored schedule. Times are wall ms. */
export type Schedule = Pick<ScheduleCreate, 'name' | 'cron' | 'everyMs' | 'timeZone'> & {
  readonly id: string
  readonly endpointId: string
  readonly missed: NonNullable<ScheduleCreate['missed']>
  readonly request: ScheduledRequest
  readonly paused: boolean
  readonly createdAt: number
  /** When a job is due; undefined: paused, or there is no time to come. */
  readonly nextAt: number | undefined
}

/** What is queued each time. */
export type ScheduledRequest = Pick<JobRequest, 'webhook' | 'policy'> & {
  /** JSON text, as it came. */
  readonly input: string
}

/** Schedules and what came of them. Methods that write are called inside a Writer's work only. */
export type ScheduleStore = {
  /** By name; of all endpoints without one. */
  readonly list: (endpointId?: string) => readonly Schedule[]
  readonly get: (endpointId: string, id: string) => Schedule | undefined
  /** @returns false where the endpoint has one of that name */
  readonly insert: (schedule: Schedule) => boolean
  /** @returns false where it is gone */
  readonly setPaused: (id: string, paused: boolean, nextAt: number | undefined) => boolean
  /** Those that are due, the longest overdue first. */
  readonly due: (now: number) => readonly Schedule[]
  /** The next time of all; undefined: there is none. */
  readonly nextAt: () => number | undefined
  /** Moves a schedule on from a time, once. @returns false where it was moved, paused or deleted meanwhile */
  readonly moveOn: (move: { id: string; from: number; nextAt: number | undefined }) => boolean
  readonly addRun: (id: string, run: ScheduleRun) => void
  /** Newest first. */
  readonly runs: (id: string, most: number) => readonly ScheduleRun[]
  readonly remove: (id: string) => boolean
}

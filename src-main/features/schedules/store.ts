import type { Database } from 'better-sqlite3'
import type { JobRequest } from '../../contract/job.ts'
import { limit } from '../../contract/limits.ts'
import type { ScheduleCreate, ScheduleRun } from '../../contract/schedules.ts'
import { queriesOf, type RowOf, withoutNulls } from '../../database/queries.ts'

/** A stored schedule; all of its times are wall ms. */
export type Schedule = Pick<ScheduleCreate, 'name' | 'cron' | 'everyMs' | 'timeZone'> & {
  readonly id: string
  readonly endpointId: string
  readonly missed: NonNullable<ScheduleCreate['missed']>
  readonly request: ScheduledRequest
  readonly paused: boolean
  readonly createdAt: number
  /** When a job is due; undefined if paused or without a future time. */
  readonly nextAt: number | undefined
}

export type ScheduledRequest = Pick<JobRequest, 'webhook' | 'policy'> & {
  readonly input: string
}

const COLUMNS = `
  id, endpoint_id AS endpointId, name, cron, every_ms AS everyMs, time_zone AS timeZone, missed, request, input, paused,
  created_at AS createdAt, next_at AS nextAt`

type Row = Omit<RowOf<Schedule>, 'request' | 'paused'> & {
  readonly request: string
  readonly input: string
  readonly paused: 0 | 1
}

export function createScheduleStore(db: Database) {
  const query = queriesOf(db)
  const all = query<[], Row>(`SELECT ${COLUMNS} FROM schedules ORDER BY name, endpoint_id`).all(toSchedule)
  const ofEndpoint = query<[endpointId: string], Row>(`
    SELECT ${COLUMNS} FROM schedules WHERE endpoint_id = ? ORDER BY name`).all(toSchedule)
  const insert = query<[object]>(`
    INSERT INTO schedules
      (id, endpoint_id, name, cron, every_ms, time_zone, missed, request, input, paused, created_at, next_at)
    VALUES
      (@id, @endpointId, @name, @cron, @everyMs, @timeZone, @missed, @request, @input, @paused, @createdAt, @nextAt)
    ON CONFLICT (endpoint_id, name) DO NOTHING`).changed()
  const setPaused = query<[{ id: string; paused: 0 | 1; nextAt: number | undefined }]>(`
    UPDATE schedules SET paused = @paused, next_at = @nextAt WHERE id = @id`).changed()
  const addRun = query<[object]>(`
    INSERT INTO schedule_runs (schedule_id, due_at, outcome, count, job_id, reason)
    VALUES (@id, @dueAt, @outcome, @count, @jobId, @reason)`).run()
  const trimRuns = query<[{ id: string; keep: number }]>(`
    DELETE FROM schedule_runs WHERE schedule_id = @id AND seq <= (
      SELECT seq FROM schedule_runs WHERE schedule_id = @id ORDER BY seq DESC LIMIT 1 OFFSET @keep)`).run()
  const removeRuns = query<[id: string]>(`DELETE FROM schedule_runs WHERE schedule_id = ?`).run()
  const remove = query<[id: string]>(`DELETE FROM schedules WHERE id = ?`).changed()
  return {
    list: (endpointId?: string) => (endpointId === undefined ? all() : ofEndpoint(endpointId)),
    get: query<[endpointId: string, id: string], Row>(`
      SELECT ${COLUMNS} FROM schedules WHERE endpoint_id = ? AND id = ?`).one(toSchedule),
    insert({ cron, everyMs, timeZone, nextAt, paused, request: { input, ...request }, ...rest }: Schedule) {
      const times = { cron, everyMs, timeZone, nextAt }
      return insert({ ...rest, ...times, request: JSON.stringify(request), input, paused: paused ? 1 : 0 })
    },
    setPaused: (id: string, paused: boolean, nextAt: number | undefined) =>
      setPaused({ id, paused: paused ? 1 : 0, nextAt }),
    due: query<[now: number], Row>(`
      SELECT ${COLUMNS} FROM schedules WHERE next_at <= ? ORDER BY next_at`).all(toSchedule),
    nextAt: query<[], number | null>(`SELECT MIN(next_at) FROM schedules WHERE next_at IS NOT NULL`).value(),
    /**
     * Advances a schedule from a time, once.
     * @returns false if it was advanced, paused or deleted meanwhile
     */
    moveOn: query<[{ id: string; from: number; nextAt: number | undefined }]>(`
      UPDATE schedules SET next_at = @nextAt WHERE id = @id AND next_at = @from`).changed(),
    addRun(id: string, { jobId, reason, ...run }: ScheduleRun) {
      addRun({ ...run, id, jobId, reason })
      trimRuns({ id, keep: limit('scheduleRunsKept') })
    },
    runs: query<[id: string, most: number], RowOf<ScheduleRun>>(`
      SELECT due_at AS dueAt, outcome, count, job_id AS jobId, reason
      FROM schedule_runs WHERE schedule_id = ? ORDER BY seq DESC LIMIT ?`).all(withoutNulls<ScheduleRun>),
    remove(id: string) {
      removeRuns(id)
      return remove(id)
    },
  }
}

function toSchedule(row: Row): Schedule {
  const { request, input, paused, cron, everyMs, timeZone, nextAt, ...rest } = row
  return {
    ...(rest as Pick<Schedule, 'id' | 'endpointId' | 'name' | 'missed' | 'createdAt'>),
    cron: cron ?? undefined,
    everyMs: everyMs ?? undefined,
    timeZone: timeZone ?? undefined,
    nextAt: nextAt ?? undefined,
    paused: paused === 1,
    request: { ...JSON.parse(request), input },
  }
}

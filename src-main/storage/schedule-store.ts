import type { Database } from 'better-sqlite3'
import { limit } from '../contract/limits.ts'
import type { ScheduleRun } from '../contract/schedules.ts'
import type { Schedule, ScheduleStore } from '../services/ports/schedules.ts'

const COLUMNS = `
  id, endpoint_id AS endpointId, name, cron, every_ms AS everyMs, time_zone AS timeZone, missed, request, input, paused,
  created_at AS createdAt, next_at AS nextAt`
const ALL = `SELECT ${COLUMNS} FROM schedules ORDER BY name, endpoint_id`
const OF_ENDPOINT = `SELECT ${COLUMNS} FROM schedules WHERE endpoint_id = ? ORDER BY name`
const GET = `SELECT ${COLUMNS} FROM schedules WHERE id = @id AND endpoint_id = @endpointId`
const DUE = `SELECT ${COLUMNS} FROM schedules WHERE next_at <= ? ORDER BY next_at`
const NEXT = `SELECT MIN(next_at) AS nextAt FROM schedules WHERE next_at IS NOT NULL`
const INSERT = `
  INSERT INTO schedules (id, endpoint_id, name, cron, every_ms, time_zone, missed, request, input, paused, created_at, next_at)
  VALUES (@id, @endpointId, @name, @cron, @everyMs, @timeZone, @missed, @request, @input, @paused, @createdAt, @nextAt)
  ON CONFLICT (endpoint_id, name) DO NOTHING`
const SET_PAUSED = `UPDATE schedules SET paused = @paused, next_at = @nextAt WHERE id = @id`
const MOVE_ON = `UPDATE schedules SET next_at = @nextAt WHERE id = @id AND next_at = @from`
const REMOVE = `DELETE FROM schedules WHERE id = ?`
const REMOVE_RUNS = `DELETE FROM schedule_runs WHERE schedule_id = ?`
const ADD_RUN = `
  INSERT INTO schedule_runs (schedule_id, due_at, outcome, count, job_id, reason)
  VALUES (@id, @dueAt, @outcome, @count, @jobId, @reason)`
const TRIM_RUNS = `
  DELETE FROM schedule_runs WHERE schedule_id = @id AND seq <= (
    SELECT seq FROM schedule_runs WHERE schedule_id = @id ORDER BY seq DESC LIMIT 1 OFFSET @keep)`
const RUNS = `
  SELECT due_at AS dueAt, outcome, count, job_id AS jobId, reason
  FROM schedule_runs WHERE schedule_id = ? ORDER BY seq DESC LIMIT ?`

type Row = {
  readonly [Name in keyof Omit<Schedule, 'request' | 'paused'>]: Exclude<Schedule[Name], undefined> | null
} & { readonly request: string; readonly input: string; readonly paused: 0 | 1 }
type RunRow = Omit<ScheduleRun, 'jobId' | 'reason'> & { readonly jobId: string | null; readonly reason: string | null }

/** Makes the store of schedules. */
export function createScheduleStore(db: Database): ScheduleStore {
  const all = db.prepare<[], Row>(ALL)
  const ofEndpoint = db.prepare<[string], Row>(OF_ENDPOINT)
  const get = db.prepare<[object], Row>(GET)
  const due = db.prepare<[number], Row>(DUE)
  const next = db.prepare<[], { readonly nextAt: number | null }>(NEXT)
  const insert = db.prepare<[object]>(INSERT)
  const setPaused = db.prepare<[object]>(SET_PAUSED)
  const moveOn = db.prepare<[object]>(MOVE_ON)
  const remove = db.prepare<[string]>(REMOVE)
  const removeRuns = db.prepare<[string]>(REMOVE_RUNS)
  const addRun = db.prepare<[object]>(ADD_RUN)
  const trimRuns = db.prepare<[object]>(TRIM_RUNS)
  const runs = db.prepare<[string, number], RunRow>(RUNS)
  return {
    list: (endpointId) => (endpointId === undefined ? all.all() : ofEndpoint.all(endpointId)).map(toSchedule),
    get(endpointId, id) {
      const row = get.get({ endpointId, id })
      return row && toSchedule(row)
    },
    insert: ({ cron = null, everyMs = null, timeZone = null, nextAt = null, paused, request, ...rest }) => {
      const { input, ...others } = request
      const json = { request: JSON.stringify(others), input, paused: paused ? 1 : 0 }
      return insert.run({ ...rest, ...json, cron, everyMs, timeZone, nextAt }).changes > 0
    },
    setPaused: (id, paused, nextAt) =>
      setPaused.run({ id, paused: paused ? 1 : 0, nextAt: nextAt ?? null }).changes > 0,
    due: (now) => due.all(now).map(toSchedule),
    nextAt: () => next.get()?.nextAt ?? undefined,
    moveOn: (id, from, nextAt) => moveOn.run({ id, from, nextAt: nextAt ?? null }).changes > 0,
    addRun(id, { jobId = null, reason = null, ...run }) {
      addRun.run({ ...run, id, jobId, reason })
      trimRuns.run({ id, keep: limit('scheduleRunsKept') })
    },
    runs: (id, most) => runs.all(id, most).map(withoutNull),
    remove(id) {
      removeRuns.run(id)
      return remove.run(id).changes > 0
    },
  }
}

function toSchedule(row: Row): Schedule {
  const { request, input, paused, cron, everyMs, timeZone, nextAt, ...rest } = row
  return {
    ...(rest as Pick<Schedule, 'id' | 'endpointId' | 'name' | 'missed' | 'createdAt'>), // NOT NULL
    cron: cron ?? undefined,
    everyMs: everyMs ?? undefined,
    timeZone: timeZone ?? undefined,
    nextAt: nextAt ?? undefined,
    paused: paused === 1,
    request: { ...JSON.parse(request), input },
  }
}

function withoutNull({ jobId, reason, ...run }: RunRow): ScheduleRun {
  return { ...run, ...(jobId === null ? {} : { jobId }), ...(reason === null ? {} : { reason }) }
}

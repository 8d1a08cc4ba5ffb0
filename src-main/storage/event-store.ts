import type { Database } from 'better-sqlite3'
import type { WorkerState } from '../contract/endpoint.ts'
import type { FleetEvent } from '../contract/fleet-events.ts'
import type { JobState } from '../contract/job.ts'
import type { JobHistoryEntry } from '../contract/management.ts'
import { fleetEventKind } from '../domain/worker/fleet-event-kind.ts'
import type { Change, EventStore, FleetChange, FleetEventQuery, Job, JobChange } from '../services/ports/storage.ts'
import type { RunChange } from '../services/ports/workflows.ts'
import type { GroupCommit } from './group-commit.ts'

const INSERT = `
  INSERT INTO events (at, type, endpoint_id, seq, worker_id, event, from_state, to_state, attempt, reason, kind)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const INSERT_RUN = `
  INSERT INTO events (at, type, endpoint_id, event, run_id) VALUES (@at, 'run', @endpointId, @event, @runId)`
const AFTER = `
  SELECT e.id, e.at, e.type, e.endpoint_id AS endpointId, e.seq, e.worker_id AS workerId, e.event,
         e.from_state AS fromState, e.to_state AS toState, e.attempt, e.reason, j.id AS jobId, e.run_id AS runId
  FROM events e LEFT JOIN jobs j ON j.seq = e.seq
  WHERE e.id > ? ORDER BY e.id LIMIT ?`
/** The number of the newest event. */
export const LAST_EVENT = `SELECT COALESCE(MAX(id), 0) AS id FROM events`
const HISTORY = `
  SELECT at, event, from_state AS fromState, to_state AS toState, worker_id AS workerId, attempt, reason
  FROM events WHERE seq = ? ORDER BY id`
// One kind at a time: only so the index gives them in their order.
const FLEET = `
  SELECT id, at, kind, endpoint_id AS endpointId, worker_id AS workerId, event, reason
  FROM events
  WHERE kind = @kind AND id < @before AND at BETWEEN @from AND @to
    AND (@endpointId IS NULL OR endpoint_id = @endpointId)
  ORDER BY id DESC LIMIT @limit`
const TRIM = `DELETE FROM events WHERE seq IS NULL AND at < ?`

type Row = {
  id: number
  at: number
  type: Change['type']
  endpointId: string
  seq: number | null
  workerId: string | null
  event: string
  fromState: JobState | null
  toState: string | null
  attempt: number | null
  reason: string | null
  jobId: string | null
  runId: string | null
}

type FleetRow = Pick<FleetEvent, 'id' | 'at' | 'kind' | 'endpointId' | 'event'> & {
  workerId: string | null
  reason: string | null
}

/** Events with their inner writes, for the other stores. */
export type EventLog = EventStore & {
  readonly recordJob: (
    job: Job,
    event: JobChange['event'],
    from: JobState | undefined,
    at: number,
    workerId: string | undefined,
    reason: string | undefined,
  ) => void
  /** @param from the state that a worker was in; undefined: it is new */
  readonly recordFleet: (change: Omit<FleetChange, 'eventId'>, from?: WorkerState) => void
  readonly recordRun: (change: Pick<RunChange, 'at' | 'endpointId' | 'runId' | 'event'>) => void
  readonly history: (seq: number) => readonly JobHistoryEntry[]
}

/** Makes the log of events: written in the transaction of the change, passed to listeners after its commit. */
export function createEventStore(db: Database, commit: GroupCommit): EventLog {
  const insert = db.prepare(INSERT)
  const insertRun = db.prepare(INSERT_RUN)
  const selectAfter = db.prepare<[number, number], Row>(AFTER)
  const selectLast = db.prepare<[], { id: number }>(LAST_EVENT)
  const selectFleet = db.prepare<[object], FleetRow>(FLEET)
  const selectHistory = db.prepare<[number], Row>(HISTORY)
  const trim = db.prepare(TRIM)
  function recordFleet(change: Omit<FleetChange, 'eventId'>, from?: WorkerState): void {
    const { at, type, endpointId, workerId, event, reason } = change
    const kind = fleetEventKind(type === 'worker' ? { type, event, from } : { type, event })
    const eventId = Number(
      insert.run(at, type, endpointId, null, workerId, event, from, event, null, reason, kind).lastInsertRowid,
    )
    commit.record({ ...change, eventId })
  }
  return {
    recordJob(job, event, from, at, workerId, reason) {
      const eventId = Number(
        insert.run(at, 'job', job.endpointId, job.seq, workerId, event, from, job.status, job.attempt, reason, null)
          .lastInsertRowid,
      )
      commit.record({
        type: 'job',
        eventId,
        at,
        seq: job.seq,
        jobId: job.id,
        endpointId: job.endpointId,
        event,
        from,
        to: job.status,
        workerId,
        attempt: job.attempt,
        reason,
        job,
      })
    },
    recordFleet,
    recordRun(change) {
      const eventId = Number(insertRun.run(change).lastInsertRowid)
      commit.record({ ...change, type: 'run', eventId, workerId: undefined, reason: undefined })
    },
    recordActivation: (endpointId, release, at) =>
      recordFleet({ type: 'endpoint', at, endpointId, workerId: undefined, event: 'activated', reason: release }),
    recordReload: (endpointId, { hasFailed, reason }, at) =>
      recordFleet({
        ...{ type: 'endpoint', at, endpointId, workerId: undefined, reason },
        event: hasFailed ? 'not reloaded' : 'reloaded',
      }),
    fleet: ({ kinds, endpointId, ...query }: FleetEventQuery) =>
      kinds
        .flatMap((kind) => selectFleet.all({ ...query, kind, endpointId: endpointId ?? null }))
        .sort((a, b) => b.id - a.id)
        .slice(0, query.limit)
        .map(toFleetEvent),
    after: (id, limit) => selectAfter.all(id, limit).map(toChange),
    lastId: () => selectLast.get()?.id ?? 0,
    trimFleet: (before) => void trim.run(before),
    history: (seq) => selectHistory.all(seq).map(toHistory),
  }
}

function toChange(row: Row): Change {
  const common = {
    eventId: row.id,
    at: row.at,
    endpointId: row.endpointId,
    workerId: row.workerId ?? undefined,
    reason: row.reason ?? undefined,
  }
  if (row.type === 'run') return runChange(row)
  if (row.type !== 'job') return { ...common, type: row.type, event: row.event }
  return {
    ...common,
    type: 'job',
    seq: row.seq ?? 0,
    jobId: row.jobId ?? '',
    event: row.event as JobChange['event'],
    from: row.fromState ?? undefined,
    to: row.toState as JobState,
    attempt: row.attempt ?? 0,
    job: undefined as never,
  }
}

function runChange({ id, at, endpointId, event, runId }: Row): RunChange {
  const reported = { eventId: id, at, endpointId, event: event as RunChange['event'], runId: runId ?? '' }
  return { ...reported, type: 'run', workerId: undefined, reason: undefined }
}

function toFleetEvent({ workerId, reason, ...event }: FleetRow): FleetEvent {
  return { ...event, ...(workerId === null ? {} : { workerId }), ...(reason === null ? {} : { reason }) }
}

function toHistory(row: Row): JobHistoryEntry {
  return {
    at: row.at,
    event: row.event,
    ...(row.fromState === null ? {} : { from: row.fromState }),
    to: row.toState as JobState,
    ...(row.workerId === null ? {} : { workerId: row.workerId }),
    attempt: row.attempt ?? 0,
    ...(row.reason === null ? {} : { reason: row.reason }),
  }
}

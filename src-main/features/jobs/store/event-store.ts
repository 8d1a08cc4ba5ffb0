import type { Database } from 'better-sqlite3'
import type { WorkerState } from '../../../contract/endpoint.ts'
import type { FleetEvent } from '../../../contract/fleet-events.ts'
import type { JobState } from '../../../contract/job.ts'
import type { JobHistoryEntry } from '../../../contract/management.ts'
import type { Change, FleetChange, JobChange, RunChange } from '../../../database/changes.ts'
import type { GroupCommit } from '../../../database/group-commit.ts'
import { queriesOf, type RowOf, withoutNulls } from '../../../database/queries.ts'
import { fleetEventKind } from '../../workers/rules/fleet-event-kind.ts'
import type { Job } from './job.ts'

/** Filters fleet events: kinds, times in wall ms (both inclusive), ids older than `before`. */
type FleetEventQuery = {
  readonly kinds: readonly FleetEvent['kind'][]
  readonly endpointId: string | undefined
  readonly from: number
  readonly to: number
  readonly before: number
  readonly limit: number
}

export const LAST_EVENT = `SELECT COALESCE(MAX(id), 0) FROM events`

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

export type EventLog = ReturnType<typeof createEventLog>

/** Event log: written in the change's transaction, passed to listeners after its commit. */
export function createEventLog(db: Database, commit: GroupCommit) {
  const query = queriesOf(db)
  const insert = query<
    [
      ...[at: number, type: 'job' | FleetChange['type'], endpointId: string, seq: number | null],
      ...[workerId: string | undefined, event: string, from: string | undefined, to: string],
      ...[attempt: number | null, reason: string | undefined, kind: string | null | undefined],
    ]
  >(`
    INSERT INTO events (at, type, endpoint_id, seq, worker_id, event, from_state, to_state, attempt, reason, kind)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).insert()
  const insertRun = query<[RunEvent]>(`
    INSERT INTO events (at, type, endpoint_id, event, run_id) VALUES (@at, 'run', @endpointId, @event, @runId)`).insert()
  return {
    recordJob(
      job: Job,
      event: JobChange['event'],
      from: JobState | undefined,
      at: number,
      workerId: string | undefined,
      reason: string | undefined,
    ) {
      const { seq, id, endpointId, status, attempt } = job
      const eventId = insert(at, 'job', endpointId, seq, workerId, event, from, status, attempt, reason, null)
      const change = { type: 'job', eventId, at, seq, jobId: id, endpointId, event, from, to: status } as const
      commit.record({ ...change, workerId, attempt, reason, job })
    },
    /** @param from the worker's previous state; undefined if new */
    recordFleet(change: Omit<FleetChange, 'eventId'>, from?: WorkerState) {
      const { at, type, endpointId, workerId, event, reason } = change
      const kind = fleetEventKind(type === 'worker' ? { type, event, from } : { type, event })
      const eventId = insert(at, type, endpointId, null, workerId, event, from, event, null, reason, kind)
      commit.record({ ...change, eventId })
    },
    recordRun(change: RunEvent) {
      const eventId = insertRun(change)
      commit.record({ ...change, type: 'run', eventId, workerId: undefined, reason: undefined })
    },
    history: query<[seq: number], Row>(`
      SELECT at, event, from_state AS fromState, to_state AS toState, worker_id AS workerId, attempt, reason
      FROM events WHERE seq = ? ORDER BY id`).all(toHistory),
  }
}

type RunEvent = Pick<RunChange, 'at' | 'endpointId' | 'runId' | 'event'>

export function createEventStore(db: Database, { recordFleet }: Pick<EventLog, 'recordFleet'>) {
  const query = queriesOf(db)
  // One kind at a time, because only then the index yields events in order.
  const fleetOfKind = query<[object], RowOf<FleetEvent>>(`
    SELECT id, at, kind, endpoint_id AS endpointId, event, worker_id AS workerId, reason
    FROM events
    WHERE kind = @kind AND id < @before AND at BETWEEN @from AND @to
      AND (@endpointId IS NULL OR endpoint_id = @endpointId)
    ORDER BY id DESC LIMIT @limit`).all(withoutNulls<FleetEvent>)
  return {
    after: query<[id: number, limit: number], Row>(`
      SELECT e.id, e.at, e.type, e.endpoint_id AS endpointId, e.seq, e.worker_id AS workerId, e.event,
             e.from_state AS fromState, e.to_state AS toState, e.attempt, e.reason, j.id AS jobId, e.run_id AS runId
      FROM events e LEFT JOIN jobs j ON j.seq = e.seq
      WHERE e.id > ? ORDER BY e.id LIMIT ?`).all(toChange),
    lastId: query<[], number>(LAST_EVENT).value(0),
    fleet: ({ kinds, ...asked }: FleetEventQuery): readonly FleetEvent[] =>
      kinds
        .flatMap((kind) => fleetOfKind({ ...asked, kind }))
        .sort((a, b) => b.id - a.id)
        .slice(0, asked.limit),
    recordActivation: (endpointId: string, release: string, at: number) =>
      recordFleet({ type: 'endpoint', at, endpointId, workerId: undefined, event: 'activated', reason: release }),
    recordReload(endpointId: string, { hasFailed, reason }: { hasFailed: boolean; reason: string }, at: number) {
      const event = hasFailed ? 'not reloaded' : 'reloaded'
      recordFleet({ type: 'endpoint', at, endpointId, workerId: undefined, event, reason })
    },
    trimFleet: query<[before: number]>(`DELETE FROM events WHERE seq IS NULL AND at < ?`).run(),
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

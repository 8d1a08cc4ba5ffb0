import type { Database } from 'better-sqlite3'
import type { EndpointConfig } from '../contract/endpoint.ts'
import { limit } from '../contract/limits.ts'
import { shownChanges } from '../domain/app/plan.ts'
import type { EndpointRevision } from '../domain/platform/endpoint-view.ts'
import type { Change, Endpoint, EndpointStore, EndpointTotals } from '../services/ports/storage.ts'
import type { EventLog } from './event-store.ts'
import type { GroupCommit } from './group-commit.ts'

const COLUMNS = `
  id, config, paused, key_hash AS keyHash, revision, created_at AS createdAt, updated_at AS updatedAt,
  completed, failed, retried`
const ALL = `SELECT ${COLUMNS} FROM endpoints ORDER BY created_at, id`
const READ = `SELECT ${COLUMNS} FROM endpoints WHERE id = ?`
// Two that are made at the same time with one id or one name collide here: the second must not replace the first.
const CREATE = `
  INSERT INTO endpoints (id, name, config, paused, key_hash, revision, created_at, updated_at)
  VALUES (@id, @name, @config, @paused, @keyHash, @revision, @createdAt, @updatedAt)`
const UPDATE = `
  UPDATE endpoints SET name = @name, config = @config, paused = @paused, key_hash = @keyHash, revision = @revision,
    updated_at = @updatedAt
  WHERE id = @id`
const REMOVE = `DELETE FROM endpoints WHERE id = ?`
const REMOVE_JOBS = `DELETE FROM jobs WHERE endpoint_id = ?`
const REMOVE_SEARCH = `DELETE FROM job_search WHERE rowid IN (SELECT seq FROM jobs WHERE endpoint_id = ?)`
const REMOVE_LOGS = `DELETE FROM log_lines WHERE endpoint_id = ?`
const REMOVE_REQUESTS = `DELETE FROM requests WHERE endpoint_id = ?`
const REMOVE_METRICS = `DELETE FROM metrics WHERE endpoint_id = ?`
const REMOVE_SAVED = `DELETE FROM saved_requests WHERE endpoint_id = ?`
const REMOVE_SCHEDULE_RUNS = `
  DELETE FROM schedule_runs WHERE schedule_id IN (SELECT id FROM schedules WHERE endpoint_id = ?)`
const REMOVE_SCHEDULES = `DELETE FROM schedules WHERE endpoint_id = ?`
const REMOVE_BATCH_LINES = `DELETE FROM batch_lines WHERE batch IN (SELECT seq FROM batches WHERE endpoint_id = ?)`
const REMOVE_BATCH_COUNTS = `DELETE FROM batch_counts WHERE batch IN (SELECT seq FROM batches WHERE endpoint_id = ?)`
const REMOVE_BATCHES = `DELETE FROM batches WHERE endpoint_id = ?`
const REMOVE_LOAD_TESTS = `DELETE FROM load_tests WHERE endpoint_id = ?`
const REMOVE_GRAPHS = `DELETE FROM graph_versions WHERE endpoint_id = ?`
const REMOVE_REVISIONS = `DELETE FROM endpoint_revisions WHERE endpoint_id = ?`
const ADD_REVISION = `
  INSERT INTO endpoint_revisions (endpoint_id, revision, at, changes) VALUES (@id, @revision, @now, @changes)
  ON CONFLICT (endpoint_id, revision) DO UPDATE SET at = excluded.at, changes = excluded.changes`
const TRIM_REVISIONS = `
  DELETE FROM endpoint_revisions WHERE endpoint_id = @id AND revision <= (
    SELECT revision FROM endpoint_revisions WHERE endpoint_id = @id ORDER BY revision DESC LIMIT 1 OFFSET @keep)`
const REVISIONS = `SELECT revision, at, changes FROM endpoint_revisions WHERE endpoint_id = ? ORDER BY revision DESC`
const ADD_TOTALS = `
  UPDATE endpoints SET completed = completed + ?, failed = failed + ?, retried = retried + ? WHERE id = ?`

type Row = Omit<Endpoint, 'config' | 'paused'> & EndpointTotals & { config: string; paused: 0 | 1 }

/**
 * Makes the store of endpoints. Every request needs one, so they are held in memory and the database is only written;
 * memory follows after the commit, for those that the commit changed.
 */
export function createEndpointStore(db: Database, events: EventLog, commit: GroupCommit): EndpointStore {
  const all = db.prepare<[], Row>(ALL)
  const read = db.prepare<[string], Row>(READ)
  const create = db.prepare(CREATE)
  const update = db.prepare(UPDATE)
  const removals = [
    REMOVE_SEARCH,
    REMOVE_JOBS,
    REMOVE_LOGS,
    REMOVE_REQUESTS,
    REMOVE_METRICS,
    REMOVE_SAVED,
    REMOVE_SCHEDULE_RUNS,
    REMOVE_SCHEDULES,
    REMOVE_BATCH_LINES,
    REMOVE_BATCH_COUNTS,
    REMOVE_BATCHES,
    REMOVE_LOAD_TESTS,
    REMOVE_GRAPHS,
    REMOVE_REVISIONS,
    REMOVE,
  ].map((sql) => db.prepare(sql))
  const addTotals = db.prepare(ADD_TOTALS)
  const addRevision = db.prepare(ADD_REVISION)
  const trimRevisions = db.prepare(TRIM_REVISIONS)
  const revisions = db.prepare<[string], Omit<EndpointRevision, 'changes'> & { readonly changes: string }>(REVISIONS)
  let rows = new Map(readRows().map((row) => [row.id, row]))

  function readRows(): readonly (Endpoint & EndpointTotals)[] {
    return all.all().map(toEndpoint)
  }

  // Whoever changed it, and by whatever way: what replaces the workers of an endpoint is written down here alone.
  function recordRevision(endpoint: Endpoint, now: number): void {
    const { id, revision, config } = endpoint
    const row = read.get(id)
    if (row?.revision === revision) return
    const changes = row === undefined ? [] : shownChanges(toEndpoint(row).config, config)
    addRevision.run({ id, revision, now, changes: JSON.stringify(changes) })
    trimRevisions.run({ id, keep: limit('endpointRevisionsKept') })
  }

  // Its totals come with the row.
  function follow(id: string): void {
    const row = read.get(id)
    if (row === undefined) rows.delete(id)
    else if (rows.has(id)) rows.set(id, toEndpoint(row))
    else rows = new Map([...rows, [id, toEndpoint(row)] as const].sort(([, a], [, b]) => byAge(a, b)))
  }

  commit.onCommit((changes) => {
    const changed = new Set(changes.flatMap((change) => (change.type === 'endpoint' ? change.endpointId : [])))
    for (const id of changed) follow(id)
    for (const [id, sums] of sumTotals(changes)) if (!changed.has(id)) addInMemory(rows, id, sums)
  })
  commit.beforeCommit((changes) => {
    for (const [id, sums] of sumTotals(changes)) addTotals.run(sums.completed, sums.failed, sums.retried, id)
    return undefined
  })

  return {
    get: (id) => rows.get(id),
    all: () => [...rows.values()],
    read(id) {
      const row = read.get(id)
      return row === undefined ? undefined : toEndpoint(row)
    },
    readAll: readRows,
    save(endpoint, event, now) {
      const { id, revision, createdAt, updatedAt } = endpoint
      const statement = event === 'created' ? create : update
      recordRevision(endpoint, now)
      statement.run({
        id,
        revision,
        createdAt,
        updatedAt,
        name: endpoint.config.name,
        config: JSON.stringify(endpoint.config),
        paused: endpoint.paused ? 1 : 0,
        keyHash: Buffer.from(endpoint.keyHash),
      })
      events.recordFleet({
        type: 'endpoint',
        at: now,
        endpointId: endpoint.id,
        workerId: undefined,
        event,
        reason: undefined,
      })
    },
    remove(id, now) {
      for (const statement of removals) statement.run(id)
      events.recordFleet({
        type: 'endpoint',
        at: now,
        endpointId: id,
        workerId: undefined,
        event: 'deleted',
        reason: undefined,
      })
    },
    revisions: (id) => revisions.all(id).map(({ changes, ...row }) => ({ ...row, changes: JSON.parse(changes) })),
    addTotals: (id, { completed, failed }) => void addTotals.run(completed, failed, 0, id),
    reread(id) {
      const row = read.get(id)
      if (row !== undefined && rows.has(id)) rows.set(id, toEndpoint(row))
    },
    totals: (id) => {
      const row = rows.get(id)
      return { completed: row?.completed ?? 0, failed: row?.failed ?? 0, retried: row?.retried ?? 0 }
    },
  }
}

// The order of ALL.
function byAge(a: Endpoint, b: Endpoint): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)
}

function toEndpoint(row: Row): Endpoint & EndpointTotals {
  return { ...row, config: JSON.parse(row.config) as EndpointConfig, paused: row.paused === 1 }
}

function sumTotals(changes: readonly Change[]): Map<string, { completed: number; failed: number; retried: number }> {
  const sums = new Map<string, { completed: number; failed: number; retried: number }>()
  for (const change of changes) {
    if (change.type !== 'job') continue
    const counted = change.to === 'COMPLETED' || change.to === 'FAILED' || change.event === 'rescue'
    if (!counted) continue
    const sum = sums.get(change.endpointId) ?? { completed: 0, failed: 0, retried: 0 }
    if (change.to === 'COMPLETED') sum.completed += 1
    if (change.to === 'FAILED') sum.failed += 1
    if (change.event === 'rescue') sum.retried += 1
    sums.set(change.endpointId, sum)
  }
  return sums
}

function addInMemory(rows: Map<string, Endpoint & EndpointTotals>, id: string, sums: EndpointTotals): void {
  const row = rows.get(id)
  if (row === undefined) return
  rows.set(id, {
    ...row,
    completed: row.completed + sums.completed,
    failed: row.failed + sums.failed,
    retried: row.retried + sums.retried,
  })
}

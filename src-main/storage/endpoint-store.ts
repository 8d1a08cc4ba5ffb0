import type { Database } from 'better-sqlite3'
import type { EndpointConfig } from '../contract/endpoint.ts'
import type { Change, Endpoint, EndpointStore, EndpointTotals } from '../services/ports.ts'
import type { EventLog } from './event-store.ts'
import type { GroupCommit } from './group-commit.ts'

const COLUMNS = `
  id, config, paused, key_hash AS keyHash, revision, created_at AS createdAt, updated_at AS updatedAt,
  completed, failed, retried`
const ALL = `SELECT ${COLUMNS} FROM endpoints ORDER BY created_at, id`
const READ = `SELECT ${COLUMNS} FROM endpoints WHERE id = ?`
// Two that are made at the same time with one id or one name collide here: the second must not take the first's place.
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
const REMOVE_LOAD_TESTS = `DELETE FROM load_tests WHERE endpoint_id = ?`
const REMOVE_GRAPHS = `DELETE FROM graph_versions WHERE endpoint_id = ?`
const ADD_TOTALS = `
  UPDATE endpoints SET completed = completed + ?, failed = failed + ?, retried = retried + ? WHERE id = ?`

type Row = Omit<Endpoint, 'config' | 'paused'> & EndpointTotals & { config: string; paused: 0 | 1 }

/**
 * Makes the store of endpoints. There are few, and every request needs one, so they are held in memory and the
 * database is only written; memory follows after the commit.
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
    REMOVE_LOAD_TESTS,
    REMOVE_GRAPHS,
    REMOVE,
  ].map((sql) => db.prepare(sql))
  const addTotals = db.prepare(ADD_TOTALS)
  let rows = readRows()

  function readRows(): Map<string, Endpoint & EndpointTotals> {
    return new Map(all.all().map((row) => [row.id, toEndpoint(row)]))
  }
  commit.onCommit((changes) => {
    const structural = changes.some((change) => change.type === 'endpoint')
    if (structural) rows = readRows()
    else for (const [id, sums] of sumTotals(changes)) addInMemory(rows, id, sums)
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
    readAll: () => [...readRows().values()],
    save(endpoint, event, now) {
      const { id, revision, createdAt, updatedAt } = endpoint
      const statement = event === 'created' ? create : update
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

import type { Database } from 'better-sqlite3'
import type { EndpointConfig } from '../../contract/endpoint.ts'
import { limit } from '../../contract/limits.ts'
import type { Change } from '../../database/changes.ts'
import type { GroupCommit } from '../../database/group-commit.ts'
import { queriesOf } from '../../database/queries.ts'
import { shownChanges } from '../apps/rules/plan.ts'
import type { EventLog } from '../jobs/store/event-store.ts'
import type { EndpointRevision } from '../platform-api/rules/endpoint-view.ts'

export type Endpoint = {
  readonly id: string
  readonly config: EndpointConfig
  readonly paused: boolean
  readonly keyHash: Uint8Array
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
}

type EndpointTotals = { readonly completed: number; readonly failed: number; readonly retried: number }

const COLUMNS = `
  id, config, paused, key_hash AS keyHash, revision, created_at AS createdAt, updated_at AS updatedAt,
  completed, failed, retried`
type Row = Omit<Endpoint, 'config' | 'paused'> & EndpointTotals & { config: string; paused: 0 | 1 }

/** Cached in memory, as every request needs endpoints; the cache updates after the commit of each change. */
export function createEndpointStore(db: Database, events: EventLog, commit: GroupCommit) {
  const query = queriesOf(db)
  const readRows = query<[], Row>(`SELECT ${COLUMNS} FROM endpoints ORDER BY created_at, id`).all(toEndpoint)
  const read = query<[id: string], Row>(`SELECT ${COLUMNS} FROM endpoints WHERE id = ?`).one(toEndpoint)
  // Two created concurrently with one id or name collide here: the second must not replace the first.
  const create = query<[object]>(`
    INSERT INTO endpoints (id, name, config, paused, key_hash, revision, created_at, updated_at)
    VALUES (@id, @name, @config, @paused, @keyHash, @revision, @createdAt, @updatedAt)`).run()
  const update = query<[object]>(`
    UPDATE endpoints SET name = @name, config = @config, paused = @paused, key_hash = @keyHash, revision = @revision,
      updated_at = @updatedAt
    WHERE id = @id`).run()
  const removals = [
    `DELETE FROM job_search WHERE rowid IN (SELECT seq FROM jobs WHERE endpoint_id = ?)`,
    `DELETE FROM jobs WHERE endpoint_id = ?`,
    `DELETE FROM log_lines WHERE endpoint_id = ?`,
    `DELETE FROM requests WHERE endpoint_id = ?`,
    `DELETE FROM metrics WHERE endpoint_id = ?`,
    `DELETE FROM saved_requests WHERE endpoint_id = ?`,
    `DELETE FROM schedule_runs WHERE schedule_id IN (SELECT id FROM schedules WHERE endpoint_id = ?)`,
    `DELETE FROM schedules WHERE endpoint_id = ?`,
    `DELETE FROM draft_requests WHERE batch IN (SELECT seq FROM batches WHERE endpoint_id = ?)`,
    `DELETE FROM batch_lines WHERE batch IN (SELECT seq FROM batches WHERE endpoint_id = ?)`,
    `DELETE FROM batch_counts WHERE batch IN (SELECT seq FROM batches WHERE endpoint_id = ?)`,
    `DELETE FROM batches WHERE endpoint_id = ?`,
    `DELETE FROM load_tests WHERE endpoint_id = ?`,
    `DELETE FROM graph_versions WHERE endpoint_id = ?`,
    `DELETE FROM endpoint_revisions WHERE endpoint_id = ?`,
    `DELETE FROM endpoints WHERE id = ?`,
  ].map((sql) => query<[id: string]>(sql).run())
  const addTotals = query<[completed: number, failed: number, retried: number, id: string]>(`
    UPDATE endpoints SET completed = completed + ?, failed = failed + ?, retried = retried + ? WHERE id = ?`).run()
  const addRevision = query<[{ id: string; revision: number; now: number; changes: string }]>(`
    INSERT INTO endpoint_revisions (endpoint_id, revision, at, changes) VALUES (@id, @revision, @now, @changes)
    ON CONFLICT (endpoint_id, revision) DO UPDATE SET at = excluded.at, changes = excluded.changes`).run()
  const trimRevisions = query<[{ id: string; keep: number }]>(`
    DELETE FROM endpoint_revisions WHERE endpoint_id = @id AND revision <= (
      SELECT revision FROM endpoint_revisions WHERE endpoint_id = @id ORDER BY revision DESC LIMIT 1 OFFSET @keep)`).run()
  let rows = new Map(readRows().map((row) => [row.id, row]))

  const record = (endpointId: string, event: string, at: number) =>
    events.recordFleet({ type: 'endpoint', at, endpointId, workerId: undefined, event, reason: undefined })

  // Only this records changes that replace workers, however they were made.
  function recordRevision(endpoint: Endpoint, now: number): void {
    const { id, revision, config } = endpoint
    const before = read(id)
    if (before?.revision === revision) return
    const changes = before === undefined ? [] : shownChanges(before.config, config)
    addRevision({ id, revision, now, changes: JSON.stringify(changes) })
    trimRevisions({ id, keep: limit('endpointRevisionsKept') })
  }

  function follow(id: string): void {
    const row = read(id)
    if (row === undefined) rows.delete(id)
    else if (rows.has(id)) rows.set(id, row)
    else rows = new Map([...rows, [id, row] as const].sort(([, a], [, b]) => byAge(a, b)))
  }

  commit.onCommit((changes) => {
    const changed = new Set(changes.flatMap((change) => (change.type === 'endpoint' ? change.endpointId : [])))
    for (const id of changed) follow(id)
    for (const [id, sums] of sumTotals(changes)) if (!changed.has(id)) addInMemory(rows, id, sums)
  })
  commit.beforeCommit((changes) => {
    for (const [id, sums] of sumTotals(changes)) addTotals(sums.completed, sums.failed, sums.retried, id)
    return undefined
  })

  return {
    get: (id: string): Endpoint | undefined => rows.get(id),
    all: (): readonly Endpoint[] => [...rows.values()],
    /** The endpoint within a write, where `get` does not yet show this transaction's changes. */
    read: (id: string): Endpoint | undefined => read(id),
    readAll: (): readonly Endpoint[] => readRows(),
    save(endpoint: Endpoint, event: 'created' | 'updated' | 'paused' | 'resumed', now: number) {
      const { id, revision, createdAt, updatedAt, config, paused, keyHash } = endpoint
      recordRevision(endpoint, now)
      const row = { id, revision, createdAt, updatedAt, name: config.name, config: JSON.stringify(config) }
      const write = event === 'created' ? create : update
      write({ ...row, paused: paused ? 1 : 0, keyHash: Buffer.from(keyHash) })
      record(id, event, now)
    },
    remove(id: string, now: number) {
      for (const removal of removals) removal(id)
      record(id, 'deleted', now)
    },
    revisions: query<[id: string], Omit<EndpointRevision, 'changes'> & { readonly changes: string }>(`
      SELECT revision, at, changes FROM endpoint_revisions WHERE endpoint_id = ? ORDER BY revision DESC`).all(
      ({ changes, ...row }): EndpointRevision => ({ ...row, changes: JSON.parse(changes) }),
    ),
    /** Adds requests to the totals, inside a write; `reread` afterwards makes it seen. */
    addTotals: (id: string, { completed, failed }: Omit<EndpointTotals, 'retried'>) =>
      addTotals(completed, failed, 0, id),
    reread(id: string) {
      const row = read(id)
      if (row !== undefined && rows.has(id)) rows.set(id, row)
    },
    totals(id: string): EndpointTotals {
      const row = rows.get(id)
      return { completed: row?.completed ?? 0, failed: row?.failed ?? 0, retried: row?.retried ?? 0 }
    },
  }
}

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

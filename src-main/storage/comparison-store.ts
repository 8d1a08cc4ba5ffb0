import type { Database } from 'better-sqlite3'
import type { ComparisonRow } from '../contract/compare.ts'
import type { Comparison, ComparisonItem, ComparisonRun, ComparisonStore } from '../services/ports/requests.ts'

const COLUMNS = `
  id, state, plan, verdict, created_at AS createdAt, ended_at AS endedAt,
  (SELECT COUNT(*) FROM comparison_items WHERE comparison_id = id) AS items`
const LIST = `SELECT ${COLUMNS} FROM comparisons ORDER BY seq DESC`
const GET = `SELECT ${COLUMNS} FROM comparisons WHERE id = ?`
const INSERT = `INSERT INTO comparisons (id, state, plan, created_at) VALUES (@id, 'running', @plan, @createdAt)`
const INSERT_ITEM = `
  INSERT INTO comparison_items (comparison_id, item, source, job_id, input) VALUES (@id, @item, @source, @jobId, @input)`
const END = `
  UPDATE comparisons SET state = @state, verdict = @verdict, ended_at = @now WHERE id = @id AND state = 'running'`
const ITEM = `SELECT source, job_id AS jobId, input FROM comparison_items WHERE comparison_id = ? AND item = ?`
const RUNS = `
  SELECT version, job_id AS jobId, outcome, reason, status, ms FROM comparison_runs WHERE comparison_id = ? AND item = ?`
const ADD_RUN = `
  INSERT INTO comparison_runs (comparison_id, item, version, job_id) VALUES (@id, @item, @version, @jobId)`
const END_RUN = `
  INSERT INTO comparison_runs (comparison_id, item, version, outcome, reason, status, ms, score, count, differences)
  VALUES (@id, @item, @version, @outcome, @reason, @status, @ms, @score, @count, @differences)
  ON CONFLICT (comparison_id, item, version) DO UPDATE SET
    outcome = excluded.outcome, reason = excluded.reason, status = excluded.status, ms = excluded.ms,
    score = excluded.score, count = excluded.count, differences = excluded.differences
  WHERE outcome IS NULL`
const OPEN_JOBS = `SELECT job_id FROM comparison_runs WHERE comparison_id = ? AND outcome IS NULL`
const COUNTS = `
  SELECT version, SUM(outcome IN ('same', 'reference')) AS same, SUM(outcome = 'differs') AS differs,
    SUM(outcome = 'failed') AS failed
  FROM comparison_runs WHERE comparison_id = ? AND outcome IS NOT NULL GROUP BY version`
const TIMES = `
  SELECT ms FROM comparison_runs WHERE comparison_id = ? AND version = ? AND ms IS NOT NULL ORDER BY ms`
const ROWS = `
  SELECT one.item, items.source, one.version, one.outcome, one.reason, one.score, one.count, one.differences,
    one.job_id AS jobId, one.status, one.ms, reference.job_id AS referenceJobId, reference.ms AS referenceMs
  FROM comparison_runs AS one
  JOIN comparison_items AS items ON items.comparison_id = one.comparison_id AND items.item = one.item
  LEFT JOIN comparison_runs AS reference
    ON reference.comparison_id = one.comparison_id AND reference.item = one.item AND reference.version = 0
  WHERE one.comparison_id = @id AND one.version > 0 AND one.outcome IS NOT NULL
    AND (@version IS NULL OR one.version = @version)
  ORDER BY one.score DESC, one.count DESC, one.item, one.version LIMIT @limit OFFSET @offset`
const REMOVALS = [
  `DELETE FROM comparison_runs WHERE comparison_id = ?`,
  `DELETE FROM comparison_items WHERE comparison_id = ?`,
  `DELETE FROM comparisons WHERE id = ?`,
]

type Plan = Pick<Comparison, 'name' | 'mode' | 'versions' | 'rules' | 'atOnce'>
type Row = Pick<Comparison, 'id' | 'state' | 'items' | 'createdAt'> & {
  readonly plan: string
  readonly verdict: string | null
  readonly endedAt: number | null
}
type ItemRow = { readonly source: string; readonly jobId: string | null; readonly input: string | null }
type Nulled<Value> = { readonly [Name in keyof Value]-?: Exclude<Value[Name], undefined> | null }
type Counted = { readonly version: number; readonly same: number; readonly differs: number; readonly failed: number }

/** Makes the store of comparisons. */
export function createComparisonStore(db: Database): ComparisonStore {
  const list = db.prepare<[], Row>(LIST)
  const get = db.prepare<[string], Row>(GET)
  const insert = db.prepare<[object]>(INSERT)
  const insertItem = db.prepare<[object]>(INSERT_ITEM)
  const end = db.prepare<[object]>(END)
  const item = db.prepare<[string, number], ItemRow>(ITEM)
  const runs = db.prepare<[string, number], Nulled<ComparisonRun>>(RUNS)
  const addRun = db.prepare<[object]>(ADD_RUN)
  const endRun = db.prepare<[object]>(END_RUN)
  const openJobs = db.prepare<[string], { readonly job_id: string }>(OPEN_JOBS)
  const counts = db.prepare<[string], Counted>(COUNTS)
  const times = db.prepare<[string, number], { readonly ms: number }>(TIMES)
  const rows = db.prepare<[object], Nulled<ComparisonRow> & { readonly differences: string }>(ROWS)
  const removals = REMOVALS.map((sql) => db.prepare<[string]>(sql))
  return {
    list: () => list.all().map(toComparison),
    get(id) {
      const row = get.get(id)
      return row && toComparison(row)
    },
    insert({ id, createdAt, name, mode, versions, rules, atOnce }, items) {
      const plan: Plan = { name, mode, versions, rules, atOnce }
      insert.run({ id, createdAt, plan: JSON.stringify(plan) })
      for (const [at, one] of items.entries()) {
        const { source } = one
        const of = 'jobId' in one ? { jobId: one.jobId, input: null } : { jobId: null, input: one.input }
        insertItem.run({ id, item: at + 1, source, ...of })
      }
    },
    end: (id, state, verdict, now) => end.run({ id, state, verdict: JSON.stringify(verdict), now }).changes > 0,
    item(id, number) {
      const row = item.get(id, number)
      return row && toItem(row)
    },
    runs: (id, number) => runs.all(id, number).map((row) => withoutNulls<ComparisonRun>(row)),
    addRun: (id, run, jobId) => void addRun.run({ id, ...run, jobId }),
    endRun: (id, { item, version, outcome, reason, status, ms, score = 0, count = 0, differences = [] }) =>
      void endRun.run({
        ...{ id, item, version, outcome, score, count, differences: JSON.stringify(differences) },
        ...{ reason: reason ?? null, status: status ?? null, ms: ms ?? null },
      }),
    openJobs: (id) => openJobs.all(id).map((row) => row.job_id),
    counts: (id) => new Map(counts.all(id).map(({ version, ...sums }) => [version, sums])),
    times: (id, version) => times.all(id, version).map(({ ms }) => ms),
    rows: (id, { version, limit, offset }) =>
      rows.all({ id, version: version ?? null, limit, offset }).map((row) => ({
        ...withoutNulls<ComparisonRow>(row),
        differences: JSON.parse(row.differences),
      })),
    remove(id) {
      for (const statement of removals) statement.run(id)
    },
  }
}

function toComparison({ plan, verdict, endedAt, ...row }: Row): Comparison {
  return {
    ...row,
    ...(JSON.parse(plan) as Plan),
    verdict: verdict === null ? undefined : JSON.parse(verdict),
    endedAt: endedAt ?? undefined,
  }
}

function toItem({ source, jobId, input }: ItemRow): ComparisonItem {
  return jobId === null ? { source, input: input ?? '{}' } : { source, jobId } // one of them, by a CHECK
}

const withoutNulls = <Value>(row: object): Value =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Value

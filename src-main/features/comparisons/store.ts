import type { Database } from 'better-sqlite3'
import type { ComparisonCreate, ComparisonRow, ComparisonVerdict, ComparisonVersion } from '../../contract/compare.ts'
import { queriesOf, type RowOf, withoutNulls } from '../../database/queries.ts'
import type { Compared } from './rules/outputs.ts'
import type { VersionCounts } from './rules/plan.ts'

export type StoredVersion = ComparisonVersion & { readonly name: string; readonly copy?: string }

export type Comparison = Pick<ComparisonCreate, 'mode' | 'rules' | 'atOnce'> & {
  readonly id: string
  readonly name: string
  readonly versions: readonly StoredVersion[]
  readonly items: number
  readonly state: 'running' | 'done' | 'stopped'
  readonly verdict: ComparisonVerdict | undefined
  readonly createdAt: number
  readonly endedAt: number | undefined
}

export type ComparisonItem = { readonly source: string } & ({ readonly jobId: string } | { readonly input: string })

type ComparisonRun = Pick<ComparisonRow, 'version' | 'jobId' | 'reason' | 'status' | 'ms'> & {
  readonly outcome: ComparisonRow['outcome'] | 'reference' | undefined
}

export type ComparisonRunEnd = Pick<ComparisonRow, 'item' | 'version' | 'reason' | 'status' | 'ms'> &
  Partial<Compared> & { readonly outcome: NonNullable<ComparisonRun['outcome']> }

const COLUMNS = `
  id, state, plan, verdict, created_at AS createdAt, ended_at AS endedAt,
  (SELECT COUNT(*) FROM comparison_items WHERE comparison_id = id) AS items`

type Plan = Pick<Comparison, 'name' | 'mode' | 'versions' | 'rules' | 'atOnce'>
type Row = Pick<Comparison, 'id' | 'state' | 'items' | 'createdAt'> & {
  readonly plan: string
  readonly verdict: string | null
  readonly endedAt: number | null
}
type ItemRow = { readonly source: string; readonly jobId: string | null; readonly input: string | null }
type Counted = VersionCounts & {
  readonly version: number
  /** Runs whose jobs have ended, compared or not. */
  readonly ended: number
}
type ResultRow = Omit<RowOf<ComparisonRow>, 'differences'> & { readonly differences: string }

export function createComparisonStore(db: Database) {
  const query = queriesOf(db)
  const insert = query<[{ id: string; plan: string; createdAt: number }]>(`
    INSERT INTO comparisons (id, state, plan, created_at) VALUES (@id, 'running', @plan, @createdAt)`).run()
  const insertItem = query<[ItemRow & { readonly id: string; readonly item: number }]>(`
    INSERT INTO comparison_items (comparison_id, item, source, job_id, input)
    VALUES (@id, @item, @source, @jobId, @input)`).run()
  const end = query<[object]>(`
    UPDATE comparisons SET state = @state, verdict = @verdict, ended_at = @now
    WHERE id = @id AND state = 'running'`).changed()
  const addRun = query<[{ id: string; item: number; version: number; jobId: string }]>(`
    INSERT INTO comparison_runs (comparison_id, item, version, job_id) VALUES (@id, @item, @version, @jobId)`).run()
  const endRun = query<[object]>(`
    INSERT INTO comparison_runs (comparison_id, item, version, outcome, reason, status, ms, score, count, differences)
    VALUES (@id, @item, @version, @outcome, @reason, @status, @ms, @score, @count, @differences)
    ON CONFLICT (comparison_id, item, version) DO UPDATE SET
      outcome = excluded.outcome, reason = excluded.reason, status = excluded.status, ms = excluded.ms,
      score = excluded.score, count = excluded.count, differences = excluded.differences
    WHERE outcome IS NULL`).run()
  const counts = query<[id: string], Counted>(`
    SELECT version, COUNT(*) FILTER (WHERE outcome IN ('same', 'reference')) AS same,
      COUNT(*) FILTER (WHERE outcome = 'differs') AS differs, COUNT(*) FILTER (WHERE outcome = 'failed') AS failed,
      COUNT(*) FILTER (WHERE outcome IS NOT NULL
        OR EXISTS (SELECT 1 FROM jobs WHERE id = job_id AND finished_at IS NOT NULL)) AS ended
    FROM comparison_runs WHERE comparison_id = ? GROUP BY version`).all()
  const rows = query<[object], ResultRow>(`
    SELECT one.item, items.source, one.version, one.outcome, one.reason, one.score, one.count, one.differences,
      one.job_id AS jobId, one.status, one.ms, reference.job_id AS referenceJobId, reference.ms AS referenceMs
    FROM comparison_runs AS one
    JOIN comparison_items AS items ON items.comparison_id = one.comparison_id AND items.item = one.item
    LEFT JOIN comparison_runs AS reference
      ON reference.comparison_id = one.comparison_id AND reference.item = one.item AND reference.version = 0
    WHERE one.comparison_id = @id AND one.version > 0 AND one.outcome IS NOT NULL
      AND (@version IS NULL OR one.version = @version)
    ORDER BY one.score DESC, one.count DESC, one.item, one.version LIMIT @limit OFFSET @offset`).all((row) =>
    withoutNulls<ComparisonRow>({ ...row, differences: JSON.parse(row.differences) }),
  )
  const removals = [
    `DELETE FROM comparison_runs WHERE comparison_id = ?`,
    `DELETE FROM comparison_items WHERE comparison_id = ?`,
    `DELETE FROM comparisons WHERE id = ?`,
  ].map((sql) => query<[id: string]>(sql).run())
  return {
    list: query<[], Row>(`SELECT ${COLUMNS} FROM comparisons ORDER BY seq DESC`).all(toComparison),
    get: query<[id: string], Row>(`SELECT ${COLUMNS} FROM comparisons WHERE id = ?`).one(toComparison),
    insert({ id, createdAt, name, mode, versions, rules, atOnce }: Comparison, items: readonly ComparisonItem[]) {
      const plan: Plan = { name, mode, versions, rules, atOnce }
      insert({ id, createdAt, plan: JSON.stringify(plan) })
      for (const [at, one] of items.entries()) {
        const { source } = one
        const of = 'jobId' in one ? { jobId: one.jobId, input: null } : { jobId: null, input: one.input }
        insertItem({ id, item: at + 1, source, ...of })
      }
    },
    end: (id: string, state: 'done' | 'stopped', verdict: ComparisonVerdict, now: number) =>
      end({ id, state, verdict: JSON.stringify(verdict), now }),
    item: query<[id: string, item: number], ItemRow>(`
      SELECT source, job_id AS jobId, input FROM comparison_items WHERE comparison_id = ? AND item = ?`).one(toItem),
    runs: query<[id: string, item: number], RowOf<ComparisonRun>>(`
      SELECT version, job_id AS jobId, outcome, reason, status, ms
      FROM comparison_runs WHERE comparison_id = ? AND item = ?`).all(withoutNulls<ComparisonRun>),
    /** Records the job of a run once: a second call fails its transaction. */
    addRun: (id: string, run: Pick<ComparisonRow, 'item' | 'version'>, jobId: string) => addRun({ id, ...run, jobId }),
    /** Ends a run with or without a job; an earlier outcome stays. */
    endRun(id: string, run: ComparisonRunEnd) {
      const { item, version, outcome, reason, status, ms, score = 0, count = 0, differences = [] } = run
      const compared = { score, count, differences: JSON.stringify(differences) }
      endRun({ id, item, version, outcome, reason, status, ms, ...compared })
    },
    openJobs: query<[id: string], string>(`
      SELECT job_id FROM comparison_runs WHERE comparison_id = ? AND outcome IS NULL`).values(),
    counts: (id: string) => new Map(counts(id).map(({ version, ...sums }) => [version, sums])),
    times: query<[id: string, version: number], number>(`
      SELECT ms FROM comparison_runs WHERE comparison_id = ? AND version = ? AND ms IS NOT NULL ORDER BY ms`).values(),
    rows: (id: string, page: { version: number | undefined; limit: number; offset: number }) => rows({ id, ...page }),
    remove(id: string) {
      for (const removal of removals) removal(id)
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
  return jobId === null ? { source, input: input ?? '{}' } : { source, jobId }
}

import type { Database } from 'better-sqlite3'
import { describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../../../src-main/database/open-database.ts'
import { withoutRecompiles } from '../../../src-main/database/queries.ts'
import { createTermLookup } from '../../../src-main/features/jobs/store/search-index.ts'

// Tables that stay small: as many rows as there are endpoints or workers, or as one commit removes; `held` is made by its
// statement, a row an endpoint and state.
const SMALL = [
  'held',
  'endpoints',
  'workers',
  'removed_payloads',
  'apps',
  'environments',
  'projects',
  'assets_total',
  'workflow_runs_total',
  'job_archive_total',
  'model_downloads',
  'named_keys',
  'machines',
  'schedules',
  'comparisons',
  'pending_bulk',
  'platform_templates',
  'network_volumes',
  'task_calls',
  'pods',
  // Read once, at the start; at most 200 of an endpoint.
  'worker_exits',
]
// Partial indexes that are read whole: they have one row for each deploy, load test or batch under way, or one for each
// release.
const READ_WHOLE = [
  'releases USING INDEX releases_preparing',
  'releases USING COVERING INDEX releases_by_artifact',
  'load_tests USING INDEX load_tests_running',
  'batches USING INDEX batches_unsettled',
  'workflow_runs USING INDEX workflow_runs_open',
  'workflow_runs USING COVERING INDEX workflow_runs_open',
  'workflows USING INDEX workflows_by_change',
]
// Sorts at most two pages of rows that come from two ranges of an index, each in order already; the assets that a full
// store gives up; the rows of one batch or comparison; or the kept runs of an endpoint by their duration, from an index.
const SORTS_A_PAGE =
  /UNION ALL|^WITH loaded AS |FROM (batch_lines|comparison_runs) WHERE (batch|comparison_id) = \?|ORDER BY COALESCE\(r\.execution_ms, 0\)/
// Once an hour or so, for a whole table, or where a store is full.
const TRIMS =
  /^DELETE FROM (metrics|events) WHERE (at|seq IS NULL AND at) < \?$|^DELETE FROM workflow_runs WHERE seq IN|^WITH loaded AS /

/** Every query of the stores: they are loaded anew with a `queriesOf` that notes its SQL. */
async function queriesOfStores(): Promise<readonly string[]> {
  const all: string[] = []
  vi.resetModules()
  vi.doMock(import('../../../src-main/database/queries.ts'), async (load) => {
    const { queriesOf, ...real } = await load()
    const noting: typeof queriesOf = (db) => {
      const query = queriesOf(db)
      return (sql) => {
        all.push(sql.replace(/\s+/g, ' ').trim())
        return query(sql)
      }
    }
    return { ...real, queriesOf: noting }
  })
  const { openStorage } = await import('../../../src-main/storage/open-storage.ts')
  await openStorage(':memory:').close()
  vi.doUnmock('../../../src-main/database/queries.ts')
  vi.resetModules()
  return all
}

function plan(db: Database, sql: string): readonly string[] {
  const statement = db.prepare<[unknown], { detail: string }>(`EXPLAIN QUERY PLAN ${withoutRecompiles(sql)}`)
  return statement.all(nullsFor(sql)).map(({ detail }) => detail)
}

// A plan does not look at values, but SQLite wants all of them.
function nullsFor(sql: string): unknown {
  const names = [...sql.matchAll(/[@:](\w+)/g)].map((match) => [match[1], null])
  return names.length > 0 ? Object.fromEntries(names) : [...sql.matchAll(/\?/g)].map(() => null)
}

const db = openDatabase(':memory:')
createTermLookup(db) // makes the table of terms
const all = await queriesOfStores()

describe('every query', () => {
  it('of the stores is checked', () => {
    expect(all.length).toBeGreaterThan(300)
  })

  for (const sql of [...new Set(all)]) {
    it(`uses an index: ${sql.slice(0, 150)}`, () => {
      const steps = plan(db, sql)
      const scans = steps.filter(
        (step) => /^SCAN (?!CONSTANT|\(subquery|json_each)/.test(step) && !/ VIRTUAL TABLE INDEX /.test(step),
      )
      const large = scans.filter((step) => ![...SMALL, ...READ_WHOLE].some((table) => step.startsWith(`SCAN ${table}`)))
      const ordered = large.filter((step) => !isOrderedRead(sql, step))
      if (!TRIMS.test(sql)) expect(ordered).toEqual([])
      const sorts = steps.filter((step) => step.includes('TEMP B-TREE'))
      if (!SORTS_A_PAGE.test(sql) && !SMALL.some((table) => sql.includes(`FROM ${table}`))) expect(sorts).toEqual([])
    })
  }
})

// `SCAN x USING INDEX` with a LIMIT stops after its rows; MAX of a key is one step.
function isOrderedRead(sql: string, step: string): boolean {
  return (
    /^SELECT COALESCE\(MAX\((seq|id)\), 0\)|^SELECT 1 FROM \w+ LIMIT 1$|FROM batches ORDER BY seq DESC LIMIT/.test(
      sql,
    ) ||
    (/\bLIMIT\b/.test(sql) && /USING (COVERING )?INDEX/.test(step))
  )
}

describe('the check', () => {
  it('sees a query without an index', () => {
    expect(plan(db, `SELECT * FROM jobs WHERE webhook = 'x'`)).toEqual(['SCAN jobs'])
  })

  for (const [what, sql, index] of [
    ['claims, purges and counts', ` status = 'IN_QUEUE'`, /jobs_by_state|moved_jobs/],
    ['claims of jobs that were moved', 'AND place IS NOT NULL', 'moved_jobs'],
    [
      'claims of jobs that were not moved',
      'archived = 0 AND lane BETWEEN ? AND ?',
      /jobs_by_state \(status=\? AND endpoint_id=\? AND lane>\? AND lane<\?\)/,
    ],
    [
      'how many jobs are before one',
      "SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE endpoint_id = @endpointId AND status = 'IN_QUEUE' AND archived = 0",
      /COVERING INDEX (jobs_by_state|moved_jobs) \(.*lane[=<>]/,
    ],
    [
      'the job next to a place',
      'AND lane = @lane + 2 AND priority = @priority AND seq <>',
      /moved_jobs \(.* AND priority=\? AND place[<>]/,
    ],
    ['waiting jobs of a published graph', `jobs.status = 'IN_QUEUE'`, 'graph_jobs_of_endpoint'],
    ['jobs of a published graph', 'graph_jobs.seq < @before', 'graph_jobs_of_endpoint'],
    ['deadlines', 'FROM jobs WHERE deadline_at <= ?', 'jobs_by_deadline'],
    ['the list of a state, archived', 'status = @status AND archived = 1', 'archived_jobs_by_state'],
    ['what is archived for too long', 'FROM job_archive WHERE archived_at <= ?', 'job_archive_by_time'],
    ['the largest archived outputs', 'FROM job_archive WHERE output_bytes > ? ORDER BY', 'job_archive_by_output'],
    ['the list of an endpoint', 'FROM jobs WHERE endpoint_id = @endpointId AND seq BETWEEN', 'jobs_by_endpoint'],
    ['the list of a worker', 'FROM jobs WHERE worker_id = @workerId', 'jobs_by_worker'],
    ['the list of a state', 'status = @status AND lane = @lane', 'jobs_by_state'],
    ['due deliveries', `FROM webhook_deliveries WHERE state = 'pending' AND next_at <= ?`, 'deliveries_due'],
    ['logs of a worker', 'FROM log_lines WHERE worker_id = ? AND id > ?', 'log_lines_of_worker'],
    ['logs of a job', 'FROM log_lines WHERE job_id = ? AND id > ?', 'log_lines_of_job'],
    ['the active release', `environment_id = ? AND state = 'active'`, 'releases_active'],
    ['the release that is prepared', `environment_id = ? AND state = 'preparing'`, 'releases_preparing'],
    ['the history of a job', 'FROM events WHERE seq = ? ORDER BY id', 'events_of_job'],
    [
      'runs of an endpoint by state',
      'FROM workflow_runs r WHERE r.endpoint_id = @endpointId AND CASE',
      'workflow_runs_of_endpoint',
    ],
  ] as const) {
    it(`${what}: the index is ${index}`, () => {
      const found = all.filter((statement) => statement.includes(sql))
      expect(found.length).toBeGreaterThan(0)
      for (const statement of found.filter((one) => one.startsWith('SELECT')))
        expect(plan(db, statement).join('; ')).toMatch(index)
    })
  }

  for (const [table, column] of [
    ['events', 'seq'],
    ['job_chunks', 'seq'],
    ['job_inputs', 'seq'],
    ['job_outputs', 'seq'],
    ['idempotency_keys', 'seq'],
    ['webhook_deliveries', 'seq'],
    ['job_archive', 'seq'],
    ['graph_jobs', 'seq'],
  ]) {
    it(`a job that is removed takes its rows of ${table} along by an index`, () => {
      expect(plan(db, `DELETE FROM ${table} WHERE ${column} = ?`).join('; ')).toMatch(/^SEARCH/)
    })
  }

  it('an app that is removed takes its environments and releases along by an index', () => {
    expect(plan(db, 'DELETE FROM environments WHERE app = ?').join('; ')).toMatch(/^SEARCH/)
    expect(plan(db, 'DELETE FROM releases WHERE environment_id = ?').join('; ')).toMatch(/^SEARCH/)
  })
})

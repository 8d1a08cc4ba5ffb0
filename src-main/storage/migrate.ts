import type { Database } from 'better-sqlite3'
import { firstTables } from './migrations/2026-11-21-first-tables.ts'
import { loadBalancedRequests } from './migrations/2026-11-21-load-balanced-requests.ts'
import { payloadFiles } from './migrations/2026-11-22-payload-files.ts'
import { secrets } from './migrations/2026-11-23-secrets.ts'
import { apps } from './migrations/2026-11-24-apps.ts'
import { eventKinds } from './migrations/2026-11-25-event-kinds.ts'
import { jobsByWorker } from './migrations/2026-11-25-jobs-by-worker.ts'
import { projects } from './migrations/2026-11-25-projects.ts'
import { requestsByHand } from './migrations/2026-11-25-requests.ts'
import { workflows } from './migrations/2026-11-26-workflows.ts'
import { publishedGraphs } from './migrations/2026-11-27-published-graphs.ts'
import { runBytes } from './migrations/2026-11-28-run-bytes.ts'
import { releaseKinds } from './migrations/2026-11-29-release-kinds.ts'
import { jobArchive } from './migrations/2026-11-30-job-archive.ts'
import { modelDownloads } from './migrations/2026-11-30-model-downloads.ts'
import { sweepCells } from './migrations/2026-12-01-sweep-cells.ts'
import { workerExits } from './migrations/2026-12-02-worker-exits.ts'
import { jobOrder } from './migrations/2026-12-03-job-order.ts'
import { workflowThumbnails } from './migrations/2026-12-04-workflow-thumbnails.ts'
import { nodeTypesVersion } from './migrations/2026-12-05-node-types-version.ts'
import { runPreviews } from './migrations/2026-12-06-run-previews.ts'
import { platformRecords } from './migrations/2026-12-07-platform-records.ts'
import { taskCalls } from './migrations/2026-12-08-task-calls.ts'
import { namedKeys } from './migrations/2026-12-09-named-keys.ts'
import { targetDeploys } from './migrations/2026-12-09-target-deploys.ts'
import { machines } from './migrations/2026-12-10-machines.ts'
import { environmentMachine } from './migrations/2026-12-11-environment-machine.ts'
import { jobTraces } from './migrations/2026-12-11-job-traces.ts'
import { jobsByState } from './migrations/2026-12-11-jobs-by-state.ts'
import { plainChecks } from './migrations/2026-12-12-plain-checks.ts'
import { schedules } from './migrations/2026-12-12-schedules.ts'
import { comparisons } from './migrations/2026-12-13-comparisons.ts'
import { priority } from './migrations/2026-12-13-priority.ts'
import { batches } from './migrations/2026-12-14-batches.ts'
import { pendingBulk } from './migrations/2026-12-15-pending-bulk.ts'
import { timedOutJobs } from './migrations/2026-12-16-timed-out-jobs.ts'
import { searchWords } from './migrations/2026-12-17-search-words.ts'

/** One step of the schema: never edited after it was merged. */
export type Migration = {
  readonly id: string
  readonly sql: string
  /** It changes the text of tables itself, which the binding refuses to all other SQL. */
  readonly rewritesSchema?: true
}

/** All migrations, oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  firstTables,
  loadBalancedRequests,
  payloadFiles,
  secrets,
  apps,
  eventKinds,
  jobsByWorker,
  projects,
  requestsByHand,
  workflows,
  publishedGraphs,
  runBytes,
  releaseKinds,
  jobArchive,
  modelDownloads,
  sweepCells,
  workerExits,
  jobOrder,
  workflowThumbnails,
  nodeTypesVersion,
  runPreviews,
  platformRecords,
  taskCalls,
  namedKeys,
  targetDeploys,
  machines,
  environmentMachine,
  jobTraces,
  jobsByState,
  plainChecks,
  schedules,
  comparisons,
  priority,
  batches,
  pendingBulk,
  timedOutJobs,
  searchWords,
]

const TABLE = `CREATE TABLE IF NOT EXISTS migrations (id TEXT PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT`
const READ = `SELECT id FROM migrations ORDER BY id`
const RECORD = `INSERT INTO migrations (id, applied_at) VALUES (?, ?)`

/**
 * Brings the file up to the newest schema: each step in one transaction with its id row, forward only.
 * @param now ms since the epoch
 * @throws Error when the file was written by a newer version; nothing is changed then
 */
export function migrate(db: Database, now: number, migrations: readonly Migration[] = MIGRATIONS): void {
  const applied = readApplied(db)
  const known = new Set(migrations.map((migration) => migration.id))
  const unknown = applied.filter((id) => !known.has(id))
  if (unknown.length > 0) {
    throw new Error(`it was written by a newer version of Drydock (${unknown.join(', ')}); install that version`)
  }
  const missing = migrations.filter((migration) => !applied.includes(migration.id))
  for (const migration of missing) {
    db.unsafeMode(migration.rewritesSchema === true)
    db.transaction(() => {
      db.exec(TABLE)
      db.exec(migration.sql)
      db.prepare(RECORD).run(migration.id, now)
    }).immediate()
  }
  db.unsafeMode(false)
}

function readApplied(db: Database): readonly string[] {
  const present = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'migrations'`).get()
  if (present === undefined) return []
  return db
    .prepare<[], { id: string }>(READ)
    .all()
    .map((row) => row.id)
}

/** Opens the storage: the database with all stores on it. The smallest of them are made here. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import BetterSqlite, { type Database } from 'better-sqlite3'
import { limit } from '../contract/limits.ts'
import type { ChunkStore } from '../services/ports/job-storage.ts'
import type { Project, ProjectStore } from '../services/ports/projects.ts'
import type { MetricsStore, StateStore, Storage } from '../services/ports/storage.ts'
import { createAppStore } from './app-store.ts'
import { openArtifactFiles, temporaryArtifactFiles } from './artifact-files.ts'
import { assetsInMemory, openAssetFiles } from './asset-files.ts'
import { createAssetStore } from './asset-store.ts'
import { createBatchStore } from './batch-store.ts'
import { startCheckpoints } from './checkpoint-thread.ts'
import { createComparisonStore } from './comparison-store.ts'
import { createEndpointStore } from './endpoint-store.ts'
import { createEventStore } from './event-store.ts'
import { createGraphStore } from './graph-store.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { CHUNK_COUNT, createJobArchive } from './job-archive.ts'
import { createJobPayloads, openPayloadFiles, type PayloadFiles, payloadsInRows } from './job-payloads.ts'
import { createJobStore } from './job-store.ts'
import { createKeyStore } from './key-store.ts'
import { createLoadTestStore } from './load-test-store.ts'
import { createLogStore } from './log-store.ts'
import { createLogSync, openSyncSlots } from './log-sync.ts'
import { createMachineStore } from './machine-store.ts'
import { createModelDownloadStore } from './model-download-store.ts'
import { openModelFiles } from './model-files.ts'
import { createNodeTypeStore } from './node-type-store.ts'
import { DatabaseUnusable, openDatabase } from './open-database.ts'
import { createPendingBulkStore } from './pending-bulk-store.ts'
import { createPlatformStore } from './platform-store.ts'
import { prepareOnUse } from './prepare-on-use.ts'
import { createRequestStore } from './request-store.ts'
import { createRunStore } from './run-store.ts'
import { createSavedRequestStore } from './saved-request-store.ts'
import { createScheduleStore } from './schedule-store.ts'
import { createSearchIndex } from './search-index.ts'
import { createSeal, createSecretStore, keyInFile, keyInMemory } from './secret-store.ts'
import { createTargetDeployStore } from './target-deploy-store.ts'
import { createTraceStore } from './trace-store.ts'
import { createWebhookStore } from './webhook-store.ts'
import { createWorkerStore } from './worker-store.ts'
import { createWorkflowStore } from './workflow-store.ts'
import { PRIVATE_FILE } from './write-files.ts'

const VERSION = `SELECT sqlite_version() AS version`

/**
 * Opens the database and the folders of large payloads and artifacts next to it, and makes all stores on them.
 * @param file path, or ':memory:' in tests
 * @param prepare how statements are prepared; a test passes the identity, which compiles all of them at once
 * @throws DatabaseUnusable
 */
export function openStorage(file: string, prepare = prepareOnUse): Storage {
  const db = prepare(openDatabase(file))
  const payloads = openPayloads(db, file)
  const log = createLogSync(file === ':memory:' ? [] : openSyncSlots(`${file}-wal`))
  const commit = createGroupCommit(db, log)
  const checkpoints = file === ':memory:' ? undefined : startCheckpoints(file, new BetterSqlite(file), commit)
  deleteRemovedPayloads(db, commit, payloads)
  const events = createEventStore(db, commit)
  const state = createStateStore(db)
  const artifacts = file === ':memory:' ? temporaryArtifactFiles() : openArtifactFiles(dirname(file))
  const key = file === ':memory:' ? keyInMemory() : keyInFile(join(dirname(file), 'secrets.key'))
  const assetFiles = file === ':memory:' ? assetsInMemory() : openAssetFiles(dirname(file))
  return {
    write: commit.write,
    onCommit: commit.onCommit,
    onDurable: commit.onDurable,
    durable: log.durable,
    onFailure: log.onFailure,
    figures: async () => {
      const [sizeBytes, logBytes] = await Promise.all([sizeOf(file), sizeOf(`${file}-wal`)])
      return { sizeBytes, logBytes, syncs: log.syncs() }
    },
    beforeCommit: commit.beforeCommit,
    poke: commit.poke,
    payloads,
    jobs: createJobStore(db, events, createJobPayloads(db, { files: payloads, seal: createSeal(key) })),
    archive: createJobArchive(db),
    chunks: createChunkStore(db),
    endpoints: createEndpointStore(db, events, commit),
    workers: createWorkerStore(db, events),
    webhooks: createWebhookStore(db),
    logs: createLogStore(db),
    requests: createRequestStore(db),
    events,
    search: createSearchIndex(db, state),
    metrics: createMetricsStore(db),
    secrets: createSecretStore(db, key),
    keys: createKeyStore(db),
    apps: createAppStore(db),
    savedRequests: createSavedRequestStore(db),
    schedules: createScheduleStore(db),
    batches: createBatchStore(db),
    pendingBulk: createPendingBulkStore(db),
    loadTests: createLoadTestStore(db),
    comparisons: createComparisonStore(db),
    projects: createProjectStore(db),
    platform: createPlatformStore(db),
    targetDeploys: createTargetDeployStore(db),
    machines: createMachineStore(db),
    traces: createTraceStore(db),
    artifacts,
    graphs: createGraphStore(db),
    modelDownloads: createModelDownloadStore(db),
    modelFiles: openModelFiles(file === ':memory:' ? undefined : dirname(file)),
    workflows: createWorkflowStore(db),
    runs: createRunStore(db, events),
    assets: createAssetStore(db),
    assetFiles,
    nodeTypes: createNodeTypeStore(db),
    state,
    releaseMemory: payloads.release,
    engineVersion: db.prepare<[], { version: string }>(VERSION).get()?.version ?? '',
    saveAgain: () => saveAgain(db, file),
    close: async () => {
      await commit.close()
      await Promise.all([checkpoints?.stop(), payloads.close(), artifacts.close(), assetFiles.close()])
      db.close()
    },
  }
}

// VACUUM INTO reads the open file, whatever its path refers to now.
function saveAgain(db: Database, file: string): void {
  const fresh = `${file}.new`
  rmSync(fresh, { force: true })
  writeFileSync(fresh, '', { mode: PRIVATE_FILE })
  db.prepare('VACUUM INTO ?').run(fresh)
  // A log of the deleted file does not belong to the new one.
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  renameSync(fresh, file)
}

// A database in memory has no file.
const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

function openPayloads(db: Database, file: string): PayloadFiles {
  if (file === ':memory:') return payloadsInRows
  const folder = join(dirname(file), 'payloads')
  try {
    return openPayloadFiles(folder, createIsNamed(db))
  } catch (error) {
    db.close()
    throw new DatabaseUnusable(`The folder ${folder} cannot be used: ${(error as Error).message}.`, { cause: error })
  }
}

const NAMED = `
  SELECT 1 FROM job_inputs WHERE file = @file UNION ALL SELECT 1 FROM job_outputs WHERE file = @file`

/** Whether a row names the file of a payload. */
export function createIsNamed(db: Database): (file: string) => boolean {
  const named = db.prepare<[object]>(NAMED)
  return (file) => named.get({ file }) !== undefined
}

const REMOVED = `SELECT file FROM removed_payloads`
const FORGET = `DELETE FROM removed_payloads`

/** Deletes files of payloads when the commit is on the disk in which their rows went or changed; triggers note them. */
export function deleteRemovedPayloads(
  db: Database,
  commit: Pick<GroupCommit, 'beforeCommit'>,
  files: Pick<PayloadFiles, 'remove'>,
): void {
  const removed = db.prepare<[], { file: string }>(REMOVED)
  const forget = db.prepare(FORGET)
  commit.beforeCommit(() => {
    const names = removed.all().map(({ file }) => file)
    if (names.length === 0) return undefined
    forget.run()
    // Not earlier: after a power cut the rows may be back, and they name these files.
    return { durable: () => files.remove(names) }
  })
}

const READ_STATE = `SELECT value FROM service_state WHERE name = ?`
const WRITE_STATE = `
  INSERT INTO service_state (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`

/** Makes the store of the service's own small values. */
export function createStateStore(db: Database): StateStore {
  const read = db.prepare<[string], { value: string }>(READ_STATE)
  const write = db.prepare(WRITE_STATE)
  return {
    get(name) {
      const row = read.get(name)
      return row === undefined ? undefined : JSON.parse(row.value)
    },
    set: (name, value) => void write.run(name, JSON.stringify(value)),
  }
}

// Large chunks come as bytes.
const INSERT = `INSERT INTO job_chunks (seq, n, chunk) VALUES (?, ?, CAST(? AS TEXT))`
const AFTER = `SELECT n, chunk FROM job_chunks WHERE seq = ? AND n > ? ORDER BY n`

/** Makes the store of stream chunks, numbered from 1 within a job in the order of arrival. */
export function createChunkStore(db: Database): ChunkStore {
  const count = db.prepare<[number], { count: number }>(CHUNK_COUNT)
  const insert = db.prepare(INSERT)
  const after = db.prepare<[number, number], { n: number; chunk: string }>(AFTER)
  const countOf = (seq: number) => count.get(seq)?.count ?? 0
  return {
    append(seq, chunks) {
      const first = countOf(seq) + 1
      for (const [index, chunk] of chunks.entries()) insert.run(seq, first + index, chunk)
    },
    after(seq, cursor, most = limit('streamReadChunks')) {
      const rows: { n: number; chunk: string }[] = []
      let bytes = 0
      for (const row of after.iterate(seq, cursor)) {
        if (rows.length >= most || bytes >= limit('streamReadBytes')) return { rows, more: true }
        rows.push(row)
        bytes += Buffer.byteLength(row.chunk)
      }
      return { rows, more: false }
    },
    count: countOf,
  }
}

const SAVE_POINT = `
  INSERT INTO metrics (endpoint_id, at, point) VALUES (?, ?, ?) ON CONFLICT (endpoint_id, at) DO UPDATE SET point = excluded.point`
const READ_POINTS = `SELECT at, point FROM metrics WHERE endpoint_id = ? AND at >= ? AND at < ? ORDER BY at`
// Workers that are ready write steps too, in which nothing happened.
const LAST_ACTIVE = `
  SELECT at FROM metrics
  WHERE endpoint_id = ? AND point ->> 'submitted' + point ->> 'completed' + point ->> 'failed' > 0
  ORDER BY at DESC LIMIT 1`
const TRIM_POINTS = `DELETE FROM metrics WHERE at < ?`

/** Makes the store of metrics. */
export function createMetricsStore(db: Database): MetricsStore {
  const save = db.prepare(SAVE_POINT)
  const read = db.prepare<[string, number, number], { at: number; point: string }>(READ_POINTS)
  const lastActive = db.prepare<[string], { at: number }>(LAST_ACTIVE)
  const trim = db.prepare(TRIM_POINTS)
  return {
    save: (endpointId, at, point) => void save.run(endpointId, at, point),
    read: (endpointId, from, to) => read.all(endpointId, from, to),
    lastActiveAt: (endpointId) => lastActive.get(endpointId)?.at,
    trim: (before) => void trim.run(before),
  }
}

type Row = { readonly id: string; readonly folder: string; readonly opened_at: number }

const ALL = `SELECT id, folder, opened_at FROM projects ORDER BY opened_at DESC, id DESC`
const GET = `SELECT id, folder, opened_at FROM projects WHERE id = ?`
// A folder that is known keeps its id: addresses of the pages hold it.
const OPEN = `
  INSERT INTO projects (id, folder, opened_at) VALUES (@id, @folder, @openedAt)
  ON CONFLICT (folder) DO UPDATE SET opened_at = excluded.opened_at
  RETURNING id, folder, opened_at`
const REMOVE = `DELETE FROM projects WHERE id = ?`

/** Makes the store of projects. */
export function createProjectStore(db: Database): ProjectStore {
  const all = db.prepare<[], Row>(ALL)
  const get = db.prepare<[string], Row>(GET)
  const open = db.prepare<[Project], Row>(OPEN)
  const remove = db.prepare<[string]>(REMOVE)
  return {
    all: () => all.all().map(projectOf),
    get(id) {
      const row = get.get(id)
      return row && projectOf(row)
    },
    open: (project) => projectOf(open.get(project) as Row), // an upsert always returns its row
    remove: (id) => void remove.run(id),
  }
}

function projectOf({ id, folder, opened_at }: Row): Project {
  return { id, folder, openedAt: opened_at }
}

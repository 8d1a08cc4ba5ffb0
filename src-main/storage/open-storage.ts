import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import BetterSqlite, { type Database } from 'better-sqlite3'
import { limit } from '../contract/limits.ts'
import { startCheckpoints } from '../database/checkpoint-thread.ts'
import { createGroupCommit, type GroupCommit } from '../database/group-commit.ts'
import { createLogSync, openSyncSlots } from '../database/log-sync.ts'
import { DatabaseUnusable, openDatabase } from '../database/open-database.ts'
import { queriesOf } from '../database/queries.ts'
import { createSeal, createSecretStore, keyInFile, keyInMemory } from '../database/secret-store.ts'
import { createStateStore } from '../database/state-store.ts'
import { PRIVATE_FILE } from '../database/write-files.ts'
import { createAppStore } from '../features/apps/store/app-store.ts'
import { openArtifactFiles, temporaryArtifactFiles } from '../features/apps/store/artifact-files.ts'
import { createBatchStore } from '../features/batches/store.ts'
import { createComfyAssetStore } from '../features/comfyui-api/store/asset-store.ts'
import { createComfyuiPromptStore } from '../features/comfyui-api/store/prompt-store.ts'
import { createComfyuiUserFileStore } from '../features/comfyui-api/store/user-file-store.ts'
import { createComparisonStore } from '../features/comparisons/store.ts'
import { createEndpointStore } from '../features/endpoints/store.ts'
import { createEventLog, createEventStore } from '../features/jobs/store/event-store.ts'
import { CHUNK_COUNT, createJobArchive } from '../features/jobs/store/job-archive.ts'
import {
  createJobPayloads,
  openPayloadFiles,
  type PayloadFiles,
  payloadsInRows,
} from '../features/jobs/store/job-payloads.ts'
import { createJobStore } from '../features/jobs/store/job-store.ts'
import { createPendingBulkStore } from '../features/jobs/store/pending-bulk-store.ts'
import { createSavedRequestStore } from '../features/jobs/store/saved-request-store.ts'
import { createSearchIndex } from '../features/jobs/store/search-index.ts'
import { createWebhookStore } from '../features/jobs/store/webhook-store.ts'
import { createKeyStore } from '../features/keys/store.ts'
import { createRequestStore } from '../features/load-balancing/store.ts'
import { createLoadTestStore } from '../features/load-tests/store.ts'
import { createMachineStore } from '../features/machines/store.ts'
import { createModelDownloadStore } from '../features/models/download-store.ts'
import { openModelFiles } from '../features/models/store/model-files.ts'
import { createLogStore } from '../features/monitoring/store/log-store.ts'
import { createTraceStore } from '../features/monitoring/store/trace-store.ts'
import { createPlatformStore } from '../features/platform-api/store.ts'
import { createPodStore } from '../features/pods/store.ts'
import { createScheduleStore } from '../features/schedules/store.ts'
import { createTargetDeployStore } from '../features/targets/deploy-store.ts'
import { createWorkflowLockStore } from '../features/worker-images/store.ts'
import { createWorkerStore } from '../features/workers/store.ts'
import { assetsInMemory, openAssetFiles } from '../features/workflows/store/asset-files.ts'
import { createAssetStore } from '../features/workflows/store/asset-store.ts'
import { createGraphStore } from '../features/workflows/store/graph-store.ts'
import { createNodeTypeStore } from '../features/workflows/store/node-type-store.ts'
import { createRunStore } from '../features/workflows/store/run-store.ts'
import { createWorkflowStore } from '../features/workflows/store/workflow-store.ts'
import type { Json } from '../lib/json/bytes.ts'

/** A project: a folder by its real path. `openedAt` is wall ms. */
export type Project = { readonly id: string; readonly folder: string; readonly openedAt: number }

/** Methods that write are called inside the work of `write` only. */
export type Storage = ReturnType<typeof openStorage>

/**
 * @param file path, or ':memory:' in tests; the folders of payloads and artifacts are next to it
 * @throws DatabaseUnusable
 */
export function openStorage(file: string) {
  const db = openDatabase(file)
  const payloads = openPayloads(db, file)
  const log = createLogSync(file === ':memory:' ? [] : openSyncSlots(`${file}-wal`))
  const commit = createGroupCommit(db, log)
  const checkpoints = file === ':memory:' ? undefined : startCheckpoints(file, new BetterSqlite(file), commit)
  deleteRemovedPayloads(db, commit, payloads)
  const events = createEventLog(db, commit)
  const state = createStateStore(db)
  const artifacts = file === ':memory:' ? temporaryArtifactFiles() : openArtifactFiles(dirname(file))
  const key = file === ':memory:' ? keyInMemory() : keyInFile(join(dirname(file), 'secrets.key'))
  const jobPayloads = createJobPayloads(db, { files: payloads, seal: createSeal(key) })
  const assetFiles = file === ':memory:' ? assetsInMemory() : openAssetFiles(dirname(file))
  return {
    write: commit.write,
    /** Called right after each commit with its changes, in order: for state the service itself relies on. */
    onCommit: commit.onCommit,
    /** Like `onCommit`, but once the changes are on disk: for everything that leaves the service. */
    onDurable: commit.onDurable,
    /**
     * Await it before reporting read data outside.
     * @throws AppError STORAGE_FAILED
     */
    durable: log.durable,
    onFailure: log.onFailure,
    figures: async () => {
      const [sizeBytes, logBytes] = await Promise.all([sizeOf(file), sizeOf(`${file}-wal`)])
      return { sizeBytes, logBytes, syncs: log.syncs() }
    },
    /** Called inside each transaction after its writes: claims for parked workers happen here. */
    beforeCommit: commit.beforeCommit,
    onRollback: commit.onRollback,
    poke: commit.poke,
    payloads: { write: payloads.write },
    jobs: createJobStore(db, events, jobPayloads),
    archive: createJobArchive(db),
    chunks: createChunkStore(db),
    endpoints: createEndpointStore(db, events, commit),
    workers: createWorkerStore(db, events),
    webhooks: createWebhookStore(db),
    logs: createLogStore(db),
    requests: createRequestStore(db),
    events: createEventStore(db, events),
    search: createSearchIndex(db, state),
    metrics: createMetricsStore(db),
    secrets: createSecretStore(db, key),
    keys: createKeyStore(db),
    apps: createAppStore(db),
    savedRequests: createSavedRequestStore(db),
    schedules: createScheduleStore(db),
    batches: createBatchStore(db, jobPayloads),
    pendingBulk: createPendingBulkStore(db),
    loadTests: createLoadTestStore(db),
    comparisons: createComparisonStore(db),
    comfyuiPrompts: createComfyuiPromptStore(db),
    comfyuiUserFiles: createComfyuiUserFileStore(db),
    comfyAssets: createComfyAssetStore(db),
    projects: createProjectStore(db),
    platform: createPlatformStore(db),
    pods: createPodStore(db),
    targetDeploys: createTargetDeployStore(db),
    machines: createMachineStore(db),
    traces: createTraceStore(db),
    artifacts,
    graphs: createGraphStore(db),
    modelDownloads: createModelDownloadStore(db),
    modelFiles: openModelFiles(file === ':memory:' ? undefined : dirname(file)),
    workflowLocks: createWorkflowLockStore(db),
    workflows: createWorkflowStore(db),
    runs: createRunStore(db, events),
    assets: createAssetStore(db),
    assetFiles,
    nodeTypes: createNodeTypeStore(db),
    state,
    releaseMemory: payloads.release,
    engineVersion: queriesOf(db)<[], string>(`SELECT sqlite_version()`).value('')(),
    /** Rewrites a deleted file; the open one must not be written afterwards. */
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

function createIsNamed(db: Database): (file: string) => boolean {
  const named = queriesOf(db)<[{ file: string }], 1>(`
    SELECT 1 FROM job_inputs WHERE file = @file UNION ALL SELECT 1 FROM job_outputs WHERE file = @file
    UNION ALL SELECT 1 FROM draft_requests WHERE file = @file`).value()
  return (file) => named({ file }) !== undefined
}

/** Deletes payload files once the commit that dropped their rows is on disk; triggers record them. */
function deleteRemovedPayloads(
  db: Database,
  commit: Pick<GroupCommit, 'beforeCommit'>,
  files: Pick<PayloadFiles, 'remove'>,
): void {
  const query = queriesOf(db)
  const removed = query<[], string>(`SELECT file FROM removed_payloads`).values()
  const forget = query<[]>(`DELETE FROM removed_payloads`).run()
  commit.beforeCommit(() => {
    const names = removed()
    if (names.length === 0) return undefined
    forget()
    // Not earlier: after a power cut the rows may return, and they name these files.
    return { durable: () => files.remove(names) }
  })
}

function createChunkStore(db: Database) {
  const query = queriesOf(db)
  const count = query<[seq: number], number>(CHUNK_COUNT).value(0)
  const insert = query<[seq: number, n: number, chunk: Json]>(`
    INSERT INTO job_chunks (seq, n, chunk) VALUES (?, ?, CAST(? AS TEXT))`).run()
  const after = query<[seq: number, cursor: number], Chunk>(`
    SELECT n, chunk FROM job_chunks WHERE seq = ? AND n > ? ORDER BY n`).each()
  return {
    append(seq: number, chunks: readonly Json[]) {
      const first = count(seq) + 1
      for (const [index, chunk] of chunks.entries()) insert(seq, first + index, chunk)
    },
    /** Chunks after the cursor, within the limits of one response. `more`: the stream goes on after them. */
    after(seq: number, cursor: number, most = limit('streamReadChunks')) {
      const rows: Chunk[] = []
      let bytes = 0
      for (const row of after(seq, cursor)) {
        if (rows.length >= most || bytes >= limit('streamReadBytes')) return { rows, more: true }
        rows.push(row)
        bytes += Buffer.byteLength(row.chunk)
      }
      return { rows, more: false }
    },
    count,
  }
}

type Chunk = { readonly n: number; readonly chunk: string }

function createMetricsStore(db: Database) {
  const query = queriesOf(db)
  return {
    save: query<[endpointId: string, at: number, point: string]>(`
      INSERT INTO metrics (endpoint_id, at, point) VALUES (?, ?, ?)
      ON CONFLICT (endpoint_id, at) DO UPDATE SET point = excluded.point`).run(),
    read: query<[endpointId: string, from: number, to: number], { readonly at: number; readonly point: string }>(`
      SELECT at, point FROM metrics WHERE endpoint_id = ? AND at >= ? AND at < ? ORDER BY at`).all(),
    lastActiveAt: query<[endpointId: string], number>(`
      SELECT at FROM metrics
      WHERE endpoint_id = ? AND point ->> 'submitted' + point ->> 'completed' + point ->> 'failed' > 0
      ORDER BY at DESC LIMIT 1`).value(),
    trim: query<[before: number]>(`DELETE FROM metrics WHERE at < ?`).run(),
  }
}

const PROJECT = `id, folder, opened_at AS openedAt`

export function createProjectStore(db: Database) {
  const query = queriesOf(db)
  const open = query<[Project], Project>(`
    INSERT INTO projects (id, folder, opened_at) VALUES (@id, @folder, @openedAt)
    ON CONFLICT (folder) DO UPDATE SET opened_at = excluded.opened_at
    RETURNING ${PROJECT}`).one()
  return {
    all: query<[], Project>(`SELECT ${PROJECT} FROM projects ORDER BY opened_at DESC, id DESC`).all(),
    get: query<[id: string], Project>(`SELECT ${PROJECT} FROM projects WHERE id = ?`).one(),
    open: (project: Project) => open(project) as Project,
    remove: query<[id: string]>(`DELETE FROM projects WHERE id = ?`).run(),
  }
}

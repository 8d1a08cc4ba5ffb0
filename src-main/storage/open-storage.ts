import { dirname, join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { Storage } from '../services/ports.ts'
import { createAppStore } from './app-store.ts'
import { openArtifactFiles, temporaryArtifactFiles } from './artifact-files.ts'
import { assetsInMemory, openAssetFiles } from './asset-files.ts'
import { createAssetStore } from './asset-store.ts'
import { startCheckpoints } from './checkpoint-thread.ts'
import { createChunkStore } from './chunk-store.ts'
import { createEndpointStore } from './endpoint-store.ts'
import { createEventStore } from './event-store.ts'
import { createGraphStore } from './graph-store.ts'
import { createGroupCommit } from './group-commit.ts'
import { createJobArchive } from './job-archive.ts'
import { createJobPayloads } from './job-payloads.ts'
import { createJobStore } from './job-store.ts'
import { createLoadTestStore } from './load-test-store.ts'
import { createLogStore } from './log-store.ts'
import { createModelDownloadStore } from './model-download-store.ts'
import { openModelFiles } from './model-files.ts'
import { createNodeTypeStore } from './node-type-store.ts'
import { DatabaseUnusable, openDatabase } from './open-database.ts'
import { openPayloadFiles, type PayloadFiles, payloadsInRows } from './payload-files.ts'
import { createProjectStore } from './project-store.ts'
import { createIsNamed, deleteRemovedPayloads } from './removed-payloads.ts'
import { createRequestStore } from './request-store.ts'
import { createRunStore } from './run-store.ts'
import { createSavedRequestStore } from './saved-request-store.ts'
import { createSearchIndex } from './search-index.ts'
import { keyInFile, keyInMemory } from './secret-key.ts'
import { createSecretStore } from './secret-store.ts'
import { createMetricsStore, createStateStore } from './small-stores.ts'
import { createWebhookStore } from './webhook-store.ts'
import { createWorkerStore } from './worker-store.ts'
import { createWorkflowStore } from './workflow-store.ts'

const VERSION = `SELECT sqlite_version() AS version`

/**
 * Opens the database with the folders of large payloads and artifacts beside it, and makes all stores on them.
 * @param file path, or ':memory:' in tests
 * @param now ms since the epoch
 * @throws DatabaseUnusable
 */
export function openStorage(file: string, now: number): Storage {
  const db = openDatabase(file, now)
  const payloads = openPayloads(db, file)
  const checkpoints = file === ':memory:' ? undefined : startCheckpoints(file)
  const commit = createGroupCommit(db)
  deleteRemovedPayloads(db, commit, payloads)
  const events = createEventStore(db, commit)
  const state = createStateStore(db)
  const artifacts = file === ':memory:' ? temporaryArtifactFiles() : openArtifactFiles(dirname(file))
  const assetFiles = file === ':memory:' ? assetsInMemory() : openAssetFiles(dirname(file))
  return {
    write: commit.write,
    onCommit: commit.onCommit,
    beforeCommit: commit.beforeCommit,
    poke: commit.poke,
    payloads,
    jobs: createJobStore(db, events, createJobPayloads(db, payloads)),
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
    secrets: createSecretStore(db, file === ':memory:' ? keyInMemory() : keyInFile(join(dirname(file), 'secrets.key'))),
    apps: createAppStore(db),
    savedRequests: createSavedRequestStore(db),
    loadTests: createLoadTestStore(db),
    projects: createProjectStore(db),
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
    close: async () => {
      commit.close()
      await Promise.all([checkpoints?.stop(), payloads.close(), artifacts.close(), assetFiles.close()])
      db.close()
    },
  }
}

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

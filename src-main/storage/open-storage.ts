import type { Storage } from '../services/ports.ts'
import { startCheckpoints } from './checkpoint-thread.ts'
import { createChunkStore } from './chunk-store.ts'
import { createEndpointStore } from './endpoint-store.ts'
import { createEventStore } from './event-store.ts'
import { createGroupCommit } from './group-commit.ts'
import { createJobStore } from './job-store.ts'
import { createLogStore } from './log-store.ts'
import { openDatabase } from './open-database.ts'
import { createSearchIndex } from './search-index.ts'
import { createMetricsStore, createStateStore } from './small-stores.ts'
import { createWebhookStore } from './webhook-store.ts'
import { createWorkerStore } from './worker-store.ts'

/**
 * Opens the database and makes all stores on it.
 * @param file path, or ':memory:' in tests
 * @param now ms since the epoch
 * @throws DatabaseUnusable
 */
export function openStorage(file: string, now: number): Storage {
  const db = openDatabase(file, now)
  const checkpoints = file === ':memory:' ? undefined : startCheckpoints(file)
  const commit = createGroupCommit(db)
  const events = createEventStore(db, commit)
  const state = createStateStore(db)
  return {
    write: commit.write,
    onCommit: commit.onCommit,
    beforeCommit: commit.beforeCommit,
    poke: commit.poke,
    jobs: createJobStore(db, events),
    chunks: createChunkStore(db),
    endpoints: createEndpointStore(db, events, commit),
    workers: createWorkerStore(db, events),
    webhooks: createWebhookStore(db),
    logs: createLogStore(db),
    events,
    search: createSearchIndex(db, state),
    metrics: createMetricsStore(db),
    state,
    close: async () => {
      commit.close()
      await checkpoints?.stop()
      db.close()
    },
  }
}

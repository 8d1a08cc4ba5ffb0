import type { Database } from 'better-sqlite3'
import type { StoredWorker, WorkerStore } from '../services/ports.ts'
import type { EventLog } from './event-store.ts'

const ALL = `
  SELECT id, endpoint_id AS endpointId, revision, token_hash AS tokenHash, handle, started_at AS startedAt FROM workers`
const SAVE = `
  INSERT INTO workers (id, endpoint_id, revision, token_hash, handle, started_at)
  VALUES (@id, @endpointId, @revision, @tokenHash, @handle, @startedAt)
  ON CONFLICT (id) DO UPDATE SET handle = excluded.handle`
const REMOVE = `DELETE FROM workers WHERE id = ?`

/** Makes the store of living workers. */
export function createWorkerStore(db: Database, events: EventLog): WorkerStore {
  const all = db.prepare<[], StoredWorker>(ALL)
  const save = db.prepare(SAVE)
  const remove = db.prepare(REMOVE)
  return {
    all: () => all.all(),
    save: (worker) => void save.run({ ...worker, tokenHash: Buffer.from(worker.tokenHash) }),
    remove: (id) => void remove.run(id),
    recordState: ({ endpointId, workerId, from, state, reason, now }) =>
      events.recordFleet({ type: 'worker', at: now, endpointId, workerId, event: state, reason }, from),
  }
}

import type { Database } from 'better-sqlite3'
import type { StoredExit, StoredWorker, WorkerStore } from '../services/ports/worker-records.ts'
import type { EventLog } from './event-store.ts'

const ALL = `
  SELECT id, endpoint_id AS endpointId, revision, token_hash AS tokenHash, handle, started_at AS startedAt FROM workers`
const SAVE = `
  INSERT INTO workers (id, endpoint_id, revision, token_hash, handle, started_at)
  VALUES (@id, @endpointId, @revision, @tokenHash, @handle, @startedAt)
  ON CONFLICT (id) DO UPDATE SET handle = excluded.handle`
const REMOVE = `DELETE FROM workers WHERE id = ?`
const EXITS = `
  SELECT endpoint_id AS endpointId, ended_at AS at, lived_ms AS livedMs, became_ready AS becameReady,
    jobs_done AS jobsDone, ordered, reason, code
  FROM worker_exits ORDER BY id`
const ADD_EXIT = `
  INSERT INTO worker_exits (endpoint_id, ended_at, lived_ms, became_ready, jobs_done, ordered, reason, code)
  VALUES (@endpointId, @at, @livedMs, @becameReady, @jobsDone, @ordered, @reason, @code)`
const DROP_OLD_EXITS = `
  DELETE FROM worker_exits WHERE endpoint_id = @endpointId AND id <= (
    SELECT id FROM worker_exits WHERE endpoint_id = @endpointId ORDER BY id DESC LIMIT 1 OFFSET @keep)`
const FORGET_EXITS = `DELETE FROM worker_exits WHERE endpoint_id = ?`

type ExitRow = Omit<StoredExit, 'becameReady' | 'ordered' | 'code'> & {
  readonly becameReady: 0 | 1
  readonly ordered: 0 | 1
  readonly code: number | null
}

/** Makes the store of living workers, and of how the others ended. */
export function createWorkerStore(db: Database, events: EventLog): WorkerStore {
  const all = db.prepare<[], StoredWorker>(ALL)
  const save = db.prepare(SAVE)
  const remove = db.prepare(REMOVE)
  const exits = db.prepare<[], ExitRow>(EXITS)
  const addExit = db.prepare(ADD_EXIT)
  const dropOldExits = db.prepare(DROP_OLD_EXITS)
  const forgetExits = db.prepare(FORGET_EXITS)
  return {
    all: () => all.all(),
    save: (worker) => void save.run({ ...worker, tokenHash: Buffer.from(worker.tokenHash) }),
    remove: (id) => void remove.run(id),
    exits: () =>
      exits.all().map(({ becameReady, ordered, code, ...exit }) => ({
        ...exit,
        becameReady: becameReady === 1,
        ordered: ordered === 1,
        code: code ?? undefined,
      })),
    addExit({ becameReady, ordered, code = null, ...exit }, keep) {
      addExit.run({ ...exit, becameReady: Number(becameReady), ordered: Number(ordered), code })
      dropOldExits.run({ endpointId: exit.endpointId, keep })
    },
    forgetExits: (endpointId) => void forgetExits.run(endpointId),
    recordState: ({ endpointId, workerId, from, state, reason, now }) =>
      events.recordFleet({ type: 'worker', at: now, endpointId, workerId, event: state, reason }, from),
  }
}

import type { Database } from 'better-sqlite3'
import type { WorkerPool, WorkerState } from '../../contract/endpoint.ts'
import { queriesOf, type RowOf, withoutNulls } from '../../database/queries.ts'
import type { EventLog } from '../jobs/store/event-store.ts'
import type { WorkerExit } from './rules/crash-loop.ts'

export type StoredWorker = {
  readonly id: string
  readonly endpointId: string
  readonly revision: number
  readonly pool: WorkerPool
  readonly tokenHash: Uint8Array
  readonly handle: string
  readonly startedAt: number
  /** Address of the ComfyUI server that it has of its own. */
  readonly server: string | undefined
}

export type StoredExit = WorkerExit & { readonly endpointId: string; readonly pool: WorkerPool }

type ExitRow = Omit<StoredExit, 'becameReady' | 'ordered' | 'code'> & {
  readonly becameReady: 0 | 1
  readonly ordered: 0 | 1
  readonly code: number | null
}
type StateChange = {
  readonly endpointId: string
  readonly workerId: string
  readonly from: WorkerState | undefined
  readonly state: WorkerState
  readonly reason: string | undefined
  readonly now: number
}

export function createWorkerStore(db: Database, events: EventLog) {
  const query = queriesOf(db)
  const save = query<[StoredWorker]>(`
    INSERT INTO workers (id, endpoint_id, revision, pool, token_hash, handle, started_at, server)
    VALUES (@id, @endpointId, @revision, @pool, @tokenHash, @handle, @startedAt, @server)
    ON CONFLICT (id) DO UPDATE SET handle = excluded.handle`).run()
  const addExit = query<[object]>(`
    INSERT INTO worker_exits (endpoint_id, pool, ended_at, lived_ms, became_ready, jobs_done, ordered, reason, code)
    VALUES (@endpointId, @pool, @at, @livedMs, @becameReady, @jobsDone, @ordered, @reason, @code)`).run()
  const dropOldExits = query<[{ endpointId: string; pool: WorkerPool; keep: number }]>(`
    DELETE FROM worker_exits WHERE endpoint_id = @endpointId AND pool = @pool AND id <= (
      SELECT id FROM worker_exits WHERE endpoint_id = @endpointId AND pool = @pool
      ORDER BY id DESC LIMIT 1 OFFSET @keep)`).run()
  return {
    all: query<[], RowOf<StoredWorker>>(`
      SELECT id, endpoint_id AS endpointId, revision, pool, token_hash AS tokenHash, handle, started_at AS startedAt,
        server
      FROM workers`).all(withoutNulls<StoredWorker>),
    save: (worker: StoredWorker) => save({ ...worker, tokenHash: Buffer.from(worker.tokenHash) }),
    remove: query<[id: string]>(`DELETE FROM workers WHERE id = ?`).run(),
    exits: query<[], ExitRow>(`
      SELECT endpoint_id AS endpointId, pool, ended_at AS at, lived_ms AS livedMs, became_ready AS becameReady,
        jobs_done AS jobsDone, ordered, reason, code
      FROM worker_exits ORDER BY id`).all(
      ({ becameReady, ordered, code, ...exit }): StoredExit => ({
        ...exit,
        becameReady: becameReady === 1,
        ordered: ordered === 1,
        code: code ?? undefined,
      }),
    ),
    addExit({ becameReady, ordered, code, ...exit }: StoredExit, keep: number) {
      addExit({ ...exit, becameReady: Number(becameReady), ordered: Number(ordered), code })
      dropOldExits({ endpointId: exit.endpointId, pool: exit.pool, keep })
    },
    forgetExits: query<[endpointId: string]>(`DELETE FROM worker_exits WHERE endpoint_id = ?`).run(),
    recordState: ({ endpointId, workerId, from, state, reason, now }: StateChange) =>
      events.recordFleet({ type: 'worker', at: now, endpointId, workerId, event: state, reason }, from),
  }
}

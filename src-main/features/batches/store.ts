import type { Database } from 'better-sqlite3'
import type { JobState } from '../../contract/job.ts'
import { queriesOf } from '../../database/queries.ts'
import type { Job } from '../jobs/store/job.ts'
import { JOB_COLUMNS } from '../jobs/store/job-filter.ts'

export type BatchPlace = {
  readonly batch: number
  readonly line: number
  readonly instead?: number | undefined
}

export type Batch = {
  readonly seq: number
  readonly id: string
  readonly endpointId: string
  readonly name: string
  readonly fingerprint: string | null
  readonly total: number
  readonly received: number
  readonly cancelled: 0 | 1
  /** Wall ms. */
  readonly createdAt: number
}

type BatchCounts = Readonly<Partial<Record<JobState | 'GONE' | 'REFUSED', number>>>

type BatchLine = { readonly line: number; readonly seq: number | null; readonly reason: string | null }

const COLUMNS = `
  seq, id, endpoint_id AS endpointId, name, fingerprint, total, received, cancelled, created_at AS createdAt`

export function createBatchStore(db: Database) {
  const query = queriesOf(db)
  const all = query<[number], Batch>(`SELECT ${COLUMNS} FROM batches ORDER BY seq DESC LIMIT ?`).all()
  const ofEndpoint = query<[string, number], Batch>(`
    SELECT ${COLUMNS} FROM batches WHERE endpoint_id = ? ORDER BY seq DESC LIMIT ?`).all()
  const counts = query<[number], { readonly status: keyof BatchCounts; readonly count: number }>(`
    SELECT status, count FROM batch_counts WHERE batch = ? AND count > 0`).all()
  const place = query<[{ batch: number; line: number; seq: number }]>(`
    INSERT INTO batch_lines (batch, line, seq) VALUES (@batch, @line, @seq)
    ON CONFLICT (batch, line) DO UPDATE SET seq = excluded.seq`).run()
  const join = query<[batch: number | null, seq: number]>(`UPDATE jobs SET batch = ? WHERE seq = ?`).run()
  const removeLines = query<[{ batch: number; most: number }]>(`
    DELETE FROM batch_lines WHERE batch = @batch AND line <= (
      SELECT MAX(line) FROM (SELECT line FROM batch_lines WHERE batch = @batch ORDER BY line LIMIT @most))`).changes()
  const removeCounts = query<[number]>(`DELETE FROM batch_counts WHERE batch = ?`).run()
  const remove = query<[number]>(`DELETE FROM batches WHERE seq = ?`).run()
  return {
    list: (endpointId: string | undefined, limit: number) =>
      endpointId === undefined ? all(limit) : ofEndpoint(endpointId, limit),
    get: query<[id: string], Batch>(`SELECT ${COLUMNS} FROM batches WHERE id = ?`).one(),
    named: query<[endpointId: string, fingerprint: string], Batch>(`
      SELECT ${COLUMNS} FROM batches WHERE endpoint_id = ? AND fingerprint = ? ORDER BY seq DESC LIMIT 1`).one(),
    insert: query<[Omit<Batch, 'seq' | 'received' | 'cancelled'>]>(`
      INSERT INTO batches (id, endpoint_id, name, fingerprint, total, created_at)
      VALUES (@id, @endpointId, @name, @fingerprint, @total, @createdAt)`).run(),
    counts: (batch: number): BatchCounts =>
      Object.fromEntries(counts(batch).map(({ status, count }) => [status, count])),
    /** Undefined: the line was not taken in. */
    line: query<[batch: number, line: number], BatchLine>(`
      SELECT line, seq, reason FROM batch_lines WHERE batch = ? AND line = ?`).one(),
    lines: query<[batch: number, after: number, limit: number], BatchLine>(`
      SELECT line, seq, reason FROM batch_lines WHERE batch = ? AND line > ? ORDER BY line LIMIT ?`).all(),
    place(seq: number, { batch, line, instead }: BatchPlace) {
      if (instead !== undefined) join(null, instead)
      place({ batch, line, seq })
      join(batch, seq)
    },
    placeOf: query<[seq: number], { readonly batch: number; readonly line: number }>(`
      SELECT batch, line FROM batch_lines WHERE seq = ?`).one(),
    refuse: query<[batch: number, line: number, reason: string]>(`
      INSERT INTO batch_lines (batch, line, reason) VALUES (?, ?, ?) ON CONFLICT (batch, line) DO NOTHING`).run(),
    receive: query<[{ batch: number; line: number }]>(`
      UPDATE batches SET received = MAX(received, @line) WHERE seq = @batch`).run(),
    cancel: query<[batch: number]>(`UPDATE batches SET cancelled = 1 WHERE seq = ?`).run(),
    jobs: query<[batch: number, state: JobState, after: number, limit: number], Job>(`
      SELECT ${JOB_COLUMNS} FROM jobs WHERE batch = ? AND status = ? AND seq > ? ORDER BY seq LIMIT ?`).all(),
    newest: query<[batch: number, state: JobState, limit: number], Job>(`
      SELECT ${JOB_COLUMNS} FROM jobs WHERE batch = ? AND status = ? ORDER BY seq DESC LIMIT ?`).all(),
    refusals: query<[batch: number, limit: number], { readonly reason: string; readonly count: number }>(`
      SELECT reason, COUNT(*) AS count FROM batch_lines WHERE batch = ? AND reason IS NOT NULL
      GROUP BY reason ORDER BY count DESC LIMIT ?`).all(),
    remove(batch: number, most: number) {
      if (removeLines({ batch, most }) === most) return false
      removeCounts(batch)
      remove(batch)
      return true
    },
  }
}

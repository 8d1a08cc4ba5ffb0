/** Batches. The jobs of each are counted by triggers, see schema.ts. */
import type { Database } from 'better-sqlite3'
import type { JobState } from '../contract/job.ts'
import type { Batch, BatchCounts, BatchLine, BatchStore } from '../services/ports/job-storage.ts'
import type { Job } from '../services/ports/storage.ts'
import { JOB_COLUMNS } from './job-filter.ts'

const COLUMNS = `
  seq, id, endpoint_id AS endpointId, name, fingerprint, total, received, cancelled, created_at AS createdAt`
const ALL = `SELECT ${COLUMNS} FROM batches ORDER BY seq DESC LIMIT ?`
const OF_ENDPOINT = `SELECT ${COLUMNS} FROM batches WHERE endpoint_id = ? ORDER BY seq DESC LIMIT ?`
const GET = `SELECT ${COLUMNS} FROM batches WHERE id = ?`
const NAMED = `
  SELECT ${COLUMNS} FROM batches WHERE endpoint_id = ? AND fingerprint = ? ORDER BY seq DESC LIMIT 1`
const INSERT = `
  INSERT INTO batches (id, endpoint_id, name, fingerprint, total, created_at)
  VALUES (@id, @endpointId, @name, @fingerprint, @total, @createdAt)`
const COUNTS = `SELECT status, count FROM batch_counts WHERE batch = ? AND count > 0`
const LINE = `SELECT line, seq, reason FROM batch_lines WHERE batch = ? AND line = ?`
const LINES = `SELECT line, seq, reason FROM batch_lines WHERE batch = ? AND line > ? ORDER BY line LIMIT ?`
const PLACE = `
  INSERT INTO batch_lines (batch, line, seq) VALUES (@batch, @line, @seq)
  ON CONFLICT (batch, line) DO UPDATE SET seq = excluded.seq`
const JOIN = `UPDATE jobs SET batch = ? WHERE seq = ?`
const PLACE_OF = `SELECT batch, line FROM batch_lines WHERE seq = ?`
const REFUSE = `INSERT INTO batch_lines (batch, line, reason) VALUES (?, ?, ?) ON CONFLICT (batch, line) DO NOTHING`
const RECEIVE = `UPDATE batches SET received = MAX(received, @line) WHERE seq = @batch`
const CANCEL = `UPDATE batches SET cancelled = 1 WHERE seq = ?`
const JOBS = `
  SELECT ${JOB_COLUMNS} FROM jobs WHERE batch = ? AND status = ? AND seq > ? ORDER BY seq LIMIT ?`
const NEWEST = `SELECT ${JOB_COLUMNS} FROM jobs WHERE batch = ? AND status = ? ORDER BY seq DESC LIMIT ?`
const REFUSALS = `
  SELECT reason, COUNT(*) AS count FROM batch_lines WHERE batch = ? AND reason IS NOT NULL
  GROUP BY reason ORDER BY count DESC LIMIT ?`
const REMOVE_LINES = `
  DELETE FROM batch_lines WHERE batch = @batch AND line <= (
    SELECT MAX(line) FROM (SELECT line FROM batch_lines WHERE batch = @batch ORDER BY line LIMIT @most))`
const REMOVE_COUNTS = `DELETE FROM batch_counts WHERE batch = ?`
const REMOVE = `DELETE FROM batches WHERE seq = ?`

/** Makes the store of batches. */
export function createBatchStore(db: Database): BatchStore<Job> {
  const all = db.prepare<[number], Batch>(ALL)
  const ofEndpoint = db.prepare<[string, number], Batch>(OF_ENDPOINT)
  const get = db.prepare<[string], Batch>(GET)
  const named = db.prepare<[string, string], Batch>(NAMED)
  const insert = db.prepare<[object]>(INSERT)
  const counts = db.prepare<[number], { readonly status: keyof BatchCounts; readonly count: number }>(COUNTS)
  const line = db.prepare<[number, number], BatchLine>(LINE)
  const lines = db.prepare<[number, number, number], BatchLine>(LINES)
  const place = db.prepare<[object]>(PLACE)
  const join = db.prepare<[number | null, number]>(JOIN)
  const placeOf = db.prepare<[number], { readonly batch: number; readonly line: number }>(PLACE_OF)
  const refuse = db.prepare<[number, number, string]>(REFUSE)
  const receive = db.prepare<[object]>(RECEIVE)
  const cancel = db.prepare<[number]>(CANCEL)
  const jobs = db.prepare<[number, JobState, number, number], Job>(JOBS)
  const newest = db.prepare<[number, JobState, number], Job>(NEWEST)
  const refusals = db.prepare<[number, number], { readonly reason: string; readonly count: number }>(REFUSALS)
  const removeLines = db.prepare<[object]>(REMOVE_LINES)
  const removeCounts = db.prepare<[number]>(REMOVE_COUNTS)
  const remove = db.prepare<[number]>(REMOVE)
  return {
    list: (endpointId, limit) => (endpointId === undefined ? all.all(limit) : ofEndpoint.all(endpointId, limit)),
    get: (id) => get.get(id),
    named: (endpointId, fingerprint) => named.get(endpointId, fingerprint),
    insert: (batch) => void insert.run(batch),
    counts: (batch) => Object.fromEntries(counts.all(batch).map(({ status, count }) => [status, count])),
    line: (batch, at) => line.get(batch, at),
    lines: (batch, after, limit) => lines.all(batch, after, limit),
    place(seq, { batch, line: at, instead }) {
      if (instead !== undefined) join.run(null, instead)
      place.run({ batch, line: at, seq })
      join.run(batch, seq)
    },
    placeOf: (seq) => placeOf.get(seq),
    refuse: (batch, at, reason) => void refuse.run(batch, at, reason),
    receive: (batch, at) => void receive.run({ batch, line: at }),
    cancel: (batch) => void cancel.run(batch),
    jobs: (batch, state, after, limit) => jobs.all(batch, state, after, limit),
    newest: (batch, state, limit) => newest.all(batch, state, limit),
    refusals: (batch, limit) => refusals.all(batch, limit),
    remove(batch, most) {
      if (removeLines.run({ batch, most }).changes === most) return false
      removeCounts.run(batch)
      remove.run(batch)
      return true
    },
  }
}

import type { Database } from 'better-sqlite3'
import type { LogLine } from '../contract/management.ts'
import type { LogScope, LogStore } from '../services/ports/worker-records.ts'

const COLUMNS = `id, at, endpoint_id AS endpointId, worker_id AS workerId, job_id AS jobId, level, line`
const INSERT = `
  INSERT INTO log_lines (at, endpoint_id, worker_id, job_id, level, line)
  VALUES (@at, @endpointId, @workerId, @jobId, @level, @line)`
const LAST = `SELECT COALESCE(MAX(id), 0) AS id FROM log_lines`
const TRIM = `DELETE FROM log_lines WHERE id IN (SELECT id FROM log_lines WHERE at < ? ORDER BY at LIMIT ?)`
const OLDER = `SELECT COUNT(*) AS lines FROM log_lines WHERE at < ?`
// A sample: to add all of them up would read the whole table.
const MEAN_BYTES = `
  SELECT COALESCE(AVG(LENGTH(line)), 0) AS bytes FROM (SELECT line FROM log_lines WHERE at < ? ORDER BY at DESC LIMIT 1000)`
// Ids, names and indexes of a line, bytes; source: ours, four indexes of about 30 bytes each.
const LINE_OVERHEAD = 150
const TRIM_WORKER = `
  DELETE FROM log_lines WHERE worker_id = @workerId AND id <= (
    SELECT id FROM log_lines WHERE worker_id = @workerId ORDER BY id DESC LIMIT 1 OFFSET @keep)`

const SCOPE_COLUMN = { endpoint: 'endpoint_id', worker: 'worker_id', job: 'job_id' } as const satisfies Record<
  LogScope['by'],
  string
>

type Row = Omit<LogLine, 'jobId'> & { jobId: string | null }

/** Makes the store of log lines. */
export function createLogStore(db: Database): LogStore {
  const insert = db.prepare(INSERT)
  const last = db.prepare<[], { id: number }>(LAST)
  const trim = db.prepare(TRIM)
  const trimWorker = db.prepare(TRIM_WORKER)
  const older = db.prepare<[number], { lines: number }>(OLDER)
  const meanBytes = db.prepare<[number], { bytes: number }>(MEAN_BYTES)
  const perScope = (sql: (column: string) => string) => ({
    endpoint: db.prepare<[string, number, number], Row>(sql(SCOPE_COLUMN.endpoint)),
    worker: db.prepare<[string, number, number], Row>(sql(SCOPE_COLUMN.worker)),
    job: db.prepare<[string, number, number], Row>(sql(SCOPE_COLUMN.job)),
  })
  const after = perScope(
    (column) => `SELECT ${COLUMNS} FROM log_lines WHERE ${column} = ? AND id > ? ORDER BY id LIMIT ?`,
  )
  const newest = perScope(
    (column) => `SELECT ${COLUMNS} FROM log_lines WHERE ${column} = ? AND id > ? ORDER BY id DESC LIMIT ?`,
  )
  return {
    append: (lines) => {
      for (const line of lines) insert.run({ ...line, jobId: line.jobId ?? null })
    },
    after: ({ by, id }, from, limit) => after[by].all(id, from, limit).map(toLine),
    newest: ({ by, id }, limit) => newest[by].all(id, 0, limit).reverse().map(toLine),
    lastId: () => last.get()?.id ?? 0,
    trim: (before, limit) => trim.run(before, limit).changes,
    olderThan(at) {
      const lines = older.get(at)?.lines ?? 0
      return { lines, bytes: Math.round(lines * (LINE_OVERHEAD + (meanBytes.get(at)?.bytes ?? 0))) }
    },
    trimWorker: (workerId, keep) => void trimWorker.run({ workerId, keep }),
  }
}

function toLine({ jobId, ...row }: Row): LogLine {
  return jobId === null ? row : { ...row, jobId }
}

import type { Database } from 'better-sqlite3'
import type { LogLine } from '../../../contract/management.ts'
import { queriesOf } from '../../../database/queries.ts'

export type NewLogLine = Omit<LogLine, 'id'>

export type LogScope = { readonly by: 'endpoint' | 'worker' | 'job'; readonly id: string }

const COLUMNS = `id, at, endpoint_id AS endpointId, worker_id AS workerId, job_id AS jobId, level, line`
// Ids, names and indexes of a line, bytes; source: ours, four indexes of about 30 bytes each.
const LINE_OVERHEAD = 150

type Row = Omit<LogLine, 'jobId'> & { jobId: string | null }

export function createLogStore(db: Database) {
  const query = queriesOf(db)
  const insert = query<[object]>(`
    INSERT INTO log_lines (at, endpoint_id, worker_id, job_id, level, line)
    VALUES (@at, @endpointId, @workerId, @jobId, @level, @line)`).run()
  const older = query<[at: number], number>(`SELECT COUNT(*) FROM log_lines WHERE at < ?`).value(0)
  // A sample, since a full sum would read the whole table.
  const meanBytes = query<[at: number], number>(`
    SELECT COALESCE(AVG(LENGTH(line)), 0)
    FROM (SELECT line FROM log_lines WHERE at < ? ORDER BY at DESC LIMIT 1000)`).value(0)
  const inOrder = (order: 'ASC' | 'DESC') => {
    const of = (column: string) =>
      query<[id: string, after: number, limit: number], Row>(`
        SELECT ${COLUMNS} FROM log_lines WHERE ${column} = ? AND id > ? ORDER BY id ${order} LIMIT ?`).all(toLine)
    return { endpoint: of('endpoint_id'), worker: of('worker_id'), job: of('job_id') }
  }
  const after = inOrder('ASC')
  const newest = inOrder('DESC')
  return {
    append(lines: readonly NewLogLine[]) {
      for (const line of lines) insert({ ...line, jobId: line.jobId })
    },
    after: ({ by, id }: LogScope, from: number, limit: number) => after[by](id, from, limit),
    newest: ({ by, id }: LogScope, limit: number) => newest[by](id, 0, limit).toReversed(),
    lastId: query<[], number>(`SELECT COALESCE(MAX(id), 0) FROM log_lines`).value(0),
    trim: query<[before: number, limit: number]>(`
      DELETE FROM log_lines WHERE id IN (SELECT id FROM log_lines WHERE at < ? ORDER BY at LIMIT ?)`).changes(),
    /** How many lines are older than a time in wall ms, and about how much they take. */
    olderThan(at: number) {
      const lines = older(at)
      return { lines, bytes: Math.round(lines * (LINE_OVERHEAD + meanBytes(at))) }
    },
    trimWorker: query<[{ workerId: string; keep: number }]>(`
      DELETE FROM log_lines WHERE worker_id = @workerId AND id <= (
        SELECT id FROM log_lines WHERE worker_id = @workerId ORDER BY id DESC LIMIT 1 OFFSET @keep)`).run(),
  }
}

function toLine({ jobId, ...row }: Row): LogLine {
  return jobId === null ? row : { ...row, jobId }
}

import type { Database } from 'better-sqlite3'
import type { ProxiedRequest } from '../../contract/management.ts'
import { queriesOf, type RowOf, withoutNulls } from '../../database/queries.ts'

/** Filters requests by status range (from 0 it includes those without status) and older than `before`. */
type RequestQuery = {
  readonly endpointId: string
  readonly statusFrom: number
  readonly statusTo: number
  readonly before: number
  readonly limit: number
}

const COLUMNS = `
  id, at, endpoint_id AS endpointId, method, path, status, worker_id AS workerId, waited_ms AS waitedMs,
  first_byte_ms AS firstByteMs, duration_ms AS durationMs, bytes_in AS bytesIn, bytes_out AS bytesOut, error`

export function createRequestStore(db: Database) {
  const query = queriesOf(db)
  const insert = query<[object]>(`
    INSERT INTO requests (at, endpoint_id, method, path, status, worker_id, waited_ms, first_byte_ms, duration_ms,
      bytes_in, bytes_out, error)
    VALUES (@at, @endpointId, @method, @path, @status, @workerId, @waitedMs, @firstByteMs, @durationMs, @bytesIn,
      @bytesOut, @error)`).run()
  const none = { status: null, workerId: null, firstByteMs: null, error: null }
  return {
    append(requests: readonly Omit<ProxiedRequest, 'id'>[]) {
      for (const request of requests) insert({ ...none, ...request })
    },
    list: query<[RequestQuery], RowOf<ProxiedRequest>>(`
      SELECT ${COLUMNS} FROM requests
      WHERE endpoint_id = @endpointId AND id < @before AND COALESCE(status, 0) BETWEEN @statusFrom AND @statusTo
      ORDER BY id DESC LIMIT @limit`).all(withoutNulls<ProxiedRequest>),
    after: query<[endpointId: string, id: number, limit: number], RowOf<ProxiedRequest>>(`
      SELECT ${COLUMNS} FROM requests WHERE endpoint_id = ? AND id > ?
      ORDER BY id LIMIT ?`).all(withoutNulls<ProxiedRequest>),
    lastId: query<[], number>(`SELECT COALESCE(MAX(id), 0) FROM requests`).value(0),
    trim: query<[before: number, limit: number]>(`
      DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE at < ? ORDER BY at LIMIT ?)`).changes(),
    trimEndpoint: query<[{ endpointId: string; keep: number }]>(`
      DELETE FROM requests WHERE endpoint_id = @endpointId AND id <= (
        SELECT id FROM requests WHERE endpoint_id = @endpointId ORDER BY id DESC LIMIT 1 OFFSET @keep)`).run(),
  }
}

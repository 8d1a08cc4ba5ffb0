import type { Database } from 'better-sqlite3'
import type { ProxiedRequest } from '../contract/management.ts'
import type { RequestStore } from '../services/ports/worker-records.ts'

const COLUMNS = `
  id, at, endpoint_id AS endpointId, method, path, status, worker_id AS workerId, waited_ms AS waitedMs,
  first_byte_ms AS firstByteMs, duration_ms AS durationMs, bytes_in AS bytesIn, bytes_out AS bytesOut, error`
const INSERT = `
  INSERT INTO requests (at, endpoint_id, method, path, status, worker_id, waited_ms, first_byte_ms, duration_ms,
    bytes_in, bytes_out, error)
  VALUES (@at, @endpointId, @method, @path, @status, @workerId, @waitedMs, @firstByteMs, @durationMs, @bytesIn,
    @bytesOut, @error)`
// An endpoint has a bounded number of them, so the status is looked at row by row.
const LIST = `
  SELECT ${COLUMNS} FROM requests
  WHERE endpoint_id = @endpointId AND id < @before AND COALESCE(status, 0) BETWEEN @statusFrom AND @statusTo
  ORDER BY id DESC LIMIT @limit`
const AFTER = `SELECT ${COLUMNS} FROM requests WHERE endpoint_id = ? AND id > ? ORDER BY id LIMIT ?`
const LAST = `SELECT COALESCE(MAX(id), 0) AS id FROM requests`
const TRIM = `DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE at < ? ORDER BY at LIMIT ?)`
const TRIM_ENDPOINT = `
  DELETE FROM requests WHERE endpoint_id = @endpointId AND id <= (
    SELECT id FROM requests WHERE endpoint_id = @endpointId ORDER BY id DESC LIMIT 1 OFFSET @keep)`

type Row = { [Name in keyof ProxiedRequest]-?: NonNullable<ProxiedRequest[Name]> | null }

/** Makes the store of requests to load-balanced endpoints. */
export function createRequestStore(db: Database): RequestStore {
  const insert = db.prepare(INSERT)
  const list = db.prepare<[object], Row>(LIST)
  const after = db.prepare<[string, number, number], Row>(AFTER)
  const last = db.prepare<[], { id: number }>(LAST)
  const trim = db.prepare(TRIM)
  const trimEndpoint = db.prepare(TRIM_ENDPOINT)
  const none = { status: null, workerId: null, firstByteMs: null, error: null }
  return {
    append: (requests) => {
      for (const request of requests) insert.run({ ...none, ...request })
    },
    list: (query) => list.all(query).map(toRequest),
    after: (endpointId, id, limit) => after.all(endpointId, id, limit).map(toRequest),
    lastId: () => last.get()?.id ?? 0,
    trim: (before, limit) => trim.run(before, limit).changes,
    trimEndpoint: (endpointId, keep) => void trimEndpoint.run({ endpointId, keep }),
  }
}

function toRequest(row: Row): ProxiedRequest {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as ProxiedRequest
}

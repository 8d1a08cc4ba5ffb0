import type { Database } from 'better-sqlite3'
import type { SavedRequest } from '../contract/requests.ts'
import type { SavedRequestStore } from '../services/ports/requests.ts'

const COLUMNS = `id, name, request, updated_at AS updatedAt`
const LIST = `SELECT ${COLUMNS} FROM saved_requests WHERE endpoint_id = ? ORDER BY name`
const GET = `SELECT ${COLUMNS} FROM saved_requests WHERE id = @id AND endpoint_id = @endpointId`
const NAMED = `SELECT ${COLUMNS} FROM saved_requests WHERE endpoint_id = ? AND name = ?`
const SIZE = `
  SELECT COUNT(*) AS count, COALESCE(SUM(OCTET_LENGTH(request)), 0) AS bytes FROM saved_requests WHERE endpoint_id = ?`
const SAVE = `
  INSERT INTO saved_requests (id, endpoint_id, name, request, updated_at)
  VALUES (@id, @endpointId, @name, @request, @updatedAt)
  ON CONFLICT (id) DO UPDATE SET name = excluded.name, request = excluded.request, updated_at = excluded.updated_at`
const REMOVE = `DELETE FROM saved_requests WHERE id = @id AND endpoint_id = @endpointId`

type Row = Omit<SavedRequest, 'request'> & { readonly request: string }

/** Makes the store of saved requests. */
export function createSavedRequestStore(db: Database): SavedRequestStore {
  const list = db.prepare<[string], Row>(LIST)
  const get = db.prepare<[object], Row>(GET)
  const named = db.prepare<[string, string], Row>(NAMED)
  const size = db.prepare<[string], { readonly count: number; readonly bytes: number }>(SIZE)
  const save = db.prepare(SAVE)
  const remove = db.prepare(REMOVE)
  return {
    list: (endpointId) => list.all(endpointId).map(toRequest),
    get: (endpointId, id) => mapped(get.get({ endpointId, id })),
    named: (endpointId, name) => mapped(named.get(endpointId, name)),
    size: (endpointId) => size.get(endpointId) ?? { count: 0, bytes: 0 },
    save: (endpointId, { request, ...rest }) =>
      void save.run({ ...rest, endpointId, request: JSON.stringify(request) }),
    remove: (endpointId, id) => remove.run({ endpointId, id }).changes > 0,
  }
}

const mapped = (row: Row | undefined) => (row === undefined ? undefined : toRequest(row))

function toRequest(row: Row): SavedRequest {
  return { ...row, request: JSON.parse(row.request) }
}

import type { Database } from 'better-sqlite3'
import type { SavedRequest } from '../../../contract/requests.ts'
import { queriesOf } from '../../../database/queries.ts'

const COLUMNS = `id, name, request, updated_at AS updatedAt`

type Row = Omit<SavedRequest, 'request'> & { readonly request: string }

export function createSavedRequestStore(db: Database) {
  const query = queriesOf(db)
  const size = query<[endpointId: string], { readonly count: number; readonly bytes: number }>(`
    SELECT COUNT(*) AS count, COALESCE(SUM(OCTET_LENGTH(request)), 0) AS bytes
    FROM saved_requests WHERE endpoint_id = ?`).one()
  const save = query<[Row & { readonly endpointId: string }]>(`
    INSERT INTO saved_requests (id, endpoint_id, name, request, updated_at)
    VALUES (@id, @endpointId, @name, @request, @updatedAt)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, request = excluded.request,
      updated_at = excluded.updated_at`).run()
  return {
    list: query<[endpointId: string], Row>(`
      SELECT ${COLUMNS} FROM saved_requests WHERE endpoint_id = ? ORDER BY name`).all(toRequest),
    get: query<[endpointId: string, id: string], Row>(`
      SELECT ${COLUMNS} FROM saved_requests WHERE endpoint_id = ? AND id = ?`).one(toRequest),
    named: query<[endpointId: string, name: string], Row>(`
      SELECT ${COLUMNS} FROM saved_requests WHERE endpoint_id = ? AND name = ?`).one(toRequest),
    size: (endpointId: string) => size(endpointId) ?? { count: 0, bytes: 0 },
    save: (endpointId: string, { request, ...rest }: SavedRequest) =>
      save({ ...rest, endpointId, request: JSON.stringify(request) }),
    remove: query<[endpointId: string, id: string]>(`
      DELETE FROM saved_requests WHERE endpoint_id = ? AND id = ?`).changed(),
  }
}

function toRequest(row: Row): SavedRequest {
  return { ...row, request: JSON.parse(row.request) }
}

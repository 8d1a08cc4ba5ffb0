import type { Database } from 'better-sqlite3'
import { queriesOf } from '../../../database/queries.ts'

export type UserFile = {
  readonly path: string
  readonly bytes: number
  readonly createdAt: number
  readonly modifiedAt: number
}

export function createComfyuiUserFileStore(db: Database) {
  const query = queriesOf(db)
  const columns = `path, length(content) AS bytes, created_at AS createdAt, modified_at AS modifiedAt`
  return {
    list: query<[endpointId: string], UserFile>(`
      SELECT ${columns} FROM comfyui_user_files WHERE endpoint_id = ? ORDER BY path`).all(),
    get: query<[endpointId: string, path: string], UserFile>(`
      SELECT ${columns} FROM comfyui_user_files WHERE endpoint_id = ? AND path = ?`).one(),
    content: query<[endpointId: string, path: string], Buffer<ArrayBuffer>>(`
      SELECT content FROM comfyui_user_files WHERE endpoint_id = ? AND path = ?`).value(),
    totalBytes: query<[endpointId: string], number>(`
      SELECT SUM(length(content)) FROM comfyui_user_files WHERE endpoint_id = ?`).value(0),
    save: query<[{ endpointId: string; path: string; content: Uint8Array; now: number }]>(`
      INSERT INTO comfyui_user_files (endpoint_id, path, content, created_at, modified_at)
      VALUES (@endpointId, @path, @content, @now, @now)
      ON CONFLICT (endpoint_id, path) DO UPDATE SET content = excluded.content, modified_at = excluded.modified_at`).run(),
    move: query<[{ endpointId: string; from: string; to: string }]>(`
      UPDATE OR REPLACE comfyui_user_files SET path = @to WHERE endpoint_id = @endpointId AND path = @from`).changed(),
    remove: query<[endpointId: string, path: string]>(`
      DELETE FROM comfyui_user_files WHERE endpoint_id = ? AND path = ?`).changed(),
  }
}

import type { Database } from 'better-sqlite3'
import { queriesOf } from '../../../database/queries.ts'

type ComfyAsset = {
  readonly id: string
  readonly endpointId: string
  readonly asset: string
  readonly blake3: string
  /** The name by which graphs load it. */
  readonly name: string
  readonly filePath: string | null
  readonly contentType: string
  readonly createdAt: number
  readonly expiresAt: number | null
}

export function createComfyAssetStore(db: Database) {
  const query = queriesOf(db)
  const columns = `
    id, endpoint_id AS endpointId, asset, blake3, name, file_path AS filePath, content_type AS contentType,
    created_at AS createdAt, expires_at AS expiresAt`
  const isThere = `endpoint_id = @endpointId AND COALESCE(expires_at, @now + 1) > @now`
  return {
    get: query<[{ endpointId: string; id: string; now: number }], ComfyAsset>(`
      SELECT ${columns} FROM comfyui_assets WHERE id = @id AND ${isThere}`).one(),
    byHash: query<[{ endpointId: string; blake3: string; now: number }], ComfyAsset>(`
      SELECT ${columns} FROM comfyui_assets WHERE blake3 = @blake3 AND ${isThere}
      ORDER BY created_at DESC LIMIT 1`).one(),
    insert: query<[ComfyAsset]>(`
      INSERT INTO comfyui_assets (id, endpoint_id, asset, blake3, name, file_path, content_type, created_at, expires_at)
      VALUES (@id, @endpointId, @asset, @blake3, @name, @filePath, @contentType, @createdAt, @expiresAt)`).run(),
    remove: query<[endpointId: string, id: string]>(`
      DELETE FROM comfyui_assets WHERE endpoint_id = ? AND id = ?`).changed(),
    trim: query<[{ endpointId: string; blake3: string; most: number }]>(`
      DELETE FROM comfyui_assets WHERE id IN (
        SELECT id FROM comfyui_assets WHERE endpoint_id = @endpointId AND blake3 = @blake3
        ORDER BY created_at DESC LIMIT -1 OFFSET @most)`).run(),
    removeExpired: query<[now: number]>(`DELETE FROM comfyui_assets WHERE expires_at <= ?`).run(),
  }
}

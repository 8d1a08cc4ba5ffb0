import type { Database } from 'better-sqlite3'
import type { NodeTypesResponse } from '../../../contract/workflows.ts'
import { queriesOf, type RowOf, withoutNulls } from '../../../database/queries.ts'

export type StoredNodeTypes = NodeTypesResponse & { readonly source: 'server' | 'file'; readonly readAt: number }

export type NodeTypesOrigin = Pick<StoredNodeTypes, 'source' | 'server' | 'readAt'>

export function createNodeTypeStore(db: Database) {
  const query = queriesOf(db)
  const save = query<[object]>(`
    INSERT INTO node_types (endpoint_id, source, server, version, read_at, text)
    VALUES (@endpointId, @source, @server, @version, @readAt, @text)
    ON CONFLICT (endpoint_id) DO UPDATE SET source = excluded.source, server = excluded.server,
      version = excluded.version, read_at = excluded.read_at, text = excluded.text`).run()
  return {
    get: query<[endpointId: string], RowOf<StoredNodeTypes>>(`
      SELECT source, read_at AS readAt, text, server, version FROM node_types
      WHERE endpoint_id = ?`).one(withoutNulls<StoredNodeTypes>),
    origin: query<[endpointId: string], RowOf<NodeTypesOrigin>>(`
      SELECT source, read_at AS readAt, server FROM node_types
      WHERE endpoint_id = ?`).one(withoutNulls<NodeTypesOrigin>),
    save: (endpointId: string, { server, version, ...types }: StoredNodeTypes) =>
      save({ ...types, endpointId, server, version }),
    remove: query<[endpointId: string]>(`DELETE FROM node_types WHERE endpoint_id = ?`).run(),
  }
}

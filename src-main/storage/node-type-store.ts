import type { Database } from 'better-sqlite3'
import type { NodeTypeStore, StoredNodeTypes } from '../services/ports/workflows.ts'

const GET = `SELECT source, server, version, read_at AS readAt, text FROM node_types WHERE endpoint_id = ?`
const ORIGIN = `SELECT source, server, read_at AS readAt FROM node_types WHERE endpoint_id = ?`
const SAVE = `
  INSERT INTO node_types (endpoint_id, source, server, version, read_at, text)
  VALUES (@endpointId, @source, @server, @version, @readAt, @text)
  ON CONFLICT (endpoint_id) DO UPDATE SET source = excluded.source, server = excluded.server,
    version = excluded.version, read_at = excluded.read_at, text = excluded.text`
const REMOVE = `DELETE FROM node_types WHERE endpoint_id = ?`

type Row = Omit<StoredNodeTypes, 'server' | 'version'> & {
  readonly server: string | null
  readonly version: string | null
}

/** Makes the store of classes of nodes that were read for endpoints. */
export function createNodeTypeStore(db: Database): NodeTypeStore {
  const get = db.prepare<[string], Row>(GET)
  const origin = db.prepare<[string], Pick<Row, 'source' | 'server' | 'readAt'>>(ORIGIN)
  const save = db.prepare(SAVE)
  const remove = db.prepare(REMOVE)
  return {
    get(endpointId) {
      const row = get.get(endpointId)
      if (row === undefined) return undefined
      const { server, version, ...types } = row
      return { ...types, ...(server === null ? {} : { server }), ...(version === null ? {} : { version }) }
    },
    origin(endpointId) {
      const row = origin.get(endpointId)
      if (row === undefined) return undefined
      const { server, ...rest } = row
      return { ...rest, ...(server === null ? {} : { server }) }
    },
    save: (endpointId, { server = null, version = null, ...types }) =>
      void save.run({ ...types, endpointId, server, version }),
    remove: (endpointId) => void remove.run(endpointId),
  }
}

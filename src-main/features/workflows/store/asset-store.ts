import type { Database } from 'better-sqlite3'
import type { AssetView } from '../../../contract/workflows.ts'
import { queriesOf } from '../../../database/queries.ts'

export type Asset = Omit<AssetView, 'name'>

const COLUMNS = `id, bytes, media_type AS mediaType, width, height, created_at AS createdAt`
const NAMED = `SELECT n.name, ${COLUMNS} FROM asset_names n JOIN assets ON id = n.asset`

type Row = Omit<Asset, 'width' | 'height'> & { readonly width: number | null; readonly height: number | null }
type NamedRow = Row & { readonly name: string }

export function createAssetStore(db: Database) {
  const query = queriesOf(db)
  const save = query<[object]>(`
    INSERT INTO assets (id, bytes, media_type, width, height, created_at, used_at)
    VALUES (@id, @bytes, @mediaType, @width, @height, @createdAt, @createdAt)
    ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at`).run()
  const fileOf = query<[name: string], string>(`SELECT asset FROM asset_names WHERE name = ? LIMIT 1`).value()
  const giveName = query<[{ name: string; id: string; now: number; endpointId: string }]>(`
    INSERT INTO asset_names (name, endpoint_id, asset, named_at) VALUES (@name, @endpointId, @id, @now)
    ON CONFLICT DO NOTHING`).run()
  const allNamed = query<[limit: number], NamedRow>(`${NAMED} ORDER BY n.named_at DESC, n.name DESC LIMIT ?`).all(
    namedOf,
  )
  const remove = query<[ids: string]>(`DELETE FROM assets WHERE id IN (SELECT value FROM json_each(?))`).run()
  return {
    get: query<[id: string], Row>(`SELECT ${COLUMNS} FROM assets WHERE id = ?`).one(assetOf),
    save: ({ width, height, ...asset }: Asset) => save({ ...asset, width, height }),
    named: query<[name: string], NamedRow>(`${NAMED} WHERE n.name = ? LIMIT 1`).one(namedOf),
    namedAt: query<[name: string, endpointId: string], NamedRow>(`
      ${NAMED} WHERE n.name = ? AND n.endpoint_id IN ('', ?) LIMIT 1`).one(namedOf),
    allNamed: (limit: number) => [...new Map(allNamed(limit).map((asset) => [asset.name, asset])).values()],
    /** @param endpointId whose ComfyUI clients see the name; empty: those of all @returns false if another file has it */
    giveName(name: string, id: string, { now, endpointId }: { readonly now: number; readonly endpointId: string }) {
      if ((fileOf(name) ?? id) !== id) return false
      giveName({ name, id, now, endpointId })
      return true
    },
    totalBytes: query<[], number>(`SELECT bytes FROM assets_total`).value(0),
    // Files of published graphs are collected once: a search of each graph for each name takes minutes. SQLite cannot
    // read graphs with a bare NaN, but they are few.
    unused: query<[{ before: number; limit: number }], Pick<Asset, 'id' | 'bytes'>>(`
      WITH loaded AS MATERIALIZED (
        SELECT REPLACE(REPLACE(REPLACE(part.atom, ' [input]', ''), ' [output]', ''), ' [temp]', '') AS name
        FROM graph_versions AS graph,
          json_tree(CASE WHEN json_valid(graph.payload) THEN graph.payload ELSE '{}' END) AS part
        WHERE part.type = 'text'),
      odd AS MATERIALIZED (SELECT payload FROM graph_versions WHERE NOT json_valid(payload))
      SELECT id, bytes FROM assets
      WHERE used_at < @before
        AND id NOT IN (SELECT thumbnail FROM workflows WHERE thumbnail IS NOT NULL)
        AND id NOT IN (SELECT result.value ->> 'asset' FROM workflow_runs, json_each(results) AS result)
        AND id NOT IN (SELECT preview.value ->> 'asset' FROM workflow_runs, json_each(previews) AS preview)
        AND id NOT IN (
          SELECT asset FROM asset_names WHERE name IN (
            SELECT file.value FROM workflow_texts, json_each(workflow_texts.files) AS file
            UNION SELECT file.value FROM workflow_runs, json_each(workflow_runs.files) AS file
            UNION SELECT name FROM loaded)
            OR EXISTS (SELECT 1 FROM odd WHERE INSTR(odd.payload, asset_names.name) > 0))
      ORDER BY used_at, id LIMIT @limit`).all(),
    remove: (ids: readonly string[]) => remove(JSON.stringify(ids)),
  }
}

function assetOf({ width, height, ...row }: Row): Asset {
  return { ...row, ...(width === null || height === null ? {} : { width, height }) }
}

const namedOf = ({ name, ...row }: NamedRow): AssetView => ({ ...assetOf(row), name })

import type { Database } from 'better-sqlite3'
import type { AssetView } from '../contract/workflows.ts'
import type { Asset, AssetStore } from '../services/ports/workflows.ts'

const COLUMNS = `id, bytes, media_type AS mediaType, width, height, created_at AS createdAt`
const GET = `SELECT ${COLUMNS} FROM assets WHERE id = ?`
const SAVE = `
  INSERT INTO assets (id, bytes, media_type, width, height, created_at, used_at)
  VALUES (@id, @bytes, @mediaType, @width, @height, @createdAt, @createdAt)
  ON CONFLICT (id) DO UPDATE SET used_at = excluded.used_at`
const NAMED = `SELECT n.name, ${COLUMNS} FROM asset_names n JOIN assets ON id = n.asset WHERE n.name = ?`
const ALL_NAMED = `
  SELECT n.name, ${COLUMNS} FROM asset_names n JOIN assets ON id = n.asset ORDER BY n.named_at DESC, n.name DESC LIMIT ?`
// A name that is there stays with its file; the second statement tells whose it is.
const NAME = `INSERT INTO asset_names (name, asset, named_at) VALUES (@name, @id, @now) ON CONFLICT (name) DO NOTHING`
const WHOSE = `SELECT asset FROM asset_names WHERE name = ?`
const TOTAL = `SELECT bytes FROM assets_total`
// What a thumbnail, a workflow or a run refers to stays. Asked where the store is full, so it may read whole tables.
// What published graphs load is put together once: to look for each name in each of them would take minutes. Texts that
// are no JSON to SQLite, with a bare NaN in them, are few.
const UNUSED = `
  WITH loaded AS MATERIALIZED (
    SELECT REPLACE(REPLACE(REPLACE(part.atom, ' [input]', ''), ' [output]', ''), ' [temp]', '') AS name
    FROM graph_versions AS graph, json_tree(CASE WHEN json_valid(graph.payload) THEN graph.payload ELSE '{}' END) AS part
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
  ORDER BY used_at, id LIMIT @limit`
const REMOVE = `DELETE FROM assets WHERE id IN (SELECT value FROM json_each(?))`

type Row = Omit<Asset, 'width' | 'height'> & { readonly width: number | null; readonly height: number | null }
type NamedRow = Row & { readonly name: string }

/** Makes the store of the records of assets. */
export function createAssetStore(db: Database): AssetStore {
  const get = db.prepare<[string], Row>(GET)
  const save = db.prepare(SAVE)
  const named = db.prepare<[string], NamedRow>(NAMED)
  const allNamed = db.prepare<[number], NamedRow>(ALL_NAMED)
  const name = db.prepare(NAME)
  const whose = db.prepare<[string], { readonly asset: string }>(WHOSE)
  const total = db.prepare<[], { readonly bytes: number }>(TOTAL)
  const unused = db.prepare<[object], Pick<Asset, 'id' | 'bytes'>>(UNUSED)
  const remove = db.prepare(REMOVE)
  return {
    get(id) {
      const row = get.get(id)
      return row && assetOf(row)
    },
    save: ({ width = null, height = null, ...asset }) => void save.run({ ...asset, width, height }),
    named(wanted) {
      const row = named.get(wanted)
      return row && namedOf(row)
    },
    allNamed: (limit) => allNamed.all(limit).map(namedOf),
    giveName: (wanted, id, now) => name.run({ name: wanted, id, now }).changes > 0 || whose.get(wanted)?.asset === id,
    totalBytes: () => total.get()?.bytes ?? 0,
    unused: (before, limit) => unused.all({ before, limit }),
    remove: (ids) => void remove.run(JSON.stringify(ids)),
  }
}

function assetOf({ width, height, ...row }: Row): Asset {
  return { ...row, ...(width === null || height === null ? {} : { width, height }) }
}

const namedOf = ({ name, ...row }: NamedRow): AssetView => ({ ...assetOf(row), name })

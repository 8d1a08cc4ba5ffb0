import type { Database } from 'better-sqlite3'
import { DOWNLOAD_TRANSITIONS } from '../domain/models/download-transitions.ts'
import type { ModelDownloadStore, StoredDownload } from '../services/ports/models.ts'

const COLUMNS = `id, url, folder, directory, name, state, reason, total_bytes AS totalBytes,
  received_bytes AS receivedBytes, validator, expected, sha256, created_at AS createdAt, ended_at AS endedAt`
const LIST = `SELECT ${COLUMNS} FROM model_downloads ORDER BY seq DESC LIMIT ?`
const GET = `SELECT ${COLUMNS} FROM model_downloads WHERE id = ?`
const UNDER_WAY = `SELECT ${COLUMNS} FROM model_downloads WHERE state IN ('waiting', 'running') ORDER BY seq`
const INSERT = `
  INSERT INTO model_downloads (id, url, folder, directory, name, state, expected, created_at)
  VALUES (@id, @url, @folder, @directory, @name, @state, @expected, @createdAt)`
const MOVE = `
  UPDATE model_downloads SET state = @to, reason = @reason, sha256 = COALESCE(@sha256, sha256), ended_at = @endedAt,
    received_bytes = COALESCE(@receivedBytes, received_bytes)
  WHERE id = @id AND state IN (SELECT value FROM json_each(@from))
  RETURNING ${COLUMNS}`
const LEARN = `
  UPDATE model_downloads SET total_bytes = @totalBytes, validator = @validator, expected = COALESCE(expected, @expected)
  WHERE id = @id AND state = 'running'`
const REMOVE = `DELETE FROM model_downloads WHERE id = ? AND state NOT IN ('waiting', 'running')`
// The newest last, so that it is the one which stays in the map.
const CHECKSUMS = `
  SELECT folder, directory, name, sha256 FROM model_downloads
  WHERE state = 'done' AND sha256 IS NOT NULL ORDER BY seq`
const TRIM = `
  DELETE FROM model_downloads WHERE state NOT IN ('waiting', 'running') AND seq <= (
    SELECT seq FROM model_downloads ORDER BY seq DESC LIMIT 1 OFFSET @keep)`

type Row = { readonly [Key in keyof StoredDownload]: Exclude<StoredDownload[Key], undefined> | null }
type DownloadRow = {
  readonly folder: string
  readonly directory: string
  readonly name: string
  readonly sha256: string
}

/** Makes the store of downloads of models. */
export function createModelDownloadStore(db: Database): ModelDownloadStore {
  const list = db.prepare<[number], Row>(LIST)
  const get = db.prepare<[string], Row>(GET)
  const underWay = db.prepare<[], Row>(UNDER_WAY)
  const insert = db.prepare(INSERT)
  const move = db.prepare<[object], Row>(MOVE)
  const learn = db.prepare(LEARN)
  const remove = db.prepare(REMOVE)
  const checksums = db.prepare<[], DownloadRow>(CHECKSUMS)
  const trim = db.prepare(TRIM)
  return {
    list: (limit) => list.all(limit).map(toDownload),
    get: (id) => optional(get.get(id)),
    underWay: () => underWay.all().map(toDownload),
    insert: (download) => void insert.run({ ...download, expected: download.expected ?? null }),
    move(id, event, { reason, sha256, endedAt, receivedBytes }) {
      const { from, to } = DOWNLOAD_TRANSITIONS[event]
      const fields = {
        reason: reason ?? null,
        sha256: sha256 ?? null,
        endedAt: endedAt ?? null,
        receivedBytes: receivedBytes ?? null,
      }
      return optional(move.get({ id, from: JSON.stringify(from), to, ...fields }))
    },
    learn: (id, { totalBytes, validator, expected }) =>
      void learn.run({ id, totalBytes: totalBytes ?? null, validator: validator ?? null, expected: expected ?? null }),
    remove: (id) => remove.run(id).changes > 0,
    checksums: () =>
      new Map(
        checksums.all().map(({ folder, directory, name, sha256 }) => [`${folder}\n${directory}\n${name}`, sha256]),
      ),
    trim: (keep) => void trim.run({ keep }),
  }
}

const optional = (row: Row | undefined) => (row === undefined ? undefined : toDownload(row))

function toDownload(row: Row): StoredDownload {
  const { totalBytes, sha256, endedAt, reason, validator, expected, ...rest } = row
  return {
    ...(rest as Pick<
      StoredDownload,
      'id' | 'url' | 'folder' | 'directory' | 'name' | 'state' | 'createdAt' | 'receivedBytes'
    >),
    ...(totalBytes === null ? {} : { totalBytes }),
    ...(sha256 === null ? {} : { sha256 }),
    ...(endedAt === null ? {} : { endedAt }),
    reason: reason ?? undefined,
    validator: validator ?? undefined,
    expected: expected ?? undefined,
  }
}

import type { Database } from 'better-sqlite3'
import type { ModelDownload } from '../../contract/models.ts'
import { queriesOf, type RowOf } from '../../database/queries.ts'
import { present } from '../../lib/json/plain.ts'
import { DOWNLOAD_TRANSITIONS, type DownloadEvent } from './rules/download-transitions.ts'

/** A stored download. `validator`: ETag or date used to request the rest. */
export type StoredDownload = Omit<ModelDownload, 'bytesPerSecond' | 'reason'> & {
  readonly reason: string | undefined
  readonly validator: string | undefined
  readonly expected: string | undefined
}

type DownloadChanges = {
  readonly reason?: string | undefined
  readonly sha256?: string | undefined
  readonly endedAt?: number | undefined
  readonly receivedBytes?: number | undefined
}

const COLUMNS = `id, url, folder, directory, name, state, reason, total_bytes AS totalBytes,
  received_bytes AS receivedBytes, validator, expected, sha256, created_at AS createdAt, ended_at AS endedAt`

type Row = RowOf<StoredDownload>
type Reported = {
  readonly totalBytes: number | undefined
  readonly validator: string | undefined
  readonly expected: string | undefined
}

export type ModelDownloadStore = ReturnType<typeof createModelDownloadStore>

export function createModelDownloadStore(db: Database) {
  const query = queriesOf(db)
  const move = query<[object], Row>(`
    UPDATE model_downloads SET state = @to, reason = @reason, sha256 = COALESCE(@sha256, sha256), ended_at = @endedAt,
      received_bytes = COALESCE(@receivedBytes, received_bytes)
    WHERE id = @id AND state IN (SELECT value FROM json_each(@from))
    RETURNING ${COLUMNS}`).one(toDownload)
  const learn = query<[Reported & { readonly id: string }]>(`
    UPDATE model_downloads
    SET total_bytes = @totalBytes, validator = @validator, expected = COALESCE(expected, @expected)
    WHERE id = @id AND state = 'running'`).run()
  const checksums = query<[], { readonly target: string; readonly sha256: string }>(`
    SELECT folder || char(10) || directory || char(10) || name AS target, sha256 FROM model_downloads
    WHERE state = 'done' AND sha256 IS NOT NULL ORDER BY seq`).all()
  return {
    list: query<[limit: number], Row>(`
      SELECT ${COLUMNS} FROM model_downloads ORDER BY seq DESC LIMIT ?`).all(toDownload),
    get: query<[id: string], Row>(`SELECT ${COLUMNS} FROM model_downloads WHERE id = ?`).one(toDownload),
    underWay: query<[], Row>(`
      SELECT ${COLUMNS} FROM model_downloads WHERE state IN ('waiting', 'running') ORDER BY seq`).all(toDownload),
    insert: query<[StoredDownload]>(`
      INSERT INTO model_downloads (id, url, folder, directory, name, state, expected, created_at)
      VALUES (@id, @url, @folder, @directory, @name, @state, @expected, @createdAt)`).run(),
    move(id: string, event: DownloadEvent, { reason, sha256, endedAt, receivedBytes }: DownloadChanges) {
      const { from, to } = DOWNLOAD_TRANSITIONS[event]
      return move({ id, from: JSON.stringify(from), to, reason, sha256, endedAt, receivedBytes })
    },
    learn: (id: string, reported: Reported) => learn({ id, ...reported }),
    remove: query<[id: string]>(`
      DELETE FROM model_downloads WHERE id = ? AND state NOT IN ('waiting', 'running')`).changed(),
    /** SHA-256 of the newest download to each target, keyed by folder, directory and name joined with line breaks. */
    checksums: () => new Map(checksums().map(({ target, sha256 }) => [target, sha256])),
    trim: query<[{ keep: number }]>(`
      DELETE FROM model_downloads WHERE state NOT IN ('waiting', 'running') AND seq <= (
        SELECT seq FROM model_downloads ORDER BY seq DESC LIMIT 1 OFFSET @keep)`).run(),
  }
}

function toDownload({ totalBytes, sha256, endedAt, reason, validator, expected, ...rest }: Row): StoredDownload {
  return {
    ...(rest as Pick<
      StoredDownload,
      'id' | 'url' | 'folder' | 'directory' | 'name' | 'state' | 'createdAt' | 'receivedBytes'
    >),
    ...present({ totalBytes, sha256, endedAt }),
    reason: reason ?? undefined,
    validator: validator ?? undefined,
    expected: expected ?? undefined,
  }
}

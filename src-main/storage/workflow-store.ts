import type { Database } from 'better-sqlite3'
import type { WorkflowVersion, WorkflowView } from '../contract/workflows.ts'
import type { LibraryText } from '../domain/workflow-runs/library-text.ts'
import type { SeenWorkflow, WorkflowStore } from '../services/ports/workflows.ts'

const COLUMNS = `
  id, name, version, draft, nodes, thumbnail, created_at AS createdAt, updated_at AS updatedAt,
  thumbnail IS NOT NULL AND (thumbnail_version <> version OR thumbnail_draft <> draft) AS thumbnailOld`
const LIST = `
  SELECT ${COLUMNS}, (
    SELECT json_extract(r.results, '$[0].asset') FROM workflow_runs r
    WHERE r.workflow_id = workflows.id AND json_extract(r.results, '$[0].mediaType') LIKE 'image/%'
    ORDER BY r.seq DESC LIMIT 1
  ) AS result
  FROM workflows WHERE deleted_at IS NULL ORDER BY updated_at DESC, id DESC LIMIT ?`
const COUNT = `SELECT COUNT(*) AS count FROM workflows WHERE deleted_at IS NULL`
const GET = `SELECT ${COLUMNS} FROM workflows WHERE id = ? AND deleted_at IS NULL`
// The draft has the number 0, and the newest version has the highest.
const TEXT = `
  SELECT t.text FROM workflows w JOIN workflow_texts t ON t.workflow_id = w.id
  WHERE w.id = ? AND w.deleted_at IS NULL AND t.version = CASE w.draft WHEN 0 THEN w.version ELSE 0 END`
const VERSIONS = `
  SELECT version, saved_at AS savedAt, nodes FROM workflow_texts
  WHERE workflow_id = ? AND version > 0 ORDER BY version DESC`
const VERSION = `
  SELECT version, saved_at AS savedAt, nodes, text FROM workflow_texts
  WHERE workflow_id = @id AND version = @version AND version > 0`
const INSERT = `
  INSERT INTO workflows (id, name, version, draft, drafts, nodes, created_at, updated_at)
  VALUES (@id, @name, @version, @draft, @draft, @nodes, @now, @now) RETURNING ${COLUMNS}`
const WRITE_TEXT = `
  INSERT INTO workflow_texts (workflow_id, version, saved_at, nodes, files, text)
  VALUES (@id, @version, @now, @nodes, @files, @text)
  ON CONFLICT (workflow_id, version) DO UPDATE
    SET saved_at = excluded.saved_at, nodes = excluded.nodes, files = excluded.files, text = excluded.text`
const SEEN = `id = @id AND deleted_at IS NULL AND version = @version AND draft = @draft`
// A number is never given twice, so that a window which saw a draft that was dropped since does not take the next for
// it.
const SAVE_DRAFT = `
  UPDATE workflows SET draft = drafts + 1, drafts = drafts + 1, nodes = @nodes, updated_at = @now
  WHERE ${SEEN} RETURNING ${COLUMNS}`
const SAVE_VERSION = `
  UPDATE workflows SET version = version + 1, draft = 0, nodes = @nodes, updated_at = @now
  WHERE ${SEEN} RETURNING ${COLUMNS}`
const DROP_DRAFT = `
  UPDATE workflows SET draft = 0, updated_at = @now,
    nodes = (SELECT t.nodes FROM workflow_texts t WHERE t.workflow_id = workflows.id AND t.version = workflows.version)
  WHERE id = @id AND deleted_at IS NULL AND version > 0 RETURNING ${COLUMNS}`
const DELETE_DRAFT = `DELETE FROM workflow_texts WHERE workflow_id = ? AND version = 0`
const TRIM = `
  DELETE FROM workflow_texts WHERE workflow_id = @id AND version > 0
    AND version <= (SELECT version FROM workflows WHERE id = @id) - @keep`
const RENAME = `
  UPDATE workflows SET name = @name, updated_at = @now WHERE id = @id AND deleted_at IS NULL RETURNING ${COLUMNS}`
// A picture of it is no change of it: the list keeps its order.
const SET_THUMBNAIL = `
  UPDATE workflows SET thumbnail = @thumbnail, thumbnail_version = version, thumbnail_draft = draft
  WHERE id = @id AND deleted_at IS NULL RETURNING ${COLUMNS}`
const REMOVE = `
  UPDATE workflows SET deleted_at = @now WHERE id = @id AND deleted_at IS NULL RETURNING ${COLUMNS}`
const RESTORE = `UPDATE workflows SET deleted_at = NULL WHERE id = ? AND deleted_at IS NOT NULL RETURNING ${COLUMNS}`
const SWEEP = `DELETE FROM workflows WHERE deleted_at < ?`

type Row = Omit<WorkflowView, 'thumbnail' | 'thumbnailOld' | 'result'> & {
  readonly thumbnailOld: 0 | 1
  readonly thumbnail: string | null
  readonly result?: string | null
}
type TextRow = { readonly text: string }

/** Makes the store of the library. */
export function createWorkflowStore(db: Database): WorkflowStore {
  const list = db.prepare<[number], Row>(LIST)
  const count = db.prepare<[], { readonly count: number }>(COUNT)
  const get = db.prepare<[string], Row>(GET)
  const text = db.prepare<[string], TextRow>(TEXT)
  const versions = db.prepare<[string], WorkflowVersion>(VERSIONS)
  const version = db.prepare<[object], WorkflowVersion & TextRow>(VERSION)
  const insert = db.prepare<[object], Row>(INSERT)
  const writeText = db.prepare(WRITE_TEXT)
  const saveDraft = db.prepare<[object], Row>(SAVE_DRAFT)
  const saveVersion = db.prepare<[object], Row>(SAVE_VERSION)
  const dropDraft = db.prepare<[object], Row>(DROP_DRAFT)
  const deleteDraft = db.prepare(DELETE_DRAFT)
  const trim = db.prepare(TRIM)
  const rename = db.prepare<[object], Row>(RENAME)
  const setThumbnail = db.prepare<[object], Row>(SET_THUMBNAIL)
  const remove = db.prepare<[object], Row>(REMOVE)
  const restore = db.prepare<[string], Row>(RESTORE)
  const sweep = db.prepare(SWEEP)

  const write = (id: string, at: number, { text: written, nodes, files }: LibraryText, now: number) =>
    writeText.run({ id, version: at, now, nodes, files: JSON.stringify(files), text: written })

  return {
    list: (limit) => list.all(limit).map(viewOf),
    count: () => count.get()?.count ?? 0,
    get: (id) => mapped(get.get(id)),
    text: (id) => text.get(id)?.text,
    versions: (id) => versions.all(id),
    version: (id, wanted) => version.get({ id, version: wanted }),
    insert({ id, name, isDraft }, given, now) {
      const columns = isDraft ? { version: 0, draft: 1 } : { version: 1, draft: 0 }
      const row = insert.get({ id, name, ...columns, nodes: given.nodes, now }) as Row // an insert returns its row
      write(id, columns.version, given, now)
      return viewOf(row)
    },
    saveDraft(id, seen: SeenWorkflow, given, now) {
      const row = saveDraft.get({ ...seen, id, nodes: given.nodes, now })
      if (row !== undefined) write(id, 0, given, now)
      return mapped(row)
    },
    saveVersion(id, seen: SeenWorkflow, given, now) {
      const row = saveVersion.get({ ...seen, id, nodes: given.nodes, now })
      if (row === undefined) return undefined
      write(id, row.version, given, now)
      deleteDraft.run(id)
      return viewOf(row)
    },
    dropDraft(id, now) {
      const row = dropDraft.get({ id, now })
      if (row !== undefined) deleteDraft.run(id)
      return mapped(row)
    },
    trimVersions: (id, keep) => void trim.run({ id, keep }),
    update(id, { name, thumbnail }, now) {
      if (thumbnail !== undefined) setThumbnail.get({ id, thumbnail })
      return mapped(name === undefined ? get.get(id) : rename.get({ id, name, now }))
    },
    remove: (id, now) => mapped(remove.get({ id, now })),
    restore: (id) => mapped(restore.get(id)),
    sweep: (before) => sweep.run(before).changes > 0,
  }
}

const mapped = (row: Row | undefined) => (row === undefined ? undefined : viewOf(row))

function viewOf({ thumbnail, thumbnailOld, result = null, ...row }: Row): WorkflowView {
  return {
    ...row,
    ...(thumbnail === null ? {} : { thumbnail }),
    ...(thumbnailOld === 1 ? { thumbnailOld: true } : {}),
    ...(result === null ? {} : { result }),
  }
}

import type { Database } from 'better-sqlite3'
import type { WorkflowVersion, WorkflowView } from '../../../contract/workflows.ts'
import { queriesOf } from '../../../database/queries.ts'
import type { LibraryText } from '../rules/runs/library-text.ts'

export type SeenWorkflow = Pick<WorkflowView, 'version' | 'draft'>

type NewWorkflow = { readonly id: string; readonly name: string; readonly isDraft: boolean }

/** Changes of fields other than the text; undefined stays as it is. */
export type WorkflowChanges = { readonly name?: string | undefined; readonly thumbnail?: string | null | undefined }

const COLUMNS = `
  id, name, version, draft, nodes, thumbnail, created_at AS createdAt, updated_at AS updatedAt,
  thumbnail IS NOT NULL AND (thumbnail_version <> version OR thumbnail_draft <> draft) AS thumbnailOld`
const THERE = `id = @id AND deleted_at IS NULL`
const SEEN = `${THERE} AND version = @version AND draft = @draft`

type Row = Omit<WorkflowView, 'thumbnail' | 'thumbnailOld' | 'result'> & {
  readonly thumbnailOld: 0 | 1
  readonly thumbnail: string | null
  readonly result?: string | null
}
type Saved = SeenWorkflow & { readonly id: string; readonly nodes: number; readonly now: number }

export function createWorkflowStore(db: Database) {
  const query = queriesOf(db)
  const get = query<[id: string], Row>(`
    SELECT ${COLUMNS} FROM workflows WHERE id = ? AND deleted_at IS NULL`).one(viewOf)
  const insert = query<[object], Row>(`
    INSERT INTO workflows (id, name, version, draft, drafts, nodes, created_at, updated_at)
    VALUES (@id, @name, @version, @draft, @draft, @nodes, @now, @now) RETURNING ${COLUMNS}`).one(viewOf)
  const writeText = query<[object]>(`
    INSERT INTO workflow_texts (workflow_id, version, saved_at, nodes, files, text)
    VALUES (@id, @version, @now, @nodes, @files, CAST(@text AS TEXT))
    ON CONFLICT (workflow_id, version) DO UPDATE
      SET saved_at = excluded.saved_at, nodes = excluded.nodes, files = excluded.files, text = excluded.text`).run()
  // Numbers are never reused, so a window that saw a dropped draft does not mistake the next one for it.
  const saveDraft = query<[Saved], Row>(`
    UPDATE workflows SET draft = drafts + 1, drafts = drafts + 1, nodes = @nodes, updated_at = @now
    WHERE ${SEEN} RETURNING ${COLUMNS}`).one(viewOf)
  const saveVersion = query<[Saved], Row>(`
    UPDATE workflows SET version = version + 1, draft = 0, nodes = @nodes, updated_at = @now
    WHERE ${SEEN} RETURNING ${COLUMNS}`).one(viewOf)
  const dropDraft = query<[{ id: string; now: number }], Row>(`
    UPDATE workflows SET draft = 0, updated_at = @now,
      nodes = (SELECT t.nodes FROM workflow_texts t WHERE t.workflow_id = workflows.id AND t.version = workflows.version)
    WHERE ${THERE} AND version > 0 RETURNING ${COLUMNS}`).one(viewOf)
  const deleteDraft = query<[id: string]>(`DELETE FROM workflow_texts WHERE workflow_id = ? AND version = 0`).run()
  const rename = query<[{ id: string; name: string; now: number }], Row>(`
    UPDATE workflows SET name = @name, updated_at = @now WHERE ${THERE} RETURNING ${COLUMNS}`).one(viewOf)
  // A thumbnail is not a change, so the list keeps its order.
  const setThumbnail = query<[{ id: string; thumbnail: string | null }]>(`
    UPDATE workflows SET thumbnail = @thumbnail, thumbnail_version = version, thumbnail_draft = draft
    WHERE ${THERE}`).run()

  const write = (id: string, version: number, { text, nodes, files }: LibraryText, now: number) =>
    writeText({ id, version, now, nodes, files: JSON.stringify(files), text })

  return {
    list: query<[limit: number], Row>(`
      SELECT ${COLUMNS}, (
        SELECT json_extract(r.results, '$[0].asset') FROM workflow_runs r
        WHERE r.workflow_id = workflows.id AND json_extract(r.results, '$[0].mediaType') LIKE 'image/%'
        ORDER BY r.seq DESC LIMIT 1
      ) AS result
      FROM workflows WHERE deleted_at IS NULL ORDER BY updated_at DESC, id DESC LIMIT ?`).all(viewOf),
    count: query<[], number>(`SELECT COUNT(*) FROM workflows WHERE deleted_at IS NULL`).value(0),
    get,
    /** Text of the draft, else of the newest version: the draft has the number 0, the newest the highest. */
    text: query<[id: string], string>(`
      SELECT t.text FROM workflows w JOIN workflow_texts t ON t.workflow_id = w.id
      WHERE w.id = ? AND w.deleted_at IS NULL AND t.version = CASE w.draft WHEN 0 THEN w.version ELSE 0 END`).value(),
    versions: query<[id: string], WorkflowVersion>(`
      SELECT version, saved_at AS savedAt, nodes FROM workflow_texts
      WHERE workflow_id = ? AND version > 0 ORDER BY version DESC`).all(),
    version: query<[id: string, version: number], WorkflowVersion & { readonly text: string }>(`
      SELECT version, saved_at AS savedAt, nodes, text FROM workflow_texts
      WHERE workflow_id = ? AND version = ? AND version > 0`).one(),
    insert({ id, name, isDraft }: NewWorkflow, given: LibraryText, now: number) {
      const columns = isDraft ? { version: 0, draft: 1 } : { version: 1, draft: 0 }
      const view = insert({ id, name, ...columns, nodes: given.nodes, now }) as WorkflowView
      write(id, columns.version, given, now)
      return view
    },
    /** Undefined also where it is no longer as it was seen; so does `saveVersion`. */
    saveDraft(id: string, seen: SeenWorkflow, given: LibraryText, now: number) {
      const view = saveDraft({ ...seen, id, nodes: given.nodes, now })
      if (view !== undefined) write(id, 0, given, now)
      return view
    },
    saveVersion(id: string, seen: SeenWorkflow, given: LibraryText, now: number) {
      const view = saveVersion({ ...seen, id, nodes: given.nodes, now })
      if (view === undefined) return undefined
      write(id, view.version, given, now)
      deleteDraft(id)
      return view
    },
    dropDraft(id: string, now: number) {
      const view = dropDraft({ id, now })
      if (view !== undefined) deleteDraft(id)
      return view
    },
    trimVersions: query<[{ id: string; keep: number }]>(`
      DELETE FROM workflow_texts WHERE workflow_id = @id AND version > 0
        AND version <= (SELECT version FROM workflows WHERE id = @id) - @keep`).run(),
    update(id: string, { name, thumbnail }: WorkflowChanges, now: number) {
      if (thumbnail !== undefined) setThumbnail({ id, thumbnail })
      return name === undefined ? get(id) : rename({ id, name, now })
    },
    remove: query<[{ id: string; now: number }], Row>(`
      UPDATE workflows SET deleted_at = @now WHERE ${THERE} RETURNING ${COLUMNS}`).one(viewOf),
    restore: query<[id: string], Row>(`
      UPDATE workflows SET deleted_at = NULL WHERE id = ? AND deleted_at IS NOT NULL RETURNING ${COLUMNS}`).one(viewOf),
    sweep: query<[before: number]>(`DELETE FROM workflows WHERE deleted_at < ?`).changed(),
  }
}

function viewOf({ thumbnail, thumbnailOld, result = null, ...row }: Row): WorkflowView {
  return {
    ...row,
    ...(thumbnail === null ? {} : { thumbnail }),
    ...(thumbnailOld === 1 ? { thumbnailOld: true } : {}),
    ...(result === null ? {} : { result }),
  }
}

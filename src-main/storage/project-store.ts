import type { Database } from 'better-sqlite3'
import type { Project, ProjectStore } from '../services/ports/projects.ts'

type Row = { readonly id: string; readonly folder: string; readonly opened_at: number }

const ALL = `SELECT id, folder, opened_at FROM projects ORDER BY opened_at DESC, id DESC`
const GET = `SELECT id, folder, opened_at FROM projects WHERE id = ?`
// A folder that is known keeps its id: addresses of the pages hold it.
const OPEN = `
  INSERT INTO projects (id, folder, opened_at) VALUES (@id, @folder, @openedAt)
  ON CONFLICT (folder) DO UPDATE SET opened_at = excluded.opened_at
  RETURNING id, folder, opened_at`
const REMOVE = `DELETE FROM projects WHERE id = ?`

/** Makes the store of projects. */
export function createProjectStore(db: Database): ProjectStore {
  const all = db.prepare<[], Row>(ALL)
  const get = db.prepare<[string], Row>(GET)
  const open = db.prepare<[Project], Row>(OPEN)
  const remove = db.prepare<[string]>(REMOVE)
  return {
    all: () => all.all().map(projectOf),
    get(id) {
      const row = get.get(id)
      return row && projectOf(row)
    },
    open: (project) => projectOf(open.get(project) as Row), // an upsert always returns its row
    remove: (id) => void remove.run(id),
  }
}

function projectOf({ id, folder, opened_at }: Row): Project {
  return { id, folder, openedAt: opened_at }
}

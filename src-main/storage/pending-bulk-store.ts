import type { Database } from 'better-sqlite3'
import type { PendingBulk, PendingBulkStore } from '../services/ports/job-storage.ts'
import type { NamedJobs } from '../services/ports/storage.ts'

const COLUMNS = 'id, action, selection, state, created_at AS createdAt, due_at AS dueAt, result'
const LIST = `SELECT ${COLUMNS} FROM pending_bulk ORDER BY seq DESC`
const OPEN = `SELECT ${COLUMNS} FROM pending_bulk WHERE state IN ('waiting', 'running') ORDER BY seq`
const GET = `SELECT ${COLUMNS} FROM pending_bulk WHERE id = ?`
const INSERT = `
  INSERT INTO pending_bulk (id, action, selection, created_at, due_at)
  VALUES (@id, @action, @selection, @createdAt, @dueAt)`
const MOVE = `UPDATE pending_bulk SET state = @to WHERE id = @id AND state = 'waiting'`
const END = `UPDATE pending_bulk SET state = @state, result = @result WHERE id = @id AND state = 'running'`
const REMOVE_OLD = `
  DELETE FROM pending_bulk WHERE state NOT IN ('waiting', 'running')
  AND seq NOT IN (SELECT seq FROM pending_bulk ORDER BY seq DESC LIMIT ?)`

type Pending = PendingBulk<NamedJobs>
type Row = Omit<Pending, 'selection' | 'result'> & { readonly selection: string; readonly result: string | null }

/** Makes the store of bulk actions that can be undone. */
export function createPendingBulkStore(db: Database): PendingBulkStore<NamedJobs> {
  const list = db.prepare<[], Row>(LIST)
  const open = db.prepare<[], Row>(OPEN)
  const get = db.prepare<[string], Row>(GET)
  const insert = db.prepare<[object]>(INSERT)
  const move = db.prepare<[object]>(MOVE)
  const end = db.prepare<[object]>(END)
  const removeOld = db.prepare<[number]>(REMOVE_OLD)
  return {
    list: () => list.all().map(read),
    open: () => open.all().map(read),
    get(id) {
      const row = get.get(id)
      return row && read(row)
    },
    insert({ selection, ...pending }, keep) {
      insert.run({ ...pending, selection: JSON.stringify(selection) })
      removeOld.run(keep)
    },
    leaveWaiting: (id, to) => move.run({ id, to }).changes === 1,
    end: (id, state, result) =>
      void end.run({ id, state, result: result === undefined ? null : JSON.stringify(result) }),
  }
}

function read({ selection, result, ...row }: Row): Pending {
  return { ...row, selection: JSON.parse(selection), ...(result === null ? {} : { result: JSON.parse(result) }) }
}

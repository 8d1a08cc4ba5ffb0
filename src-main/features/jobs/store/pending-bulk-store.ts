import type { Database } from 'better-sqlite3'
import type { PendingBulkView } from '../../../contract/pending-bulk.ts'
import { queriesOf } from '../../../database/queries.ts'
import type { NamedJobs } from './job.ts'

export type PendingBulk<Selection> = PendingBulkView & { readonly selection: Selection }

const COLUMNS = 'id, action, selection, state, created_at AS createdAt, due_at AS dueAt, result'

type Pending = PendingBulk<NamedJobs>
type Row = Omit<Pending, 'selection' | 'result'> & { readonly selection: string; readonly result: string | null }

export function createPendingBulkStore(db: Database) {
  const query = queriesOf(db)
  const insert = query<[object]>(`
    INSERT INTO pending_bulk (id, action, selection, created_at, due_at)
    VALUES (@id, @action, @selection, @createdAt, @dueAt)`).run()
  const end = query<[object]>(`
    UPDATE pending_bulk SET state = @state, result = @result WHERE id = @id AND state = 'running'`).run()
  const removeOld = query<[keep: number]>(`
    DELETE FROM pending_bulk WHERE state NOT IN ('waiting', 'running')
    AND seq NOT IN (SELECT seq FROM pending_bulk ORDER BY seq DESC LIMIT ?)`).run()
  return {
    list: query<[], Row>(`SELECT ${COLUMNS} FROM pending_bulk ORDER BY seq DESC`).all(toPending),
    open: query<[], Row>(`
      SELECT ${COLUMNS} FROM pending_bulk WHERE state IN ('waiting', 'running') ORDER BY seq`).all(toPending),
    get: query<[id: string], Row>(`SELECT ${COLUMNS} FROM pending_bulk WHERE id = ?`).one(toPending),
    insert({ selection, ...pending }: Omit<Pending, 'state' | 'result'>, keep: number) {
      insert({ ...pending, selection: JSON.stringify(selection) })
      removeOld(keep)
    },
    leaveWaiting: query<[{ id: string; to: 'running' | 'undone' }]>(`
      UPDATE pending_bulk SET state = @to WHERE id = @id AND state = 'waiting'`).changed(),
    end: (id: string, state: 'done' | 'interrupted', result: PendingBulkView['result']) =>
      end({ id, state, result: JSON.stringify(result) }),
  }
}

function toPending({ selection, result, ...row }: Row): Pending {
  return { ...row, selection: JSON.parse(selection), ...(result === null ? {} : { result: JSON.parse(result) }) }
}

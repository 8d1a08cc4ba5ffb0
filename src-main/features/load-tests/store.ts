import type { Database } from 'better-sqlite3'
import type { LoadTest } from '../../contract/requests.ts'
import { queriesOf } from '../../database/queries.ts'

const COLUMNS = `id, endpoint_id AS endpointId, state, reason, plan, started_at AS startedAt, result`

type Row = Omit<LoadTest, 'plan' | 'result' | 'reason'> & {
  readonly plan: string
  readonly result: string
  readonly reason: string | null
}

export function createLoadTestStore(db: Database) {
  const query = queriesOf(db)
  const insert = query<[Row]>(`
    INSERT INTO load_tests (id, endpoint_id, state, reason, plan, started_at, result)
    VALUES (@id, @endpointId, @state, @reason, @plan, @startedAt, @result)`).run()
  const end = query<[Row]>(`
    UPDATE load_tests SET state = @state, reason = @reason, result = @result WHERE id = @id AND state = 'running'`).run()
  return {
    list: query<[endpointId: string, limit: number], Row>(`
      SELECT ${COLUMNS} FROM load_tests WHERE endpoint_id = ? ORDER BY seq DESC LIMIT ?`).all(toTest),
    get: query<[endpointId: string, id: string], Row>(`
      SELECT ${COLUMNS} FROM load_tests WHERE endpoint_id = ? AND id = ?`).one(toTest),
    insert: (test: LoadTest) => insert(toRow(test)),
    end: (test: LoadTest) => end(toRow(test)),
    endAll: query<[reason: string]>(`
      UPDATE load_tests SET state = 'stopped', reason = ? WHERE state = 'running'`).changes(),
    trim: query<[{ endpointId: string; keep: number }]>(`
      DELETE FROM load_tests WHERE endpoint_id = @endpointId AND seq <= (
        SELECT seq FROM load_tests WHERE endpoint_id = @endpointId ORDER BY seq DESC LIMIT 1 OFFSET @keep)`).run(),
  }
}

function toRow({ plan, result, reason, ...rest }: LoadTest): Row {
  return { ...rest, plan: JSON.stringify(plan), result: JSON.stringify(result), reason: reason ?? null }
}

function toTest({ reason, ...row }: Row): LoadTest {
  const why = reason === null ? {} : { reason }
  return { ...row, ...why, plan: JSON.parse(row.plan), result: JSON.parse(row.result) }
}

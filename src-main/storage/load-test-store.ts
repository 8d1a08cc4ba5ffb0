import type { Database } from 'better-sqlite3'
import type { LoadTest } from '../contract/requests.ts'
import type { LoadTestStore } from '../services/ports/requests.ts'

const COLUMNS = `id, endpoint_id AS endpointId, state, reason, plan, started_at AS startedAt, result`
const LIST = `SELECT ${COLUMNS} FROM load_tests WHERE endpoint_id = ? ORDER BY seq DESC LIMIT ?`
const GET = `SELECT ${COLUMNS} FROM load_tests WHERE id = @id AND endpoint_id = @endpointId`
const INSERT = `
  INSERT INTO load_tests (id, endpoint_id, state, reason, plan, started_at, result)
  VALUES (@id, @endpointId, @state, @reason, @plan, @startedAt, @result)`
const END = `UPDATE load_tests SET state = @state, reason = @reason, result = @result WHERE id = @id AND state = 'running'`
const END_ALL = `UPDATE load_tests SET state = 'stopped', reason = ? WHERE state = 'running'`
const TRIM = `
  DELETE FROM load_tests WHERE endpoint_id = @endpointId AND seq <= (
    SELECT seq FROM load_tests WHERE endpoint_id = @endpointId ORDER BY seq DESC LIMIT 1 OFFSET @keep)`

type Row = Omit<LoadTest, 'plan' | 'result' | 'reason'> & {
  readonly plan: string
  readonly result: string
  readonly reason: string | null
}

/** Makes the store of load tests. */
export function createLoadTestStore(db: Database): LoadTestStore {
  const list = db.prepare<[string, number], Row>(LIST)
  const get = db.prepare<[object], Row>(GET)
  const insert = db.prepare(INSERT)
  const end = db.prepare(END)
  const endAll = db.prepare(END_ALL)
  const trim = db.prepare(TRIM)
  return {
    list: (endpointId, limit) => list.all(endpointId, limit).map(toTest),
    get(endpointId, id) {
      const row = get.get({ endpointId, id })
      return row === undefined ? undefined : toTest(row)
    },
    insert: (test) => void insert.run(toRow(test)),
    end: (test) => void end.run(toRow(test)),
    endAll: (reason) => endAll.run(reason).changes,
    trim: (endpointId, keep) => void trim.run({ endpointId, keep }),
  }
}

function toRow({ plan, result, reason, ...rest }: LoadTest): Row {
  return { ...rest, plan: JSON.stringify(plan), result: JSON.stringify(result), reason: reason ?? null }
}

function toTest({ reason, ...row }: Row): LoadTest {
  const why = reason === null ? {} : { reason }
  return { ...row, ...why, plan: JSON.parse(row.plan), result: JSON.parse(row.result) }
}

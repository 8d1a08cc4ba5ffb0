import type { Database } from 'better-sqlite3'
import { queriesOf } from '../../../database/queries.ts'
import type { TraceContext } from '../rules/trace-context.ts'

type Row = { readonly traceId: string; readonly spanId: string; readonly sampled: 0 | 1; readonly state: string | null }

/** Until a caller has brought a context, it does not ask the database. */
export function createTraceStore(db: Database) {
  const query = queriesOf(db)
  const save = query<[seq: number, traceId: string, spanId: string, sampled: 0 | 1, state: string | undefined]>(`
    INSERT INTO job_traces (seq, trace_id, span_id, sampled, state) VALUES (?, ?, ?, ?, ?)`).run()
  const find = query<[seq: number], Row>(`
    SELECT trace_id AS traceId, span_id AS spanId, sampled, state FROM job_traces WHERE seq = ?`).one(
    ({ traceId, spanId, sampled, state }): TraceContext => {
      return { traceId, spanId, isSampled: sampled === 1, state: state ?? undefined }
    },
  )
  let hasAny = query<[], number>(`SELECT 1 FROM job_traces LIMIT 1`).value()() !== undefined
  return {
    save(seq: number, { traceId, spanId, isSampled, state }: TraceContext) {
      hasAny = true
      save(seq, traceId, spanId, isSampled ? 1 : 0, state)
    },
    find: (seq: number) => (hasAny ? find(seq) : undefined),
  }
}

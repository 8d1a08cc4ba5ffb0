import type { Database } from 'better-sqlite3'
import type { TraceStore } from '../services/ports/traces.ts'

const SAVE = `INSERT INTO job_traces (seq, trace_id, span_id, sampled, state) VALUES (?, ?, ?, ?, ?)`
const FIND = `SELECT trace_id AS traceId, span_id AS spanId, sampled, state FROM job_traces WHERE seq = ?`
const ANY = `SELECT 1 FROM job_traces LIMIT 1`

type Row = { readonly traceId: string; readonly spanId: string; readonly sampled: 0 | 1; readonly state: string | null }

/** Makes the store of contexts. As long as no caller brought one, nobody looks into it. */
export function createTraceStore(db: Database): TraceStore {
  const save = db.prepare(SAVE)
  const find = db.prepare<[number], Row>(FIND)
  let hasAny = db.prepare(ANY).get() !== undefined
  return {
    save(seq, { traceId, spanId, isSampled, state }) {
      hasAny = true
      save.run(seq, traceId, spanId, isSampled ? 1 : 0, state)
    },
    find(seq) {
      const row = hasAny ? find.get(seq) : undefined
      if (row === undefined) return undefined
      const { traceId, spanId, sampled, state } = row
      return { traceId, spanId, isSampled: sampled === 1, state: state ?? undefined }
    },
  }
}

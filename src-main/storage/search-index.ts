import type { Database } from 'better-sqlite3'
import { limit } from '../contract/limits.ts'
import { endpointTerm } from '../domain/job/search-query.ts'
import type { SearchIndex, StateStore } from '../services/ports.ts'

// Only the moves that change what is searched: the input at submit, output and error at the end, their loss at retry.
const CHANGED = `
  SELECT e.id, e.seq FROM events e
  WHERE e.id > ? AND e.type = 'job' AND e.event NOT IN ('claim', 'progress', 'release') ORDER BY e.id LIMIT ?`
const LAST = `SELECT COALESCE(MAX(id), 0) AS id FROM events`
const TEXT = `
  SELECT j.seq, j.id, j.endpoint_id AS endpointId, j.error, substr(i.input, 1, @limit) AS input, substr(o.output, 1, @limit) AS output
  FROM jobs j JOIN job_inputs i ON i.seq = j.seq LEFT JOIN job_outputs o ON o.seq = j.seq WHERE j.seq = @seq`
const REPLACE = `INSERT OR REPLACE INTO job_search (rowid, endpoint, text) VALUES (?, ?, ?)`
const CURSOR = 'search.indexedEventId'

type TextRow = {
  seq: number
  id: string
  endpointId: string
  error: string | null
  input: string
  output: string | null
}

/**
 * The full-text index of jobs. It follows the event log at its own pace, so that no submit waits for it; a search
 * catches up first. `catchUp` is a write.
 */
export function createSearchIndex(db: Database, state: StateStore): SearchIndex {
  const changed = db.prepare<[number, number], { id: number; seq: number }>(CHANGED)
  const last = db.prepare<[], { id: number }>(LAST)
  const text = db.prepare<[object], TextRow>(TEXT)
  const replace = db.prepare(REPLACE)
  const cursor = () => Number(state.get(CURSOR) ?? 0)
  return {
    behind: () => (last.get()?.id ?? 0) > cursor(),
    catchUp(limitOfJobs) {
      const from = cursor()
      const rows = changed.all(from, limitOfJobs)
      for (const seq of new Set(rows.map((row) => row.seq))) {
        const row = text.get({ seq, limit: limit('searchTextBytes') })
        if (row === undefined) continue
        replace.run(
          row.seq,
          endpointTerm(row.endpointId),
          [row.id, row.input, row.output, row.error].filter(Boolean).join('\n'),
        )
      }
      const full = rows.length === limitOfJobs
      const end = full ? (rows.at(-1)?.id ?? from) : (last.get()?.id ?? from)
      if (end > from) state.set(CURSOR, end)
      return full
    },
  }
}

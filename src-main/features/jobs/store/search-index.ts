import type { Database } from 'better-sqlite3'
import { limit } from '../../../contract/limits.ts'
import { queriesOf } from '../../../database/queries.ts'
import type { StateStore } from '../../../database/state-store.ts'
import { endpointTerm, jobTerm } from '../rules/search-query.ts'
import { termsOf, unescaped, wordsOf } from '../rules/search-words.ts'
import { LAST_EVENT } from './event-store.ts'

export const INDEXED_UP_TO = 'search.indexedEventId'

// Reads only the first row, so the term's frequency does not matter. The table is a view of the index.
const TERMS = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.job_terms USING fts5vocab(main, job_search, instance)`
// Source: ours; finding each term of the index takes about 20 us.
const MOST_TERMS = 32
// Words the tokenizer leaves unchanged, apart from their case.
const PLAIN = /^[a-z0-9]+$/
// Sorts below every character that a longer term could continue with.
const AFTER = '\u0001'

/** Index terms with a prefix; undefined if there are too many or the word is not plain. */
export function createTermLookup(db: Database): (word: string) => readonly string[] | undefined {
  db.exec(TERMS)
  const next = queriesOf(db)<[from: string], string>(`SELECT term FROM temp.job_terms WHERE term >= ? LIMIT 1`).value()
  return (given) => {
    const word = given.toLowerCase()
    if (!PLAIN.test(word)) return undefined
    const terms: string[] = []
    for (let term = next(word); term?.startsWith(word) === true; term = next(`${term}${AFTER}`)) {
      if (terms.length === MOST_TERMS) return undefined
      terms.push(term)
    }
    return terms
  }
}

type TextRow = {
  seq: number
  id: string
  endpointId: string
  error: string | null
  input: string
  output: string | null
}

// Per job and per batch of jobs; a commit of so many takes some 10 ms. Source: ours.
const MOST_OF_JOB = { terms: 10_000, letters: 80_000 }
const MOST_TERMS_OF_BATCH = 5000

/**
 * Full-text index of jobs. It follows the event log asynchronously, so no submit waits for it; a search catches up
 * first. `catchUp` is a write.
 */
export function createSearchIndex(db: Database, state: StateStore) {
  const query = queriesOf(db)
  // Only transitions that change searched text: input at submit, output and error at the end, their loss at retry. A
  // job that has since moved on is indexed once, at its later transition.
  const changed = query<[after: number, limit: number], { readonly id: number; readonly seq: number }>(`
    SELECT e.id, e.seq FROM events e CROSS JOIN jobs j ON j.seq = e.seq
    WHERE e.id > ? AND e.type = 'job' AND e.event NOT IN ('claim', 'progress', 'release', 'reorder')
      AND (j.status = e.to_state OR j.status = 'IN_PROGRESS')
    ORDER BY e.id LIMIT ?`).all()
  const text = query<[{ seq: number; limit: number }], TextRow>(`
    SELECT j.seq, j.id, j.endpoint_id AS endpointId, j.error, substr(i.input, 1, @limit) AS input,
      substr(o.output, 1, @limit) AS output
    FROM jobs j JOIN job_inputs i ON i.seq = j.seq LEFT JOIN job_outputs o ON o.seq = j.seq WHERE j.seq = @seq`).one()
  const replace = query<[seq: number, endpoint: string, error: string, text: string]>(`
    INSERT OR REPLACE INTO job_search (rowid, endpoint, error, text) VALUES (?, ?, ?, ?)`).run()
  const last = query<[], number>(LAST_EVENT).value(0)
  const cursor = () => Number(state.get(INDEXED_UP_TO) ?? 0)

  function index(seq: number): number {
    const row = text({ seq, limit: limit('searchTextBytes') })
    if (row === undefined) return 0
    const { id, endpointId, error, input, output } = row
    const terms = termsOf([error ?? '', unescaped(input), unescaped(output ?? '')].join('\n'), MOST_OF_JOB)
    const words = wordsOf(error?.slice(0, limit('listErrorLength')) ?? '')
    replace(seq, `${endpointTerm(endpointId)} ${jobTerm(id)}`, words.join(' '), terms.join(' '))
    return terms.length + words.length
  }

  return {
    behind: () => last() > cursor(),
    /** Indexes up to `limitOfJobs` more jobs; returns whether more wait. */
    catchUp(limitOfJobs: number) {
      const from = cursor()
      const rows = changed(from, limitOfJobs)
      const done = new Set<number>()
      let terms = 0
      let end = from
      for (const { id, seq } of rows) {
        if (terms > MOST_TERMS_OF_BATCH) break
        if (!done.has(seq)) terms += index(seq)
        done.add(seq)
        end = id
      }
      const more = rows.length === limitOfJobs || end !== (rows.at(-1)?.id ?? from)
      if (!more) end = last()
      if (end > from) state.set(INDEXED_UP_TO, end)
      return more
    },
  }
}

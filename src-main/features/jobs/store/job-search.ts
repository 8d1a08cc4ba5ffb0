/**
 * Lists and counts jobs by any filter. The index finds plain words; for words with punctuation, the texts of its
 * matches are checked in turns of the event loop.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { JOB_STATES, type JobState } from '../../../contract/job.ts'
import type { JobStateCounts } from '../../../contract/job-routes.ts'
import { limit } from '../../../contract/limits.ts'
import { queriesOf } from '../../../database/queries.ts'
import { isFound, phraseExpression, searchExpression } from '../rules/search-query.ts'
import type { Job, JobFilter, JobQuery, PlainFilter } from './job.ts'
import {
  CONDITIONS,
  type Conditions,
  conditionsOf,
  createJobFilter,
  type JobCount,
  NEWEST_FIRST,
  OVER_LIMIT,
  type PageOf,
  type Range,
  READ_JOB,
  statement,
} from './job-filter.ts'
import { createTermLookup } from './search-index.ts'

const SOME = 'json_each(@seqs) some CROSS JOIN jobs ON jobs.seq = some.value'
// The index yields newest rowids first, so it stops at the limit; CROSS JOIN keeps it the outer loop.
const FOUND = `
  SELECT rowid AS seq FROM job_search WHERE job_search MATCH @match AND rowid BETWEEN @first AND @last
  ORDER BY rowid ${NEWEST_FIRST}`
const FOUND_WHERE = `
  SELECT job_search.rowid AS seq FROM job_search CROSS JOIN jobs ON jobs.seq = job_search.rowid
  WHERE job_search MATCH @match AND job_search.rowid BETWEEN @first AND @last AND ${CONDITIONS}
  ORDER BY job_search.rowid ${NEWEST_FIRST}`

// Beyond this, nobody looks for the first ones; source: ours.
const MOST_PHRASES = 1000
const withoutPhrases = (sql: string) =>
  sql.replace('MATCH @match', 'MATCH @match AND job_search.rowid NOT IN (SELECT value FROM json_each(@phrases))')

// Matches per query: few at first, for a page, then more, because each query reads the whole list of a word.
const MATCHES = { first: 1000, most: 16_000, growth: 4 }
// Bounds of checking texts in one turn of the event loop; a single text may take longer. Source: ours.
const TURN_MS = 8
const TURN_JOBS = 2000

type Text = Range &
  Conditions & {
    readonly typed: string
    readonly signal: AbortSignal | undefined
    readonly match: string
    readonly checked: string | null
    readonly alone: boolean
  }

type TextRow = {
  readonly at: number
  readonly seq: number
  readonly id: string
  readonly error: string | null
  readonly input: string | null
  readonly output: string | null
}

export function createJobSearch(db: Database) {
  const query = queriesOf(db)
  const plain = createJobFilter(db)
  const read = query<[seq: number], Job>(READ_JOB).one()
  const termsOf = createTermLookup(db)
  const found = statement(db, FOUND)
  const foundWhere = statement(db, FOUND_WHERE)
  const foundOthers = statement(db, withoutPhrases(FOUND))
  const foundOthersWhere = statement(db, withoutPhrases(FOUND_WHERE))
  const texts = query<[object], TextRow>(`
    SELECT some.key AS at, jobs.seq, jobs.id, jobs.error, substr(i.input, 1, ${limit('searchTextBytes')}) AS input,
      substr(o.output, 1, ${limit('searchTextBytes')}) AS output
    FROM ${SOME} LEFT JOIN job_inputs i ON i.seq = jobs.seq LEFT JOIN job_outputs o ON o.seq = jobs.seq
    WHERE ${CONDITIONS}`).each()
  const matching = query<[object], number>(`SELECT jobs.seq FROM ${SOME} WHERE ${CONDITIONS}`).values()
  const statesAmong = query<[{ readonly seqs: string }], JobState>(`
    SELECT jobs.status FROM ${SOME} UNION ALL SELECT 'TIMED_OUT' FROM ${SOME} WHERE ${OVER_LIMIT}`).values()

  // Only one search gets each turn of the event loop.
  let turns: Promise<unknown> = Promise.resolve()
  function turn(): Promise<unknown> {
    turns = turns.then(() => nextTurn())
    return turns
  }

  function textOf(filter: JobFilter, typed: string): Text | undefined {
    const found = searchExpression(typed, filter.endpointId, termsOf)
    if (found === undefined) return undefined
    const conditions = conditionsOf(filter)
    const { states, archived, workerId, batchId } = conditions
    const alone = [states, archived, workerId, batchId].every((one) => one === null)
    return { typed, signal: filter.signal, ...found, ...conditions, alone, ...plain.rangeOf(filter) }
  }

  function checkTexts(
    text: Text,
    seqs: readonly number[],
  ): { readonly hits: readonly number[]; readonly checked: number } {
    const end = performance.now() + TURN_MS
    const hits: number[] = []
    for (const { at, seq, id, error, input, output } of texts({ ...text, seqs: JSON.stringify(seqs) })) {
      if (isFound(text.checked ?? '', id, [error, input, output])) hits.push(seq)
      if (performance.now() > end) return { hits, checked: at + 1 }
    }
    return { hits, checked: seqs.length }
  }

  async function* checkedMatches(text: Text, oldestFirst: boolean): AsyncGenerator<readonly number[]> {
    let { first, last } = text
    for (let most = MATCHES.first; ; most = Math.min(most * MATCHES.growth, MATCHES.most)) {
      await turn()
      if (text.signal?.aborted) return
      const matches = found.all({ match: text.match, first, last, limit: most, offset: 0, oldestFirst })
      for (let from = 0; from < matches.length; ) {
        await turn()
        if (text.signal?.aborted) return
        const { hits, checked } = checkTexts(text, matches.slice(from, from + TURN_JOBS))
        yield hits
        from += checked
      }
      const end = matches.at(-1)
      if (end === undefined || matches.length < most) return
      if (oldestFirst) first = end + 1
      else last = end - 1
    }
  }

  async function firstOf(
    text: Text,
    { oldestFirst, most, except }: { oldestFirst: boolean; most: number; except?: ReadonlySet<number> },
  ): Promise<readonly number[]> {
    const hits: number[] = []
    // A job may have gone on, or be deleted, while others were looked through.
    const still = () => matching({ ...text, seqs: JSON.stringify(hits) }).slice(0, Math.max(0, most))
    for await (const part of checkedMatches(text, oldestFirst)) {
      for (const seq of part) if (!except?.has(seq)) hits.push(seq)
      const first = hits.length < most ? [] : still()
      if (first.length >= most) return first
    }
    return still()
  }

  async function checkedSeqs(text: Text, { limit: most, offset, oldestFirst, phraseFirst }: PageOf) {
    const phrases = phraseFirst ? await firstOf(asPhrase(text), { oldestFirst, most: MOST_PHRASES }) : []
    const left = { most: offset + most - phrases.length, except: new Set(phrases) }
    const others = await firstOf(text, { oldestFirst, ...left })
    return [...phrases, ...others].slice(offset, offset + most)
  }

  function matchingSeqs(text: Text, page: PageOf): readonly number[] {
    const by = text.alone ? found : foundWhere
    if (!page.phraseFirst) return by.all({ ...text, ...page })
    const phrases = by.all({ ...asPhrase(text), ...page, offset: 0, limit: MOST_PHRASES })
    const own = phrases.slice(page.offset, page.offset + page.limit)
    const others = {
      ...text,
      ...page,
      phrases: JSON.stringify(phrases),
      offset: Math.max(0, page.offset - phrases.length),
      limit: page.limit - own.length,
    }
    return [...own, ...(text.alone ? foundOthers : foundOthersWhere).all(others)]
  }

  async function seqs(filter: JobFilter, page: PageOf): Promise<readonly number[]> {
    if (filter.text === undefined) return plain.seqs(filter, page)
    const text = textOf(filter, filter.text)
    if (text === undefined) return []
    return text.checked === null ? matchingSeqs(text, page) : await checkedSeqs(text, page)
  }

  async function count(filter: JobFilter): Promise<JobCount> {
    if (filter.text === undefined) return plain.count(filter)
    const text = textOf(filter, filter.text)
    if (text === undefined) return { count: 0, more: false }
    const most = limit(text.alone ? 'jobCount' : 'jobCountRead')
    const counted =
      text.checked === null
        ? (text.alone ? found : foundWhere).count({ ...text, limit: most + 1 })
        : (await firstOf(text, { oldestFirst: false, most: most + 1 })).length
    return { count: Math.min(counted, most), more: counted > most }
  }

  async function countRead(filter: JobFilter): Promise<JobStateCounts['states']> {
    const most = limit('stateCount')
    const newest = await seqs(filter, { limit: most + 1, offset: 0, oldestFirst: false })
    const byState = Map.groupBy(statesAmong({ seqs: JSON.stringify(newest.slice(0, most)) }), (state) => state)
    return inEachState((state) => ({ count: byState.get(state)?.length ?? 0, more: newest.length > most }))
  }

  const jobsOf = (seqs: readonly number[]): readonly Job[] =>
    seqs.map((seq) => read(seq)).filter((job) => job !== undefined)

  return {
    async countByState({ states: _all, ...filter }: JobFilter): Promise<JobStateCounts['states']> {
      if (filter.text !== undefined || filter.workerId !== undefined) return await countRead(filter)
      return inEachState((state) => plain.count({ ...filter, states: [state] }, limit('stateCount')))
    },
    /** Newest first, unless it says otherwise. */
    list: (query: JobQuery & PlainFilter): readonly Job[] => jobsOf(plain.seqs(query, pageOf(query))),
    search: async (query: JobQuery): Promise<readonly Job[]> => jobsOf(await seqs(query, pageOf(query))),
    count: (filter: PlainFilter): JobCount => plain.count(filter),
    countFound: count,
  }
}

const asPhrase = (text: Text): Text => ({ ...text, match: phraseExpression(text.match, text.typed) })

const pageOf = ({ limit, offset = 0, oldestFirst = false, phraseFirst = false }: JobQuery): PageOf => ({
  limit,
  offset,
  oldestFirst,
  phraseFirst,
})

const inEachState = <Count>(countOf: (state: JobState) => Count) =>
  Object.fromEntries(JOB_STATES.map((state) => [state, countOf(state)])) as Record<JobState, Count>

/**
 * Lists and counts of jobs by a filter, newest first or oldest first. A time of creation is turned into a place in the order of jobs by
 * halving, so that it needs no index of its own: where the clock was set back, the cut lies somewhere within the times
 * that came twice. Archived jobs have an index by state of their own, so that lists of the job API never pass over them.
 */
import type { Database } from 'better-sqlite3'
import { JOB_STATES, type JobState } from '../contract/job.ts'
import { limit } from '../contract/limits.ts'
import { matchExpression } from '../domain/job/search-query.ts'
import { isFinal } from '../domain/job/transitions.ts'
import type { Job, JobFilter, JobStore } from '../services/ports.ts'
import { JOB_COLUMNS } from './job-columns.ts'

const READ = `SELECT ${JOB_COLUMNS} FROM jobs WHERE seq = ?`
const NEWEST_SEQ = `SELECT COALESCE(MAX(seq), 0) AS seq FROM jobs`
const FIRST_FROM = `SELECT seq, created_at AS createdAt FROM jobs WHERE seq >= ? ORDER BY seq LIMIT 1`
// One step of a walk from endpoint to endpoint, of those that have jobs.
const NEXT_ENDPOINT = `SELECT endpoint_id AS id FROM jobs WHERE endpoint_id > ? ORDER BY endpoint_id LIMIT 1`

const IN_RANGE = 'seq BETWEEN @first AND @last'
// Every select of seqs ends so; the one that reads from the oldest on differs in this word alone.
const NEWEST_FIRST = 'DESC LIMIT @limit OFFSET @offset'
const OLDEST_FIRST = 'ASC LIMIT @limit OFFSET @offset'
const PAGE = `ORDER BY seq ${NEWEST_FIRST}`
const STATE_AND_ENDPOINT = `
  (@states IS NULL OR jobs.status IN (SELECT value FROM json_each(@states)))
  AND (@endpointId IS NULL OR jobs.endpoint_id = @endpointId)
  AND (@archived IS NULL OR jobs.archived = @archived)`
const ALL = `SELECT seq FROM jobs WHERE ${IN_RANGE} ${PAGE}`
const OF_ENDPOINT = `SELECT seq FROM jobs WHERE endpoint_id = @endpointId AND ${IN_RANGE} ${PAGE}`
// One range of jobs_by_state, in order. Several are merged by the caller, so that no state is ever sorted as a whole.
const IN_STATE = `
  SELECT seq FROM jobs
  WHERE endpoint_id = @endpointId AND status = @status AND low_priority = @lowPriority AND archived = 0
    AND ${IN_RANGE} ${PAGE}`
const ARCHIVED_IN_STATE = `
  SELECT seq FROM jobs
  WHERE endpoint_id = @endpointId AND status = @status AND archived = 1 AND ${IN_RANGE} ${PAGE}`
// The oldest of one range of jobs_by_state.
const OLDEST = `
  SELECT seq FROM jobs
  WHERE endpoint_id = @endpointId AND status = @status AND low_priority = @lowPriority AND archived = 0
  ORDER BY seq LIMIT 1`
const OF_WORKER = `SELECT seq FROM jobs WHERE worker_id = @workerId AND ${IN_RANGE} ${PAGE}`
const OF_WORKER_WHERE = `SELECT seq FROM jobs WHERE worker_id = @workerId AND ${IN_RANGE} AND ${STATE_AND_ENDPOINT} ${PAGE}`
// The index gives rowids newest first, so it stops at the limit. CROSS JOIN keeps it the outer loop.
const FOUND = `
  SELECT rowid AS seq FROM job_search WHERE job_search MATCH @match AND rowid BETWEEN @first AND @last
  ORDER BY rowid ${NEWEST_FIRST}`
const FOUND_WHERE = `
  SELECT job_search.rowid AS seq FROM job_search CROSS JOIN jobs ON jobs.seq = job_search.rowid
  WHERE job_search MATCH @match AND job_search.rowid BETWEEN @first AND @last AND ${STATE_AND_ENDPOINT}
    AND (@workerId IS NULL OR jobs.worker_id = @workerId)
  ORDER BY job_search.rowid ${NEWEST_FIRST}`

type Range = { readonly first: number; readonly last: number }

/** Makes the lists by filter. */
export function createJobFilter(db: Database): Pick<JobStore, 'list' | 'count'> {
  const read = db.prepare<[number], Job>(READ)
  const newestSeq = db.prepare<[], { readonly seq: number }>(NEWEST_SEQ)
  const firstFrom = db.prepare<[number], { readonly seq: number; readonly createdAt: number }>(FIRST_FROM)
  const nextEndpoint = db.prepare<[string], { readonly id: string }>(NEXT_ENDPOINT)
  const all = statement(db, ALL)
  const ofEndpoint = statement(db, OF_ENDPOINT)
  const inState = statement(db, IN_STATE)
  const archivedInState = statement(db, ARCHIVED_IN_STATE)
  const oldest = db.prepare<[object], { readonly seq: number }>(OLDEST)
  const ofWorker = statement(db, OF_WORKER)
  const ofWorkerWhere = statement(db, OF_WORKER_WHERE)
  const found = statement(db, FOUND)
  const foundWhere = statement(db, FOUND_WHERE)

  // Smallest seq from which on jobs were created at `time` or later.
  function seqAt(time: number): number {
    let low = 1
    let high = (newestSeq.get()?.seq ?? 0) + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const job = firstFrom.get(middle)
      if (job === undefined || job.createdAt >= time) high = middle
      else low = job.seq + 1
    }
    return low
  }

  function rangeOf(filter: JobFilter): Range {
    const { from, to, before, after, text, archived } = filter
    const last = Math.min((before ?? Number.MAX_SAFE_INTEGER) - 1, to === undefined ? Infinity : seqAt(to + 1) - 1)
    const first = Math.max((after ?? 0) + 1, from === undefined ? 1 : seqAt(from))
    // The search knows archived jobs too, most of which are older than all others.
    if (text !== undefined && archived === false) return { first: Math.max(first, oldestUnarchived(filter)), last }
    return { first, last }
  }

  function oldestUnarchived({ endpointId }: JobFilter): number {
    const ranges = rangesOf(endpointId === undefined ? endpointIds() : [endpointId], JOB_STATES)
    const seqs = ranges.map((range) => oldest.get(range)?.seq).filter((seq) => seq !== undefined)
    return seqs.length === 0 ? Number.MAX_SAFE_INTEGER : Math.min(...seqs)
  }

  function endpointIds(): readonly string[] {
    const ids: string[] = []
    for (let next = nextEndpoint.get(''); next !== undefined; next = nextEndpoint.get(next.id)) ids.push(next.id)
    return ids
  }

  // The ranges of both indexes by state that a filter without text and worker stands for.
  function statesOf(filter: JobFilter): readonly StateRange[] {
    const { endpointId, archived } = filter
    const states = someStates(filter) ?? JOB_STATES
    const ids = endpointId === undefined ? endpointIds() : [endpointId]
    const live = rangesOf(ids, states).map((values) => ({ from: inState, values }))
    if (archived === false) return live
    const ended = ids.flatMap((id) => states.filter(isFinal).map((status) => ({ endpointId: id, status })))
    return [...(archived === true ? [] : live), ...ended.map((values) => ({ from: archivedInState, values }))]
  }

  function seqs(filter: JobFilter, page: PageOf): readonly number[] {
    const query = { ...rangeOf(filter), ...page }
    const way = wayOf(filter)
    switch (way.by) {
      case 'nothing':
        return []
      case 'text':
        return (way.alone ? found : foundWhere).all({ ...query, ...way.values })
      case 'worker':
        return (way.alone ? ofWorker : ofWorkerWhere).all({ ...query, ...way.values })
      case 'states': {
        const most = page.limit + page.offset
        const ranges = statesOf(filter).map(({ from, values }) =>
          from.all({ ...query, ...values, limit: most, offset: 0 }),
        )
        return merged(ranges, page.oldestFirst).slice(page.offset, most)
      }
      case 'endpoint':
        return ofEndpoint.all({ ...query, ...way.values })
      case 'all':
        return all.all(query)
    }
  }

  function count(filter: JobFilter): { readonly count: number; readonly more: boolean } {
    const range = rangeOf(filter)
    const way = wayOf(filter)
    const by = (from: Statement, values: object) => (most: number) => from.count({ ...range, ...values, limit: most })
    switch (way.by) {
      case 'nothing':
        return { count: 0, more: false }
      case 'text':
        return upTo(limit(way.alone ? 'jobCount' : 'jobCountRead'), [by(way.alone ? found : foundWhere, way.values)])
      case 'worker':
        return upTo(limit(way.alone ? 'jobCount' : 'jobCountRead'), [
          by(way.alone ? ofWorker : ofWorkerWhere, way.values),
        ])
      case 'states':
        return upTo(
          limit('jobCount'),
          statesOf(filter).map(({ from, values }) => by(from, values)),
        )
      case 'endpoint':
        return upTo(limit('jobCount'), [by(ofEndpoint, way.values)])
      case 'all':
        return upTo(
          limit('jobCount'),
          endpointIds().map((endpointId) => by(ofEndpoint, { endpointId })),
        )
    }
  }

  return {
    list: (query) =>
      seqs(query, { limit: query.limit, offset: query.offset ?? 0, oldestFirst: query.oldestFirst ?? false })
        .map((seq) => read.get(seq))
        .filter((job) => job !== undefined),
    count,
  }
}

type Way =
  | { readonly by: 'nothing' | 'states' | 'all' }
  | {
      readonly by: 'text' | 'worker'
      /** Whether the index alone tells. */
      readonly alone: boolean
      readonly values: object
    }
  | { readonly by: 'endpoint'; readonly values: object }

/** The states that are let through, each once; undefined where all are. */
function someStates({ states }: JobFilter): readonly JobState[] | undefined {
  const some = JOB_STATES.filter((state) => states === undefined || states.includes(state))
  return some.length === JOB_STATES.length ? undefined : some
}

/** Which index a filter is answered from. */
function wayOf({ text, ...filter }: JobFilter): Way {
  const { endpointId, workerId } = { endpointId: filter.endpointId ?? null, workerId: filter.workerId ?? null }
  const states = someStates(filter)
  const some = states === undefined ? null : JSON.stringify(states)
  const archived = filter.archived === undefined ? null : Number(filter.archived)
  const isAnyState = some === null && archived === null
  if (text !== undefined) {
    const match = matchExpression(text, endpointId ?? undefined)
    if (match === undefined) return { by: 'nothing' }
    const alone = isAnyState && workerId === null
    return { by: 'text', alone, values: alone ? { match } : { match, states: some, endpointId, workerId, archived } }
  }
  if (workerId !== null) {
    const alone = isAnyState && endpointId === null
    return { by: 'worker', alone, values: alone ? { workerId } : { workerId, states: some, endpointId, archived } }
  }
  if (!isAnyState) return { by: 'states' }
  return endpointId === null ? { by: 'all' } : { by: 'endpoint', values: { endpointId } }
}

type PageOf = { readonly limit: number; readonly offset: number; readonly oldestFirst: boolean }

/** A select of seqs, and its count. */
type Statement = {
  readonly all: (values: PageOf) => readonly number[]
  readonly count: (values: object) => number
}

/** One range of an index by state. */
type StateRange = { readonly from: Statement; readonly values: object }

// The ranges of jobs_by_state.
function rangesOf(endpointIds: readonly string[], states: readonly JobState[]): readonly object[] {
  return endpointIds.flatMap((endpointId) =>
    states.flatMap((status) => [0, 1].map((lowPriority) => ({ endpointId, status, lowPriority }))),
  )
}

function statement(db: Database, sql: string): Statement {
  // Bare numbers: a jump far down a list goes over some ten thousand of them.
  const down = db.prepare<[object], number>(sql).pluck()
  const up = db.prepare<[object], number>(sql.replace(NEWEST_FIRST, OLDEST_FIRST)).pluck()
  const counted = db.prepare<[object], { readonly count: number }>(`SELECT COUNT(*) AS count FROM (${sql})`)
  return {
    all: ({ oldestFirst, ...values }: PageOf): readonly number[] => (oldestFirst ? up : down).all(values),
    count: (values: object): number => counted.get({ offset: 0, ...values })?.count ?? 0,
  }
}

/** Adds counts up, each counted no further than what is left of `most`. */
function upTo(
  most: number,
  counts: readonly ((limit: number) => number)[],
): { readonly count: number; readonly more: boolean } {
  let sum = 0
  for (const count of counts) {
    sum += count(most + 1 - sum)
    if (sum > most) return { count: most, more: true }
  }
  return { count: sum, more: false }
}

// Each range is in order already; together they are some pages at most.
function merged(ranges: readonly (readonly number[])[], oldestFirst: boolean): readonly number[] {
  const filled = ranges.filter((range) => range.length > 0)
  return filled.length === 1 && filled[0] !== undefined
    ? filled[0]
    : filled.flat().sort((a, b) => (oldestFirst ? a - b : b - a))
}

/**
 * Job lists and counts by filter. Creation times become positions by binary search, without an index of their own;
 * after a clock set back the cut lies within the repeated times. Archived jobs have their own state index, which the
 * job API skips.
 */
import type { Database } from 'better-sqlite3'
import type { WorkerPool } from '../../../contract/endpoint.ts'
import { JOB_STATES, type JobState } from '../../../contract/job.ts'
import { limit } from '../../../contract/limits.ts'
import { queriesOf } from '../../../database/queries.ts'
import { TIME_LIMIT_ERROR } from '../rules/time-limit.ts'
import { isFinal } from '../rules/transitions.ts'
import type { Job, JobFilter } from './job.ts'

/**
 * Gap between unmoved jobs, leaving room for insertions. Source: ours, a power of two that keeps a hundred billion jobs
 * exact.
 */
export const PLACE_GAP = 65_536

// Jobs in lanes from this one on wait for batch workers, in the same order as in the lanes before it.
const FIRST_BATCH_LANE = 4
const POOL_OF_LANE = `IIF(lane < ${FIRST_BATCH_LANE}, 'main', 'batch') AS pool`

export const JOB_COLUMNS = `
  seq, id, endpoint_id AS endpointId, status, low_priority AS lowPriority, ${POOL_OF_LANE},
  attempt, retries, worker_id AS workerId,
  created_at AS createdAt, queued_at AS queuedAt, started_at AS startedAt, finished_at AS finishedAt,
  delay_ms AS delayMs, execution_ms AS executionMs, execution_timeout_ms AS executionTimeoutMs, ttl_ms AS ttlMs,
  retention_ms AS retentionMs, deadline_at AS deadlineAt, stream_cursor AS streamCursor, webhook, error,
  archived, priority, COALESCE(place, seq * ${PLACE_GAP}) AS place,
  (SELECT batches.id FROM batches WHERE batches.seq = batch) AS batchId`

export const firstLane = (pool: WorkerPool): number => (pool === 'batch' ? FIRST_BATCH_LANE : 0)

export const READ_JOB = `SELECT ${JOB_COLUMNS} FROM jobs WHERE seq = ?`
export const NEWEST_SEQ = `SELECT COALESCE(MAX(seq), 0) FROM jobs`

const IN_RANGE = 'seq BETWEEN @first AND @last'
export const NEWEST_FIRST = 'DESC LIMIT @limit OFFSET @offset'
const OLDEST_FIRST = 'ASC LIMIT @limit OFFSET @offset'
const PAGE = `ORDER BY seq ${NEWEST_FIRST}`
export const OVER_LIMIT = `jobs.status = 'FAILED' AND jobs.error = '${TIME_LIMIT_ERROR}'`
const IN_STATES = `(jobs.status IN (SELECT value FROM json_each(@states)) OR (@overLimit = 1 AND ${OVER_LIMIT}))`
const OF_THE_BATCH = 'jobs.batch = (SELECT batches.seq FROM batches WHERE batches.id = @batchId)'
const STATE_AND_ENDPOINT = `
  (@states IS NULL OR ${IN_STATES})
  AND (@endpointId IS NULL OR jobs.endpoint_id = @endpointId)
  AND (@archived IS NULL OR jobs.archived = @archived)`
export const CONDITIONS = `${STATE_AND_ENDPOINT}
  AND (@workerId IS NULL OR jobs.worker_id = @workerId)
  AND (@batchId IS NULL OR ${OF_THE_BATCH})`
const ALL = `SELECT seq FROM jobs WHERE ${IN_RANGE} ${PAGE}`
const OF_ENDPOINT = `SELECT seq FROM jobs WHERE endpoint_id = @endpointId AND ${IN_RANGE} ${PAGE}`
// One ordered range of jobs_by_state; the caller merges several, so that no state is sorted as a whole.
const IN_STATE = `
  SELECT seq FROM jobs
  WHERE endpoint_id = @endpointId AND status = @status AND lane = @lane AND archived = 0
    AND ${IN_RANGE} ${PAGE}`
const ARCHIVED_IN_STATE = `
  SELECT seq FROM jobs
  WHERE endpoint_id = @endpointId AND status = @status AND archived = 1 AND ${IN_RANGE} ${PAGE}`
const OVER_LIMIT_OF_ENDPOINT = `
  SELECT seq FROM jobs
  WHERE ${OVER_LIMIT} AND endpoint_id = @endpointId AND archived = @archived AND ${IN_RANGE} ${PAGE}`
// Many states and endpoints at once, since a thousand statements would take longer than their results.
const OF_ENDPOINT_IN_STATES = `WITH held (status, endpoint_id) AS (SELECT value, @endpointId FROM json_each(@states))`
const inStatesOf = (archived: 0 | 1) => `
  WITH RECURSIVE held (status, endpoint_id) AS (
    SELECT value, (SELECT MIN(jobs.endpoint_id) FROM jobs WHERE jobs.status = value AND jobs.archived = ${archived})
    FROM json_each(@states)
    UNION ALL
    SELECT held.status, (
      SELECT MIN(jobs.endpoint_id) FROM jobs
      WHERE jobs.status = held.status AND jobs.endpoint_id > held.endpoint_id AND jobs.archived = ${archived})
    FROM held WHERE held.endpoint_id IS NOT NULL)`
const LIVE_RANGES = `held CROSS JOIN json_each('[0, 1, 2, 3, 4, 5, 6, 7]') lanes`
const IN_LIVE_RANGE = `
  jobs.status = held.status AND jobs.endpoint_id = held.endpoint_id AND jobs.lane = lanes.value
  AND jobs.archived = 0`
const IN_ARCHIVED_RANGE = `jobs.status = held.status AND jobs.endpoint_id = held.endpoint_id AND jobs.archived = 1`
const OVER_LIMIT_RANGES = `endpoints CROSS JOIN json_each('[0, 1]') kept`
const IN_OVER_LIMIT_RANGE = `
  (@endpointId IS NULL OR endpoints.id = @endpointId) AND (@archived IS NULL OR kept.value = @archived)
  AND jobs.endpoint_id = endpoints.id AND jobs.archived = kept.value AND ${OVER_LIMIT}`
const COUNTED = 'jobs.seq BETWEEN @first AND @last LIMIT @limit'
const countOf = (tables: string, where: string) =>
  `SELECT COUNT(*) FROM (SELECT 1 FROM ${tables} CROSS JOIN jobs WHERE ${where} AND ${COUNTED})`
const NEAR_ROWS = 1000
const OF_WORKER = `SELECT seq FROM jobs WHERE worker_id = @workerId AND ${IN_RANGE} ${PAGE}`
const OF_WORKER_WHERE = `SELECT seq FROM jobs WHERE worker_id = @workerId AND ${IN_RANGE} AND ${STATE_AND_ENDPOINT} ${PAGE}`
// One ordered range of jobs_by_batch, as of the states of an endpoint.
const OF_BATCH = `
  SELECT seq FROM jobs
  WHERE ${OF_THE_BATCH} AND status = @status AND ${IN_RANGE} AND ${CONDITIONS} ${PAGE}`
export type Range = { readonly first: number; readonly last: number }

/** Lists and counts by filters without a text; job-search has the others. */
export function createJobFilter(db: Database) {
  const query = queriesOf(db)
  const newestSeq = query<[], number>(NEWEST_SEQ).value(0)
  const firstFrom = query<[seq: number], { readonly seq: number; readonly createdAt: number }>(`
    SELECT seq, created_at AS createdAt FROM jobs WHERE seq >= ? ORDER BY seq LIMIT 1`).one()
  const all = statement(db, ALL)
  const ofEndpoint = statement(db, OF_ENDPOINT)
  const inState = statement(db, IN_STATE)
  const archivedInState = statement(db, ARCHIVED_IN_STATE)
  const overLimit = statement(db, OVER_LIMIT_OF_ENDPOINT)
  const filledOverLimit = query<[object], object>(`
    SELECT endpoints.id AS endpointId, kept.value AS archived FROM ${OVER_LIMIT_RANGES}
    WHERE EXISTS (SELECT 1 FROM jobs WHERE ${IN_OVER_LIMIT_RANGE})`).all()
  const countOverLimit = query<[object], number>(countOf(OVER_LIMIT_RANGES, IN_OVER_LIMIT_RANGE)).value(0)
  const oldest = query<[object], number>(`
    SELECT seq FROM jobs
    WHERE endpoint_id = @endpointId AND status = @status AND lane = @lane AND archived = 0
    ORDER BY seq LIMIT 1`).value(Infinity)
  const rangesOfEndpoint = prepareRanges(db, () => OF_ENDPOINT_IN_STATES)
  const rangesOfAll = prepareRanges(db, inStatesOf)
  const countAll = query<[object], number>(countOf('endpoints', 'jobs.endpoint_id = endpoints.id')).value(0)
  const countFromOldest = query<[object], number>(`
    SELECT COUNT(*) FROM (SELECT 1 FROM jobs INDEXED BY jobs_by_endpoint WHERE ${COUNTED})`).value(0)
  const near = query<[object], number>(`
    SELECT seq FROM jobs
    WHERE ${IN_RANGE} AND ${IN_STATES} AND (@archived IS NULL OR archived = @archived)
    ORDER BY seq DESC LIMIT @limit OFFSET @offset`).values()
  const ofWorker = statement(db, OF_WORKER)
  const ofWorkerWhere = statement(db, OF_WORKER_WHERE)
  const ofBatch = statement(db, OF_BATCH)

  function seqAt(time: number): number {
    let low = 1
    let high = newestSeq() + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const job = firstFrom(middle)
      if (job === undefined || job.createdAt >= time) high = middle
      else low = job.seq + 1
    }
    return low
  }

  function rangeOf(filter: JobFilter): Range {
    const { from, to, before, after, text, archived } = filter
    const last = Math.min((before ?? Number.MAX_SAFE_INTEGER) - 1, to === undefined ? Infinity : seqAt(to + 1) - 1)
    const first = Math.max((after ?? 0) + 1, from === undefined ? 1 : seqAt(from))
    // The search includes archived jobs, most of which are the oldest.
    if (text !== undefined && archived === false) return { first: Math.max(first, oldestUnarchived(filter)), last }
    return { first, last }
  }

  function oldestUnarchived({ endpointId }: JobFilter): number {
    const seqs = filledRanges({ endpointId, archived: false }).map(({ values }) => oldest(values))
    return seqs.length === 0 ? Number.MAX_SAFE_INTEGER : Math.min(...seqs)
  }

  function statesOf(filter: JobFilter) {
    const { endpointId, archived } = filter
    const states = someStates(filter) ?? JOB_STATES
    const of = (some: readonly JobState[]) => ({ endpointId, states: JSON.stringify(some) })
    return {
      ranges: endpointId === undefined ? rangesOfAll : rangesOfEndpoint,
      live: archived === true ? undefined : of(states),
      ended: archived === false ? undefined : of(states.filter(isFinal)),
      overLimit: takesOverLimit(filter) ? { endpointId: endpointId ?? null, archived: archivedOf(filter) } : undefined,
    }
  }

  function filledRanges(filter: JobFilter): readonly StateRange[] {
    const { ranges, live, ended, overLimit: over } = statesOf(filter)
    return [
      ...(live === undefined ? [] : ranges.live(live)).map((values) => ({ from: inState, values })),
      ...(ended === undefined ? [] : ranges.archived(ended)).map((values) => ({ from: archivedInState, values })),
      ...(over === undefined ? [] : filledOverLimit(over)).map((values) => ({ from: overLimit, values })),
    ]
  }

  function pageNear(filter: JobFilter, { first, last }: Range, page: PageOf): readonly number[] | undefined {
    if (filter.endpointId !== undefined || page.oldestFirst) return undefined
    const newest = Math.min(last, newestSeq())
    const from = Math.max(first, newest - NEAR_ROWS + 1)
    const states = JSON.stringify(someStates(filter) ?? JOB_STATES)
    const values = { states, overLimit: Number(takesOverLimit(filter)), archived: archivedOf(filter) }
    const { limit: most, offset } = page
    const found = near({ first: from, last: newest, ...values, limit: most, offset })
    return found.length === most || from === first ? found : undefined
  }

  function seqs(filter: JobFilter, page: PageOf): readonly number[] {
    const way = wayOf(filter)
    const query = { ...rangeOf(filter), ...page }
    switch (way.by) {
      case 'batch': {
        const most = page.limit + page.offset
        const ranges = JOB_STATES.map((status) =>
          ofBatch.all({ ...query, ...way.values, status, limit: most, offset: 0 }),
        )
        return merged(ranges, page.oldestFirst).slice(page.offset, most)
      }
      case 'worker':
        return (way.alone ? ofWorker : ofWorkerWhere).all({ ...query, ...way.values })
      case 'states': {
        const found = pageNear(filter, query, page)
        if (found !== undefined) return found
        const most = page.limit + page.offset
        const ranges = filledRanges(filter).map(({ from, values }) =>
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

  function count(filter: JobFilter, most = limit('jobCount')): JobCount {
    const way = wayOf(filter)
    const range = rangeOf(filter)
    const by = (from: Statement, values: object) => (most: number) => from.count({ ...range, ...values, limit: most })
    switch (way.by) {
      case 'batch':
        return upTo(
          most,
          JOB_STATES.map((status) => by(ofBatch, { ...way.values, status })),
        )
      case 'worker':
        return upTo(limit(way.alone ? 'jobCount' : 'jobCountRead'), [
          by(way.alone ? ofWorker : ofWorkerWhere, way.values),
        ])
      case 'states': {
        const { ranges, live, ended, overLimit: over } = statesOf(filter)
        return upTo(most, [
          (most) => (live === undefined ? 0 : ranges.countLive({ ...range, ...live, limit: most })),
          (most) => (ended === undefined ? 0 : ranges.countArchived({ ...range, ...ended, limit: most })),
          (most) => (over === undefined ? 0 : countOverLimit({ ...range, ...over, limit: most })),
        ])
      }
      case 'endpoint':
        return upTo(limit('jobCount'), [by(ofEndpoint, way.values)])
      case 'all': {
        const counted = range.first === 1 ? countFromOldest : countAll
        return upTo(limit('jobCount'), [(most) => counted({ ...range, limit: most })])
      }
    }
  }

  return { seqs, count, rangeOf }
}

export type JobCount = { readonly count: number; readonly more: boolean }

type Way =
  | { readonly by: 'states' | 'all' }
  | { readonly by: 'worker'; readonly alone: boolean; readonly values: object }
  | { readonly by: 'endpoint' | 'batch'; readonly values: object }

function someStates({ states }: JobFilter): readonly JobState[] | undefined {
  const some = JOB_STATES.filter((state) => states === undefined || states.includes(state))
  return some.length === JOB_STATES.length ? undefined : some
}

function takesOverLimit({ states, withTimeLimits = false }: JobFilter): boolean {
  return withTimeLimits && states?.includes('TIMED_OUT') === true && !states.includes('FAILED')
}

const archivedOf = ({ archived }: JobFilter) => (archived === undefined ? null : Number(archived))

export function conditionsOf(filter: JobFilter) {
  const states = someStates(filter)
  return {
    states: states === undefined ? null : JSON.stringify(states),
    overLimit: Number(takesOverLimit(filter)),
    endpointId: filter.endpointId ?? null,
    workerId: filter.workerId ?? null,
    batchId: filter.batchId ?? null,
    archived: archivedOf(filter),
  }
}

export type Conditions = ReturnType<typeof conditionsOf>

function wayOf(filter: JobFilter): Way {
  const conditions = conditionsOf(filter)
  const { states, endpointId, workerId, batchId, archived } = conditions
  const isAnyState = states === null && archived === null
  if (batchId !== null) return { by: 'batch', values: conditions }
  if (workerId !== null) return { by: 'worker', alone: isAnyState && endpointId === null, values: conditions }
  if (!isAnyState) return { by: 'states' }
  return endpointId === null ? { by: 'all' } : { by: 'endpoint', values: { endpointId } }
}

export type PageOf = {
  readonly limit: number
  readonly offset: number
  readonly oldestFirst: boolean
  readonly phraseFirst?: boolean
}

type Statement = ReturnType<typeof statement>

type StateRange = { readonly from: Statement; readonly values: object }

function prepareRanges(db: Database, held: (archived: 0 | 1) => string) {
  const query = queriesOf(db)
  const ranges = (sql: string) => query<[object], object>(sql).all()
  const count = (sql: string) => query<[object], number>(sql).value(0)
  return {
    live: ranges(`
      ${held(0)} SELECT held.endpoint_id AS endpointId, held.status, lanes.value AS lane
      FROM ${LIVE_RANGES} WHERE EXISTS (SELECT 1 FROM jobs WHERE ${IN_LIVE_RANGE})`),
    archived: ranges(`
      ${held(1)} SELECT held.endpoint_id AS endpointId, held.status
      FROM held WHERE EXISTS (SELECT 1 FROM jobs WHERE ${IN_ARCHIVED_RANGE})`),
    countLive: count(`${held(0)} ${countOf(LIVE_RANGES, IN_LIVE_RANGE)}`),
    countArchived: count(`${held(1)} ${countOf('held', IN_ARCHIVED_RANGE)}`),
  }
}

export function statement(db: Database, sql: string) {
  // Plain numbers, as a jump far down a list passes some ten thousand.
  const query = queriesOf(db)
  const down = query<[object], number>(sql).values()
  const up = query<[object], number>(sql.replace(NEWEST_FIRST, OLDEST_FIRST)).values()
  const counted = query<[object], number>(`SELECT COUNT(*) FROM (${sql})`).value(0)
  return {
    all: ({
      oldestFirst,
      phraseFirst: _order,
      ...values
    }: PageOf & Readonly<Record<string, unknown>>): readonly number[] => (oldestFirst ? up : down)(values),
    count: (values: object): number => counted({ offset: 0, ...values }),
  }
}

function upTo(most: number, counts: readonly ((limit: number) => number)[]): JobCount {
  let sum = 0
  for (const count of counts) {
    sum += count(most + 1 - sum)
    if (sum > most) return { count: most, more: true }
  }
  return { count: sum, more: false }
}

function merged(ranges: readonly (readonly number[])[], oldestFirst: boolean): readonly number[] {
  const filled = ranges.filter((range) => range.length > 0)
  return filled.length === 1 && filled[0] !== undefined
    ? filled[0]
    : filled.flat().sort((a, b) => (oldestFirst ? a - b : b - a))
}

const OLDEST_IN_LANE = (lane: string) => `
  SELECT MIN(seq) AS seq FROM jobs
  WHERE endpoint_id = @endpointId AND status = 'IN_QUEUE' AND archived = 0 AND lane = ${lane}`

type Count = {
  readonly endpointId: string
  readonly status: JobState
  readonly lowPriority: 0 | 1
  readonly pool: WorkerPool
  readonly count: number
}

export function createJobList(db: Database) {
  const query = queriesOf(db)
  const oldest = query<[{ endpointId: string; lane: number }], Job>(`
    SELECT ${JOB_COLUMNS} FROM jobs WHERE seq = (
      SELECT MIN(seq) FROM (${OLDEST_IN_LANE('@lane')} UNION ALL ${OLDEST_IN_LANE('@lane + 2')}))`).one()
  const endpointIds = query<[], string>(`SELECT id FROM endpoints`).values()
  const inProgress = query<[endpointId: string], Job>(`
    SELECT ${JOB_COLUMNS} FROM jobs WHERE endpoint_id = ? AND status = 'IN_PROGRESS' AND archived = 0`).all()
  const counts = query<[endpointId: string], Count>(`
    SELECT endpoint_id AS endpointId, status, lane & 1 AS lowPriority, ${POOL_OF_LANE}, COUNT(*) AS count FROM jobs
    WHERE endpoint_id = ? AND status IN ('IN_QUEUE', 'IN_PROGRESS') AND archived = 0 GROUP BY status, lane`).all()
  return {
    pastDeadline: query<[steady: number, limit: number], Job>(`
      SELECT ${JOB_COLUMNS} FROM jobs WHERE deadline_at <= ? AND archived = 0
      ORDER BY deadline_at LIMIT ?`).all(),
    newestSeq: query<[], number>(NEWEST_SEQ).value(0),
    // The plus stops the seq range from choosing an index that would re-sort all waiting jobs per batch.
    waiting: query<[endpointId: string, newest: number, limit: number], Job>(`
      SELECT ${JOB_COLUMNS} FROM jobs WHERE endpoint_id = ? AND status = 'IN_QUEUE' AND archived = 0 AND +seq <= ?
      ORDER BY lane, seq LIMIT ?`).all(),
    oldestWaiting: (endpointId: string, pool: WorkerPool, lowPriority: 0 | 1) =>
      oldest({ endpointId, lane: firstLane(pool) + lowPriority }),
    inProgress: () => endpointIds().flatMap((id) => inProgress(id)),
    counts: () => endpointIds().flatMap((id) => counts(id)),
  }
}

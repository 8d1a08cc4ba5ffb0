import type { Database } from 'better-sqlite3'
import type { JobState } from '../contract/job.ts'
import { matchExpression } from '../domain/job/search-query.ts'
import type { Job, JobStore } from '../services/ports.ts'
import { JOB_COLUMNS } from './job-columns.ts'

const PAST_DEADLINE = `SELECT ${JOB_COLUMNS} FROM jobs WHERE deadline_at <= ? ORDER BY deadline_at LIMIT ?`
// The plus keeps the range of seq from choosing the index that would sort all waiting jobs again for each batch.
const WAITING = `
  SELECT ${JOB_COLUMNS} FROM jobs WHERE endpoint_id = ? AND status = 'IN_QUEUE' AND +seq <= ?
  ORDER BY low_priority, seq LIMIT ?`
const NEWEST_SEQ = `SELECT COALESCE(MAX(seq), 0) AS seq FROM jobs`
const OLDEST = `
  SELECT ${JOB_COLUMNS} FROM jobs
  WHERE endpoint_id = ? AND status = 'IN_QUEUE' AND low_priority = ? ORDER BY seq LIMIT 1`
const BEFORE = `
  SELECT COUNT(*) AS count FROM (
    SELECT 1 FROM jobs
    WHERE endpoint_id = @endpointId AND status = 'IN_QUEUE' AND (low_priority, seq) < (@lowPriority, @seq) LIMIT @limit)`
const IN_PROGRESS = `SELECT ${JOB_COLUMNS} FROM jobs WHERE endpoint_id = ? AND status = 'IN_PROGRESS'`
const ENDPOINT_IDS = `SELECT id FROM endpoints`
const COUNTS = `
  SELECT endpoint_id AS endpointId, status, low_priority AS lowPriority, COUNT(*) AS count FROM jobs
  WHERE endpoint_id = ? AND status IN ('IN_QUEUE', 'IN_PROGRESS') GROUP BY status, low_priority`
const NEWEST = `SELECT ${JOB_COLUMNS} FROM jobs WHERE seq < @before ORDER BY seq DESC LIMIT @limit`
const NEWEST_OF_ENDPOINT = `
  SELECT ${JOB_COLUMNS} FROM jobs WHERE endpoint_id = @endpointId AND seq < @before ORDER BY seq DESC LIMIT @limit`
// Two ranges of jobs_by_state, each already in order, so that no state is ever sorted as a whole.
const NEWEST_IN_STATE = `
  SELECT * FROM (
    SELECT * FROM (SELECT ${JOB_COLUMNS} FROM jobs
      WHERE endpoint_id = @endpointId AND status = @status AND low_priority = 0 AND seq < @before
      ORDER BY seq DESC LIMIT @limit)
    UNION ALL
    SELECT * FROM (SELECT ${JOB_COLUMNS} FROM jobs
      WHERE endpoint_id = @endpointId AND status = @status AND low_priority = 1 AND seq < @before
      ORDER BY seq DESC LIMIT @limit))
  ORDER BY seq DESC LIMIT @limit`
// The index gives rowids newest first, so the join stops at the limit. CROSS JOIN keeps it the outer loop.
const FOUND = `
  SELECT ${JOB_COLUMNS} FROM job_search CROSS JOIN jobs ON jobs.seq = job_search.rowid
  WHERE job_search MATCH @match AND job_search.rowid < @before AND (@status IS NULL OR jobs.status = @status)
  ORDER BY job_search.rowid DESC LIMIT @limit`

type Listing = Pick<
  JobStore,
  'pastDeadline' | 'newestSeq' | 'waiting' | 'oldestWaiting' | 'waitingBefore' | 'inProgress' | 'counts' | 'list'
>

/** The reads of many jobs. */
export function createJobList(db: Database): Listing {
  const pastDeadline = db.prepare<[number, number], Job>(PAST_DEADLINE)
  const waiting = db.prepare<[string, number, number], Job>(WAITING)
  const newestSeq = db.prepare<[], { seq: number }>(NEWEST_SEQ)
  const oldest = db.prepare<[string, number], Job>(OLDEST)
  const before = db.prepare<[object], { count: number }>(BEFORE)
  const inProgress = db.prepare<[string], Job>(IN_PROGRESS)
  const endpointIds = db.prepare<[], { id: string }>(ENDPOINT_IDS)
  const counts = db.prepare<[string], { endpointId: string; status: JobState; lowPriority: 0 | 1; count: number }>(
    COUNTS,
  )
  const newest = db.prepare<[object], Job>(NEWEST)
  const newestOfEndpoint = db.prepare<[object], Job>(NEWEST_OF_ENDPOINT)
  const newestInState = db.prepare<[object], Job>(NEWEST_IN_STATE)
  const found = db.prepare<[object], Job>(FOUND)
  const allIds = () => endpointIds.all().map((row) => row.id)

  return {
    pastDeadline: (steady, limit) => pastDeadline.all(steady, limit),
    newestSeq: () => newestSeq.get()?.seq ?? 0,
    waiting: (endpointId, limit, newest) => waiting.all(endpointId, newest, limit),
    oldestWaiting: (endpointId, lowPriority) => oldest.get(endpointId, lowPriority),
    waitingBefore: ({ endpointId, lowPriority, seq }, limit) =>
      before.get({ endpointId, lowPriority, seq, limit })?.count ?? 0,
    inProgress: () => allIds().flatMap((id) => inProgress.all(id)),
    counts: () => allIds().flatMap((id) => counts.all(id)),
    list(query) {
      const page = { before: query.before ?? Number.MAX_SAFE_INTEGER, limit: query.limit, status: query.status ?? null }
      if (query.text !== undefined) {
        const match = matchExpression(query.text, query.endpointId)
        return match === undefined ? [] : found.all({ ...page, match })
      }
      if (query.status !== undefined) {
        const ids = query.endpointId === undefined ? allIds() : [query.endpointId]
        const rows = ids.flatMap((endpointId) => newestInState.all({ ...page, endpointId }))
        return rows.sort((a, b) => b.seq - a.seq).slice(0, query.limit)
      }
      const { status: _unused, ...range } = page
      if (query.endpointId === undefined) return newest.all(range)
      return newestOfEndpoint.all({ ...range, endpointId: query.endpointId })
    },
  }
}

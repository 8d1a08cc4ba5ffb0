import type { Database } from 'better-sqlite3'
import type { JobState } from '../contract/job.ts'
import type { Job, JobStore } from '../services/ports.ts'
import { JOB_COLUMNS } from './job-columns.ts'

const PAST_DEADLINE = `
  SELECT ${JOB_COLUMNS} FROM jobs WHERE deadline_at <= ? AND archived = 0
  ORDER BY deadline_at LIMIT ?`
// The plus keeps the range of seq from choosing the index that would sort all waiting jobs again for each batch.
const WAITING = `
  SELECT ${JOB_COLUMNS} FROM jobs WHERE endpoint_id = ? AND status = 'IN_QUEUE' AND archived = 0 AND +seq <= ?
  ORDER BY low_priority, seq LIMIT ?`
const NEWEST_SEQ = `SELECT COALESCE(MAX(seq), 0) AS seq FROM jobs`
const OLDEST = `
  SELECT ${JOB_COLUMNS} FROM jobs
  WHERE endpoint_id = ? AND status = 'IN_QUEUE' AND archived = 0 AND low_priority = ? ORDER BY seq LIMIT 1`
const IN_PROGRESS = `SELECT ${JOB_COLUMNS} FROM jobs WHERE endpoint_id = ? AND status = 'IN_PROGRESS' AND archived = 0`
const ENDPOINT_IDS = `SELECT id FROM endpoints`
const COUNTS = `
  SELECT endpoint_id AS endpointId, status, low_priority AS lowPriority, COUNT(*) AS count FROM jobs
  WHERE endpoint_id = ? AND status IN ('IN_QUEUE', 'IN_PROGRESS') AND archived = 0 GROUP BY status, low_priority`
type Listing = Pick<JobStore, 'pastDeadline' | 'newestSeq' | 'waiting' | 'oldestWaiting' | 'inProgress' | 'counts'>

/** The reads of many jobs that the queue needs. */
export function createJobList(db: Database): Listing {
  const pastDeadline = db.prepare<[number, number], Job>(PAST_DEADLINE)
  const waiting = db.prepare<[string, number, number], Job>(WAITING)
  const newestSeq = db.prepare<[], { seq: number }>(NEWEST_SEQ)
  const oldest = db.prepare<[string, number], Job>(OLDEST)
  const inProgress = db.prepare<[string], Job>(IN_PROGRESS)
  const endpointIds = db.prepare<[], { id: string }>(ENDPOINT_IDS)
  const counts = db.prepare<[string], { endpointId: string; status: JobState; lowPriority: 0 | 1; count: number }>(
    COUNTS,
  )
  const allIds = () => endpointIds.all().map((row) => row.id)

  return {
    pastDeadline: (steady, limit) => pastDeadline.all(steady, limit),
    newestSeq: () => newestSeq.get()?.seq ?? 0,
    waiting: (endpointId, limit, newest) => waiting.all(endpointId, newest, limit),
    oldestWaiting: (endpointId, lowPriority) => oldest.get(endpointId, lowPriority),
    inProgress: () => allIds().flatMap((id) => inProgress.all(id)),
    counts: () => allIds().flatMap((id) => counts.all(id)),
  }
}

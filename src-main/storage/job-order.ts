/**
 * The order in which waiting jobs are claimed: those of normal priority first, each kind by place. The place of a job is its seq
 * until somebody moves it: to the front, which is below all places there are, or into the place of another job, which takes its
 * own. So no two jobs of an endpoint ever have the same place, also when they are queued again. Moved jobs stand in an index of
 * their own; where an endpoint has none of them, the order is that of jobs_by_state.
 */
import type { Database } from 'better-sqlite3'
import type { Job, JobStore } from '../services/ports.ts'
import { JOB_COLUMNS } from './job-columns.ts'

const WAITING = `status = 'IN_QUEUE' AND archived = 0`
const EXCEPT = `seq NOT IN (SELECT value FROM json_each(?))`
// ORDER BY follows the index, so the first row of the range is the answer, however many wait. CAST: where a column
// that is sorted by equals a bare parameter, SQLite compiles the statement anew at each call.
const FIRST_MOVED = `
  SELECT seq, low_priority AS lowPriority, place FROM jobs
  WHERE endpoint_id = CAST(? AS TEXT) AND ${WAITING} AND place IS NOT NULL
  ORDER BY low_priority, place LIMIT 1`
const FIRST_MOVED_EXCEPT = `
  SELECT seq, low_priority AS lowPriority, place FROM jobs
  WHERE endpoint_id = CAST(? AS TEXT) AND ${WAITING} AND place IS NOT NULL AND ${EXCEPT}
  ORDER BY low_priority, place LIMIT 1`
const FIRST = `
  SELECT seq FROM jobs WHERE endpoint_id = CAST(? AS TEXT) AND ${WAITING} ORDER BY low_priority, seq LIMIT 1`
const FIRST_EXCEPT = `
  SELECT seq FROM jobs WHERE endpoint_id = ? AND ${WAITING} AND ${EXCEPT} ORDER BY low_priority, seq LIMIT 1`
const FIRST_UNMOVED_EXCEPT = `
  SELECT seq, low_priority AS lowPriority, seq AS place FROM jobs
  WHERE endpoint_id = CAST(? AS TEXT) AND ${WAITING} AND place IS NULL AND ${EXCEPT}
  ORDER BY low_priority, seq LIMIT 1`
const UNMOVED = `
  SELECT ${JOB_COLUMNS} FROM jobs WHERE endpoint_id = CAST(? AS TEXT) AND ${WAITING} AND place IS NULL
  ORDER BY low_priority, seq LIMIT ?`
const MOVED = `
  SELECT ${JOB_COLUMNS} FROM jobs WHERE endpoint_id = CAST(? AS TEXT) AND ${WAITING} AND place IS NOT NULL
  ORDER BY low_priority, jobs.place LIMIT ?`
const BEFORE = `
  SELECT COUNT(*) AS count FROM (
    SELECT 1 FROM jobs
    WHERE endpoint_id = @endpointId AND ${WAITING} AND (low_priority, seq) < (@lowPriority, @place) LIMIT @limit)`
const UNMOVED_BEFORE = `
  SELECT COUNT(*) AS count FROM (
    SELECT 1 FROM jobs
    WHERE endpoint_id = @endpointId AND ${WAITING} AND place IS NULL
      AND (low_priority, seq) < (@lowPriority, @place) LIMIT @limit)`
const MOVED_BEFORE = `
  SELECT COUNT(*) AS count FROM (
    SELECT 1 FROM jobs
    WHERE endpoint_id = @endpointId AND ${WAITING} AND place IS NOT NULL
      AND (low_priority, place) < (@lowPriority, @place) LIMIT @limit)`
// Below zero, where no seq is, and below all that were moved there before, whatever became of them.
const TO_FRONT = `
  UPDATE jobs SET place = MIN(0, COALESCE((
    SELECT MIN(moved.place) FROM jobs moved
    WHERE moved.endpoint_id = jobs.endpoint_id AND moved.place IS NOT NULL AND moved.archived = 0), 0)) - 1
  WHERE seq = ? AND ${WAITING} RETURNING ${JOB_COLUMNS}`
const TAKE_PLACE = `UPDATE jobs SET place = @place WHERE seq = @seq AND ${WAITING} RETURNING ${JOB_COLUMNS}`

type Place = { readonly seq: number; readonly lowPriority: 0 | 1; readonly place: number }

/** The order of claims. */
export type JobOrder = Pick<JobStore, 'waitingBefore' | 'inOrder'> & {
  /** The job to be claimed next; undefined without any. @param except seqs to be skipped */
  readonly next: (endpointId: string, except: readonly number[]) => number | undefined
  /** Both give undefined where the job does not wait any more. */
  readonly toFront: (seq: number) => Job | undefined
  readonly takePlace: (seq: number, place: number) => Job | undefined
}

/** Reads and changes the order. */
export function createJobOrder(db: Database): JobOrder {
  const firstMoved = db.prepare<[string], Place>(FIRST_MOVED)
  const firstMovedExcept = db.prepare<[string, string], Place>(FIRST_MOVED_EXCEPT)
  const first = db.prepare<[string], { readonly seq: number }>(FIRST)
  const firstExcept = db.prepare<[string, string], { readonly seq: number }>(FIRST_EXCEPT)
  const firstUnmovedExcept = db.prepare<[string, string], Place>(FIRST_UNMOVED_EXCEPT)
  const unmoved = db.prepare<[string, number], Job>(UNMOVED)
  const moved = db.prepare<[string, number], Job>(MOVED)
  const before = db.prepare<[object], { readonly count: number }>(BEFORE)
  const unmovedBefore = db.prepare<[object], { readonly count: number }>(UNMOVED_BEFORE)
  const movedBefore = db.prepare<[object], { readonly count: number }>(MOVED_BEFORE)
  const toFront = db.prepare<[number], Job>(TO_FRONT)
  const takePlace = db.prepare<[object], Job>(TAKE_PLACE)

  return {
    next(endpointId, except) {
      const skipped = JSON.stringify(except)
      if (firstMoved.get(endpointId) === undefined)
        return (except.length === 0 ? first.get(endpointId) : firstExcept.get(endpointId, skipped))?.seq
      const some = [firstMovedExcept.get(endpointId, skipped), firstUnmovedExcept.get(endpointId, skipped)]
      return some.filter((one) => one !== undefined).toSorted(byPlace)[0]?.seq
    },
    inOrder: (endpointId, limit) =>
      [...moved.all(endpointId, limit), ...unmoved.all(endpointId, limit)].toSorted(byPlace).slice(0, limit),
    waitingBefore({ endpointId, lowPriority, place }, limit) {
      const values = { endpointId, lowPriority, place, limit }
      if (firstMoved.get(endpointId) === undefined) return before.get(values)?.count ?? 0
      return Math.min(limit, (unmovedBefore.get(values)?.count ?? 0) + (movedBefore.get(values)?.count ?? 0))
    },
    toFront: (seq) => toFront.get(seq),
    takePlace: (seq, place) => takePlace.get({ seq, place }),
  }
}

const byPlace = (one: Omit<Place, 'seq'>, other: Omit<Place, 'seq'>) =>
  one.lowPriority - other.lowPriority || one.place - other.place

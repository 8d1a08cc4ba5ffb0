import type { Database, Statement } from 'better-sqlite3'
import { isFinal, JOB_EVENTS, type JobEvent, TRANSITIONS } from '../domain/job/transitions.ts'
import type { Job, JobStore, MoveFields } from '../services/ports/storage.ts'
import type { EventLog } from './event-store.ts'
import { createJobFilter, createJobList, JOB_COLUMNS, READ_JOB } from './job-filter.ts'
import type { JobPayloads } from './job-payloads.ts'

// By position: this is the hottest write, and looking names up takes a tenth of it.
const INSERT = `
  INSERT INTO jobs (id, endpoint_id, status, low_priority, created_at, queued_at, execution_timeout_ms, ttl_ms,
                    retention_ms, deadline_at, webhook)
  VALUES (?, ?, 'IN_QUEUE', ?, ?, ?, ?, ?, ?, ?, ?)`
const INSERT_KEY = `INSERT INTO idempotency_keys (endpoint_id, key, seq) VALUES (?, ?, ?)`
const FIND_KEY = `
  SELECT ${JOB_COLUMNS} FROM jobs
  WHERE seq = (SELECT seq FROM idempotency_keys WHERE endpoint_id = ? AND key = ?)`
const FIND = `SELECT ${JOB_COLUMNS} FROM jobs WHERE id = ?`
const DELETE_CHUNKS = `DELETE FROM job_chunks WHERE seq = ?`
const INSERT_DELIVERY = `
  INSERT INTO webhook_deliveries (seq, url, state, next_at, updated_at) VALUES (?, ?, 'pending', ?, ?)`
const SET_TTL = `
  UPDATE jobs SET deadline_at = deadline_at - ttl_ms + @ttlMs, ttl_ms = @ttlMs
  WHERE seq = @seq AND finished_at IS NULL RETURNING ${JOB_COLUMNS}`
// Guarded by the attempt: a response that was on its way while the job began anew must not skip its new chunks.
const SET_CURSOR = `UPDATE jobs SET stream_cursor = @cursor WHERE seq = @seq AND attempt = @attempt`
const POSTPONE = `UPDATE jobs SET deadline_at = ? WHERE seq = ? AND finished_at IS NOT NULL AND archived = 0`
const REMOVE = `DELETE FROM jobs WHERE seq = ?`
const REMOVE_SEARCH = `DELETE FROM job_search WHERE rowid = ?`
const PENDING = `SELECT 1 FROM webhook_deliveries WHERE seq = ? AND state = 'pending'`

// Spans are at least 0: a slow correction of the wall clock below the jump limit may set a restarted service back a
// little.
const ENDED = 'finished_at = @now, execution_ms = MAX(0, @steady - started_at), deadline_at = @steady + retention_ms'
const QUEUED = 'worker_id = NULL, started_at = NULL, delay_ms = NULL, stream_cursor = 0'

/** What each move sets besides the state. */
const EFFECTS: Readonly<Record<JobEvent, string>> = {
  claim: `worker_id = @workerId, attempt = attempt + 1, started_at = @steady, delay_ms = MAX(0, @steady - queued_at),
          stream_cursor = 0`,
  progress: 'error = NULL',
  complete: ENDED,
  fail: `${ENDED}, error = @error`,
  exceedExecution: `${ENDED}, error = @error`,
  rescue: `${QUEUED}, retries = retries + 1, queued_at = @steady`,
  abandon: `${ENDED}, error = @error`,
  release: QUEUED,
  expire: ENDED,
  cancel: ENDED,
  purge: ENDED,
  retry: `${QUEUED}, finished_at = NULL, execution_ms = NULL, error = NULL, retries = 0,
          queued_at = @steady, deadline_at = @steady + ttl_ms`,
}

// A claim names the worker it gives the job to; every other move that names one must come from the holder of the lease.
// Without RETURNING, for which SQLite makes a table at each call: to read the row again takes a third of that.
function moveSql(event: JobEvent): string {
  const { from, to } = TRANSITIONS[event]
  const guard =
    event === 'claim'
      ? ''
      : 'AND (@workerId IS NULL OR worker_id = @workerId) AND (@attempt IS NULL OR attempt = @attempt)'
  return `
    UPDATE jobs SET status = '${to}', ${EFFECTS[event]}
    WHERE seq = @seq AND status IN (${from.map((state) => `'${state}'`).join(', ')}) AND archived = 0 ${guard}`
}

// From one state, and the worker stays in the row: then nobody needs to see the row before the move.
function isSentByTable(event: JobEvent): boolean {
  return TRANSITIONS[event].from.length === 1 && TRANSITIONS[event].to !== 'IN_QUEUE'
}

/** Makes the store of jobs. All states are written by `move`. */
export function createJobStore(db: Database, events: EventLog, payloads: JobPayloads): JobStore {
  const insert = db.prepare(INSERT)
  const insertKey = db.prepare(INSERT_KEY)
  const findKey = db.prepare<[string, string], Job>(FIND_KEY)
  const find = db.prepare<[string], Job>(FIND)
  const read = db.prepare<[number], Job>(READ_JOB)
  const deleteChunks = db.prepare(DELETE_CHUNKS)
  const insertDelivery = db.prepare(INSERT_DELIVERY)
  const order = createJobOrder(db)
  const setTtl = db.prepare<[object], Job>(SET_TTL)
  const setCursor = db.prepare(SET_CURSOR)
  const postpone = db.prepare(POSTPONE)
  const remove = db.prepare(REMOVE)
  const removeSearch = db.prepare(REMOVE_SEARCH)
  const pending = db.prepare(PENDING)
  const moves = new Map<JobEvent, Statement<[object]>>(JOB_EVENTS.map((event) => [event, db.prepare(moveSql(event))]))

  const move: JobStore['move'] = (seq, event, fields, moment) => {
    const before = isSentByTable(event) ? undefined : read.get(seq)
    const moved = moves.get(event)?.run(parameters(seq, fields, moment))
    const job = moved?.changes === 1 ? read.get(seq) : undefined
    if (job === undefined) return undefined
    if (job.status === 'IN_QUEUE') {
      // The next attempt starts from nothing, so its stream is read from the start.
      payloads.deleteOutput(seq)
      deleteChunks.run(seq)
    }
    if (fields.output !== undefined) payloads.writeOutput(seq, fields.output)
    else if (isFinal(job.status) && job.startedAt !== null) payloads.deleteOutput(seq)
    if (isFinal(job.status) && job.webhook !== null) insertDelivery.run(seq, job.webhook, moment.steady, moment.now)
    const from = before?.status ?? TRANSITIONS[event].from[0]
    const worker = job.workerId ?? before?.workerId ?? undefined
    events.recordJob(job, event, from, moment.now, worker, fields.reason)
    return job
  }

  return {
    ...createJobList(db),
    ...createJobFilter(db),
    move,
    insert(job, { now, steady }) {
      const { id, endpointId, lowPriority, executionTimeoutMs, ttlMs, retentionMs, webhook } = job
      const spans = [executionTimeoutMs, ttlMs, retentionMs, steady + ttlMs]
      const { lastInsertRowid } = insert.run(id, endpointId, lowPriority ? 1 : 0, now, steady, ...spans, webhook)
      const seq = Number(lastInsertRowid)
      payloads.insertInput(seq, job.input, job.s3Config)
      if (job.idempotencyKey !== undefined) insertKey.run(job.endpointId, job.idempotencyKey, seq)
      const row = newRow(seq, job, now, steady)
      events.recordJob(row, 'submit', undefined, now, undefined, undefined)
      return row
    },
    claim(endpointId, workerId, except, moment) {
      const seq = order.next(endpointId, except)
      return seq === undefined ? undefined : move(seq, 'claim', { workerId }, moment)
    },
    moveToFront(seq, { now }) {
      const job = order.toFront(seq)
      if (job !== undefined) events.recordJob(job, 'reorder', 'IN_QUEUE', now, undefined, 'moved to the front')
      return job
    },
    swapPositions(seq, otherSeq, { now }) {
      const [one, other] = [read.get(seq), read.get(otherSeq)]
      if (one === undefined || other === undefined) return undefined
      // Within one transaction, so either both wait or neither is moved.
      if ([one, other].some(({ status, archived }) => status !== 'IN_QUEUE' || archived === 1)) return undefined
      const [moved, partner] = [order.setPosition(seq, other.place), order.setPosition(otherSeq, one.place)]
      if (moved !== undefined) events.recordJob(moved, 'reorder', 'IN_QUEUE', now, undefined, `placed like ${other.id}`)
      if (partner !== undefined)
        events.recordJob(partner, 'reorder', 'IN_QUEUE', now, undefined, `placed like ${one.id}`)
      return moved
    },
    inOrder: order.inOrder,
    waitingBefore: order.waitingBefore,
    findByIdempotencyKey: (endpointId, key) => findKey.get(endpointId, key),
    find: (id) => find.get(id),
    read: (seq) => read.get(seq),
    readInput: payloads.readInput,
    readOutput: payloads.readOutput,
    setTtl: (seq, ttlMs) => setTtl.get({ seq, ttlMs }),
    setStreamCursor: (seq, attempt, cursor) => void setCursor.run({ seq, attempt, cursor }),
    hasPendingDelivery: (seq) => pending.get(seq) !== undefined,
    postponeArchiving: (seq, steady) => void postpone.run(steady, seq),
    remove(seq) {
      removeSearch.run(seq)
      remove.run(seq)
    },
    history: events.history,
  }
}

function parameters(seq: number, fields: MoveFields, moment: { now: number; steady: number }): object {
  return {
    seq,
    now: moment.now,
    steady: moment.steady,
    workerId: fields.workerId ?? null,
    attempt: fields.attempt ?? null,
    error: fields.error ?? null,
  }
}

// The row as INSERT leaves it, without reading it back: this is the hottest write.
function newRow(seq: number, job: Parameters<JobStore['insert']>[0], now: number, steady: number): Job {
  return {
    seq,
    id: job.id,
    endpointId: job.endpointId,
    status: 'IN_QUEUE',
    lowPriority: job.lowPriority ? 1 : 0,
    attempt: 0,
    retries: 0,
    workerId: null,
    createdAt: now,
    queuedAt: steady,
    startedAt: null,
    finishedAt: null,
    delayMs: null,
    executionMs: null,
    executionTimeoutMs: job.executionTimeoutMs,
    ttlMs: job.ttlMs,
    retentionMs: job.retentionMs,
    deadlineAt: steady + job.ttlMs,
    streamCursor: 0,
    webhook: job.webhook ?? null,
    error: null,
    archived: 0,
    place: seq,
  }
}

// The order in which waiting jobs are claimed: those of normal priority first, each kind by position. The position of a
// job is its seq until somebody moves it: to the front, which is below all positions there are, or into the position of
// another job, which takes its own. So no two jobs of an endpoint ever have the same position, also when they are
// queued again. Moved jobs stand in an index of their own; where an endpoint has none of them, the order is that of
// jobs_by_state.

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
const SET_POSITION = `UPDATE jobs SET place = @place WHERE seq = @seq AND ${WAITING} RETURNING ${JOB_COLUMNS}`

type QueuePosition = { readonly seq: number; readonly lowPriority: 0 | 1; readonly place: number }

/** The order of claims. */
type JobOrder = Pick<JobStore, 'waitingBefore' | 'inOrder'> & {
  /** The job to be claimed next; undefined without any. @param except seqs to be skipped */
  readonly next: (endpointId: string, except: readonly number[]) => number | undefined
  /** Both give undefined where the job does not wait any more. */
  readonly toFront: (seq: number) => Job | undefined
  readonly setPosition: (seq: number, place: number) => Job | undefined
}

/** Reads and changes the order. */
function createJobOrder(db: Database): JobOrder {
  const firstMoved = db.prepare<[string], QueuePosition>(FIRST_MOVED)
  const firstMovedExcept = db.prepare<[string, string], QueuePosition>(FIRST_MOVED_EXCEPT)
  const first = db.prepare<[string], { readonly seq: number }>(FIRST)
  const firstExcept = db.prepare<[string, string], { readonly seq: number }>(FIRST_EXCEPT)
  const firstUnmovedExcept = db.prepare<[string, string], QueuePosition>(FIRST_UNMOVED_EXCEPT)
  const unmoved = db.prepare<[string, number], Job>(UNMOVED)
  const moved = db.prepare<[string, number], Job>(MOVED)
  const before = db.prepare<[object], { readonly count: number }>(BEFORE)
  const unmovedBefore = db.prepare<[object], { readonly count: number }>(UNMOVED_BEFORE)
  const movedBefore = db.prepare<[object], { readonly count: number }>(MOVED_BEFORE)
  const toFront = db.prepare<[number], Job>(TO_FRONT)
  const setPosition = db.prepare<[object], Job>(SET_POSITION)

  return {
    next(endpointId, except) {
      const skipped = JSON.stringify(except)
      if (firstMoved.get(endpointId) === undefined)
        return (except.length === 0 ? first.get(endpointId) : firstExcept.get(endpointId, skipped))?.seq
      const some = [firstMovedExcept.get(endpointId, skipped), firstUnmovedExcept.get(endpointId, skipped)]
      return some.filter((one) => one !== undefined).toSorted(byPosition)[0]?.seq
    },
    inOrder: (endpointId, limit) =>
      [...moved.all(endpointId, limit), ...unmoved.all(endpointId, limit)].toSorted(byPosition).slice(0, limit),
    waitingBefore({ endpointId, lowPriority, place }, limit) {
      const values = { endpointId, lowPriority, place, limit }
      if (firstMoved.get(endpointId) === undefined) return before.get(values)?.count ?? 0
      return Math.min(limit, (unmovedBefore.get(values)?.count ?? 0) + (movedBefore.get(values)?.count ?? 0))
    },
    toFront: (seq) => toFront.get(seq),
    setPosition: (seq, place) => setPosition.get({ seq, place }),
  }
}

const byPosition = (one: Omit<QueuePosition, 'seq'>, other: Omit<QueuePosition, 'seq'>) =>
  one.lowPriority - other.lowPriority || one.place - other.place

import type { Database, Statement } from 'better-sqlite3'
import { isFinal, JOB_EVENTS, type JobEvent, TRANSITIONS } from '../domain/job/transitions.ts'
import type { Job, JobStore, MoveFields } from '../services/ports/storage.ts'
import type { EventLog } from './event-store.ts'
import { createJobFilter, createJobList, JOB_COLUMNS, PLACE_GAP, READ_JOB } from './job-filter.ts'
import type { JobPayloads } from './job-payloads.ts'

// By position: this is the hottest write, and looking names up takes a tenth of it.
const INSERT = `
  INSERT INTO jobs (id, endpoint_id, status, low_priority, lane, created_at, queued_at, execution_timeout_ms, ttl_ms,
                    retention_ms, deadline_at, webhook)
  VALUES (?, ?, 'IN_QUEUE', ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const INSERT_KEY = `INSERT INTO idempotency_keys (endpoint_id, key, seq) VALUES (?, ?, ?)`
const FIND_KEY = `
  SELECT ${JOB_COLUMNS} FROM jobs
  WHERE seq = (SELECT seq FROM idempotency_keys WHERE endpoint_id = ? AND key = ?)`
const FIND = `SELECT ${JOB_COLUMNS} FROM jobs WHERE id = ?`
const DELETE_CHUNKS = `DELETE FROM job_chunks WHERE seq = ?`
const INSERT_DELIVERY = `
  INSERT INTO webhook_deliveries (seq, url, state, next_at, updated_at) VALUES (?, ?, 'pending', ?, ?)`
const BEGINNINGS = `
  SELECT i.seq, substr(i.input, 1, @characters) AS input, substr(o.output, 1, @characters) AS output
  FROM json_each(@seqs) s CROSS JOIN job_inputs i ON i.seq = s.value LEFT JOIN job_outputs o ON o.seq = i.seq`
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
  const beginnings = db.prepare<[object], ReturnType<JobStore['beginnings']>[number]>(BEGINNINGS)
  const deleteChunks = db.prepare(DELETE_CHUNKS)
  const insertDelivery = db.prepare(INSERT_DELIVERY)
  const order = createJobOrder(db, (seq) => read.get(seq))
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

  const reordered = (job: Job | undefined, reason: string, now: number) => {
    if (job !== undefined) events.recordJob(job, 'reorder', 'IN_QUEUE', now, undefined, reason)
    return job
  }
  const waiting = (seq: number) => {
    const job = read.get(seq)
    return job?.status === 'IN_QUEUE' && job.archived === 0 ? job : undefined
  }

  return {
    ...createJobList(db),
    ...createJobFilter(db),
    move,
    insert(job, { now, steady }) {
      const { id, endpointId, lowPriority, executionTimeoutMs, ttlMs, retentionMs, webhook } = job
      const spans = [executionTimeoutMs, ttlMs, retentionMs, steady + ttlMs]
      const low = lowPriority ? 1 : 0
      const { lastInsertRowid } = insert.run(id, endpointId, low, low, now, steady, ...spans, webhook)
      const seq = Number(lastInsertRowid)
      // Most have none, and are not to pay for it.
      if (job.priority) order.setPriority(seq, job.priority)
      payloads.insertInput({ seq, id }, job.input, job.s3Config)
      if (job.idempotencyKey !== undefined) insertKey.run(job.endpointId, job.idempotencyKey, seq)
      const row = newRow(seq, job, now, steady)
      events.recordJob(row, 'submit', undefined, now, undefined, undefined)
      return row
    },
    claim(endpointId, workerId, except, moment) {
      const seq = order.next(endpointId, except)
      return seq === undefined ? undefined : move(seq, 'claim', { workerId }, moment)
    },
    moveToFront: (seq, { now }) => reordered(order.toFront(seq), 'moved to the front', now),
    moveToBack: (seq, { now }) => reordered(order.toBack(seq), 'moved to the back', now),
    // Within one transaction, so either all that stands there holds, or nothing is moved.
    moveBeside(seq, side, otherSeq, { now }) {
      const other = waiting(otherSeq)
      return other && reordered(order.beside(seq, side, other), `placed ${side} ${other.id}`, now)
    },
    setPriority: (seq, priority, { now }) =>
      reordered(order.setPriority(seq, priority), `priority set to ${priority}`, now),
    swapPositions(seq, otherSeq, { now }) {
      const [one, other] = [waiting(seq), waiting(otherSeq)]
      if (one === undefined || other === undefined) return undefined
      const moved = reordered(order.setPosition(seq, other.place), `placed like ${other.id}`, now)
      reordered(order.setPosition(otherSeq, one.place), `placed like ${one.id}`, now)
      return moved
    },
    inOrder: order.inOrder,
    waitingBefore: order.waitingBefore,
    findByIdempotencyKey: (endpointId, key) => findKey.get(endpointId, key),
    find: (id) => find.get(id),
    read: (seq) => read.get(seq),
    openInput: payloads.openInput,
    openOutput: payloads.openOutput,
    readInput: payloads.readInput,
    beginnings: (seqs, characters) => beginnings.all({ seqs: JSON.stringify(seqs), characters }),
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
    priority: job.priority ?? 0,
    place: seq * PLACE_GAP,
  }
}

// The order in which waiting jobs are claimed: normal priority before low, higher numbers before lower ones, each by
// place, and of equal places the older job. The place of a job follows from its seq until somebody moves it, or gives it a
// priority. Those stand in an index of their own, the others in lanes 0 and 1 of jobs_by_state, so that the next of
// either is the first row of a range.

const WAITING = `status = 'IN_QUEUE' AND archived = 0`
const OF_ENDPOINT = `endpoint_id = CAST(@endpointId AS TEXT) AND ${WAITING}`
const EXCEPT = `AND seq NOT IN (SELECT value FROM json_each(?))`
const POSITION = `seq, low_priority AS lowPriority, priority, COALESCE(place, seq * ${PLACE_GAP}) AS place`
const IN_MOVED_ORDER = 'ORDER BY low_priority, priority DESC, jobs.place, seq'
// ORDER BY follows the index, so the first row of the range is the answer, however many wait. CAST: where a column
// that is sorted by equals a bare parameter, SQLite compiles the statement anew at each call. By position, as claims are
// hot.
const firstSql = (which: string, order: string) => (except: string) =>
  `SELECT ${POSITION} FROM jobs
  WHERE endpoint_id = CAST(? AS TEXT) AND ${WAITING} AND ${which} ${except} ${order} LIMIT 1`
const firstMovedSql = firstSql('place IS NOT NULL', IN_MOVED_ORDER)
const firstUnmovedSql = firstSql('lane < 2', 'ORDER BY lane, seq')
const UNMOVED = `SELECT ${JOB_COLUMNS} FROM jobs WHERE ${OF_ENDPOINT} AND lane < 2 ORDER BY lane, seq LIMIT @limit`
const MOVED = `SELECT ${JOB_COLUMNS} FROM jobs WHERE ${OF_ENDPOINT} AND place IS NOT NULL ${IN_MOVED_ORDER} LIMIT @limit`
// Each part is a range of an index that holds all it needs, and stops where the parts before it have come to the limit.
const countSql = (where: string) =>
  `SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE ${OF_ENDPOINT} AND ${where} LIMIT @limit)`
const BEFORE = [
  'lane < @lowPriority',
  'lane = @lowPriority AND seq < @before',
  'place IS NOT NULL AND low_priority < @lowPriority',
  'place IS NOT NULL AND low_priority = @lowPriority AND priority > @priority',
  'place IS NOT NULL AND low_priority = @lowPriority AND priority = @priority AND place < @place',
  'place IS NOT NULL AND low_priority = @lowPriority AND priority = @priority AND place = @place AND seq < @seq',
].map(countSql)
const ALIKE = `low_priority = @lowPriority AND priority = @priority`
const besideSql = (order: '<' | '>') => {
  const sorted = order === '<' ? 'DESC' : 'ASC'
  return {
    moved: `
      SELECT ${POSITION} FROM jobs WHERE ${OF_ENDPOINT} AND place IS NOT NULL AND ${ALIKE} AND seq <> @except
        AND (place, seq) ${order} (@place, @seq) ORDER BY jobs.place ${sorted}, seq ${sorted} LIMIT 1`,
    unmoved: `
      SELECT ${POSITION} FROM jobs WHERE ${OF_ENDPOINT} AND lane = @lowPriority AND seq <> @except
        AND seq ${order === '<' ? '< @before' : '>= @before AND seq <> @seq'} ORDER BY seq ${sorted} LIMIT 1`,
  }
}
const SET_POSITION = `UPDATE jobs SET place = @place, lane = low_priority + 2 WHERE seq = @seq AND ${WAITING} RETURNING ${JOB_COLUMNS}`
// Without priority and place of its own it goes back among those that nobody moved.
const IS_PLAIN = `@priority = 0 AND COALESCE(place, seq * ${PLACE_GAP}) = seq * ${PLACE_GAP}`
const SET_PRIORITY = `
  UPDATE jobs SET priority = @priority, lane = CASE WHEN ${IS_PLAIN} THEN low_priority ELSE low_priority + 2 END,
    place = CASE WHEN ${IS_PLAIN} THEN NULL ELSE COALESCE(place, seq * ${PLACE_GAP}) END
  WHERE seq = @seq AND ${WAITING} RETURNING ${JOB_COLUMNS}`
// As small as this, so that many fit before the next job that comes.
const STEP = 64

type QueuePosition = Pick<Job, 'seq' | 'lowPriority' | 'priority' | 'place'>

/** The order of claims. */
type JobOrder = Pick<JobStore, 'waitingBefore' | 'inOrder'> & {
  /** The job to be claimed next; undefined without any. @param except seqs to be skipped */
  readonly next: (endpointId: string, except: readonly number[]) => number | undefined
  /** All of these give undefined where the job does not wait any more. */
  readonly toFront: (seq: number) => Job | undefined
  readonly toBack: (seq: number) => Job | undefined
  readonly beside: (seq: number, side: 'before' | 'after', other: Job) => Job | undefined
  readonly setPosition: (seq: number, place: number) => Job | undefined
  readonly setPriority: (seq: number, priority: number) => Job | undefined
}

/** Reads and changes the order. */
function createJobOrder(db: Database, read: (seq: number) => Job | undefined): JobOrder {
  const position = (sql: string) => db.prepare<[object], QueuePosition>(sql)
  const first = [firstMovedSql, firstUnmovedSql].map((sql) => db.prepare<[string], QueuePosition>(sql('')))
  const firstExcept = [firstMovedSql, firstUnmovedSql].map((sql) =>
    db.prepare<[string, string], QueuePosition>(sql(EXCEPT)),
  )
  const moved = db.prepare<[object], Job>(MOVED)
  const unmoved = db.prepare<[object], Job>(UNMOVED)
  const before = BEFORE.map((sql) => db.prepare<[object], number>(sql).pluck())
  const [previous, following] = (['<', '>'] as const).map((order) => Object.values(besideSql(order)).map(position))
  const setPosition = db.prepare<[object], Job>(SET_POSITION)
  const setPriority = db.prepare<[object], Job>(SET_PRIORITY)
  const newestSeq = db.prepare<[], number>(`SELECT COALESCE(MAX(seq), 0) FROM jobs`).pluck()
  const place = (seq: number, to: number) => setPosition.get({ seq, place: to })

  // The next one in the order from a place on, of those with the same priority.
  function beside(side: 'before' | 'after', endpointId: string, from: QueuePosition, except: number) {
    const [ofMoved, ofUnmoved] = (side === 'before' ? previous : following) ?? []
    const values = { endpointId, ...from, before: firstFrom(from), except }
    const found = [ofMoved?.get(values), from.priority === 0 ? ofUnmoved?.get(values) : undefined]
    const ordered = found.filter((one) => one !== undefined).toSorted(byPosition)
    return side === 'before' ? ordered.at(-1) : ordered[0]
  }

  // Where there is no room, those that follow move on a little, as few as have to.
  function between(job: Job, low: QueuePosition | undefined, high: QueuePosition): Job | undefined {
    if (low === undefined) return place(job.seq, high.place - PLACE_GAP)
    if (high.place - low.place >= 2) return place(job.seq, Math.floor((low.place + high.place) / 2))
    const at = low.place + STEP / 8
    // All are found before one is moved, as a moved one would be met again.
    const pushed: QueuePosition[] = []
    const placeOf = (n: number) => at + (n + 1) * (STEP / 8)
    let next: QueuePosition | undefined = high
    while (next !== undefined && next.place <= placeOf(pushed.length - 1)) {
      pushed.push(next)
      next = beside('after', job.endpointId, next, job.seq)
    }
    const result = place(job.seq, at)
    for (const [n, one] of pushed.entries()) place(one.seq, placeOf(n))
    return result
  }

  function ends(seq: number) {
    const job = read(seq)
    if (job === undefined) return undefined
    const far = { ...job, seq: Number.MAX_SAFE_INTEGER }
    return {
      first: beside('after', job.endpointId, { ...far, place: -Number.MAX_SAFE_INTEGER }, seq),
      last: beside('before', job.endpointId, { ...far, place: Number.MAX_SAFE_INTEGER }, seq),
    }
  }

  return {
    next(endpointId, except) {
      const skipped = JSON.stringify(except)
      const [one, other] =
        except.length === 0
          ? first.map((next) => next.get(endpointId))
          : firstExcept.map((next) => next.get(endpointId, skipped))
      if (one === undefined || other === undefined) return (one ?? other)?.seq
      return (byPosition(one, other) < 0 ? one : other).seq
    },
    inOrder: (endpointId, limit) =>
      [...moved.all({ endpointId, limit }), ...unmoved.all({ endpointId, limit })].toSorted(byPosition).slice(0, limit),
    waitingBefore({ endpointId, seq, lowPriority, priority, place: at }, limit) {
      const from = { seq, lowPriority, priority, place: at }
      let count = 0
      for (const part of before) {
        if (count >= limit) break
        count += part.get({ endpointId, ...from, before: firstFrom(from), limit: limit - count }) ?? 0
      }
      return count
    },
    // Below zero, where no place is that follows from a seq, and before the first that waits.
    toFront: (seq) => place(seq, Math.min(0, ends(seq)?.first?.place ?? 0) - PLACE_GAP),
    toBack: (seq) => place(seq, Math.max((newestSeq.get() ?? 0) * PLACE_GAP, ends(seq)?.last?.place ?? 0) + STEP),
    beside(seq, side, other) {
      const job = read(seq)
      if (job === undefined || job.seq === other.seq) return undefined
      const next = beside(side, job.endpointId, other, seq)
      if (side === 'before') return between(job, next, other)
      return next === undefined ? place(seq, other.place + STEP) : between(job, other, next)
    },
    setPosition: place,
    setPriority: (seq, priority) => setPriority.get({ seq, priority }),
  }
}

/**
 * The first seq of a job that nobody moved which stands at a position or behind it. Priorities above 0 stand before all
 * of those, those below behind.
 */
function firstFrom({ seq, priority, place }: QueuePosition): number {
  if (priority !== 0) return priority > 0 ? 0 : Number.MAX_SAFE_INTEGER
  const at = Math.ceil(place / PLACE_GAP)
  return at * PLACE_GAP === place && at < seq ? at + 1 : at
}

const byPosition = (one: QueuePosition, other: QueuePosition) =>
  one.lowPriority - other.lowPriority || other.priority - one.priority || one.place - other.place || one.seq - other.seq

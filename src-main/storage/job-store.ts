import type { Database, Statement } from 'better-sqlite3'
import { isFinal, JOB_EVENTS, type JobEvent, TRANSITIONS } from '../domain/job/transitions.ts'
import type { Job, JobStore, MoveFields } from '../services/ports.ts'
import type { EventLog } from './event-store.ts'
import { JOB_COLUMNS } from './job-columns.ts'
import { createJobFilter } from './job-filter.ts'
import { createJobList } from './job-list.ts'
import { createJobOrder } from './job-order.ts'
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
const READ = `SELECT ${JOB_COLUMNS} FROM jobs WHERE seq = ?`
const DELETE_CHUNKS = `DELETE FROM job_chunks WHERE seq = ?`
const INSERT_DELIVERY = `
  INSERT INTO webhook_deliveries (seq, url, state, next_at, updated_at) VALUES (?, ?, 'pending', ?, ?)`
const SET_TTL = `
  UPDATE jobs SET deadline_at = deadline_at - ttl_ms + @ttlMs, ttl_ms = @ttlMs
  WHERE seq = @seq AND finished_at IS NULL RETURNING ${JOB_COLUMNS}`
// Guarded by the attempt: an answer that was on its way while the job began anew must not skip its new chunks.
const SET_CURSOR = `UPDATE jobs SET stream_cursor = @cursor WHERE seq = @seq AND attempt = @attempt`
const POSTPONE = `UPDATE jobs SET deadline_at = ? WHERE seq = ? AND finished_at IS NOT NULL AND archived = 0`
const REMOVE = `DELETE FROM jobs WHERE seq = ?`
const REMOVE_SEARCH = `DELETE FROM job_search WHERE rowid = ?`
const PENDING = `SELECT 1 FROM webhook_deliveries WHERE seq = ? AND state = 'pending'`

// Spans are at least 0: a slow correction of the wall clock below the jump limit may set a restarted service back a little.
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
function moveSql(event: JobEvent): string {
  const { from, to } = TRANSITIONS[event]
  const guard =
    event === 'claim'
      ? ''
      : 'AND (@workerId IS NULL OR worker_id = @workerId) AND (@attempt IS NULL OR attempt = @attempt)'
  return `
    UPDATE jobs SET status = '${to}', ${EFFECTS[event]}
    WHERE seq = @seq AND status IN (${from.map((state) => `'${state}'`).join(', ')}) AND archived = 0 ${guard}
    RETURNING ${JOB_COLUMNS}`
}

// From one state, and the worker stays in the row: then nobody needs to see the row before the move.
function isToldByTable(event: JobEvent): boolean {
  return TRANSITIONS[event].from.length === 1 && TRANSITIONS[event].to !== 'IN_QUEUE'
}

/** Makes the store of jobs. All states are written by `move`. */
export function createJobStore(db: Database, events: EventLog, payloads: JobPayloads): JobStore {
  const insert = db.prepare(INSERT)
  const insertKey = db.prepare(INSERT_KEY)
  const findKey = db.prepare<[string, string], Job>(FIND_KEY)
  const find = db.prepare<[string], Job>(FIND)
  const read = db.prepare<[number], Job>(READ)
  const deleteChunks = db.prepare(DELETE_CHUNKS)
  const insertDelivery = db.prepare(INSERT_DELIVERY)
  const order = createJobOrder(db)
  const setTtl = db.prepare<[object], Job>(SET_TTL)
  const setCursor = db.prepare(SET_CURSOR)
  const postpone = db.prepare(POSTPONE)
  const remove = db.prepare(REMOVE)
  const removeSearch = db.prepare(REMOVE_SEARCH)
  const pending = db.prepare(PENDING)
  const moves = new Map<JobEvent, Statement<[object], Job>>(
    JOB_EVENTS.map((event) => [event, db.prepare(moveSql(event))]),
  )

  const move: JobStore['move'] = (seq, event, fields, moment) => {
    const before = isToldByTable(event) ? undefined : read.get(seq)
    const job = moves.get(event)?.get(parameters(seq, fields, moment))
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
    changePlaces(seq, otherSeq, { now }) {
      const [one, other] = [read.get(seq), read.get(otherSeq)]
      if (one === undefined || other === undefined) return undefined
      // Within one transaction, so either both wait or neither is moved.
      if ([one, other].some(({ status, archived }) => status !== 'IN_QUEUE' || archived === 1)) return undefined
      const [moved, partner] = [order.takePlace(seq, other.place), order.takePlace(otherSeq, one.place)]
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

import type { Database } from 'better-sqlite3'
import type { WorkerPool } from '../../../contract/endpoint.ts'
import { queriesOf } from '../../../database/queries.ts'
import { isFinal, JOB_EVENTS, type JobEvent, TRANSITIONS } from '../rules/transitions.ts'
import type { EventLog } from './event-store.ts'
import type { Job, Moment, MoveFields, NewJob } from './job.ts'
import { createJobList, firstLane, JOB_COLUMNS, NEWEST_SEQ, PLACE_GAP, READ_JOB } from './job-filter.ts'
import type { JobPayloads } from './job-payloads.ts'
import { createJobSearch } from './job-search.ts'

// Durations are at least 0: after a restart, small clock corrections may set time back.
const ENDED = 'finished_at = @now, execution_ms = MAX(0, @steady - started_at), deadline_at = @steady + retention_ms'
const QUEUED = 'worker_id = NULL, started_at = NULL, delay_ms = NULL, stream_cursor = 0'

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

// A claim assigns the worker; any other transition naming one must come from the lease holder. Without RETURNING, whose
// table per call costs three times a second read.
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

// The source state is single and the worker stays in the row, so no prior read is needed.
function isSentByTable(event: JobEvent): boolean {
  return TRANSITIONS[event].from.length === 1 && TRANSITIONS[event].to !== 'IN_QUEUE'
}

export type JobStore = ReturnType<typeof createJobStore>

/** All states are written by `move`; methods that write are called inside a Writer's work. */
export function createJobStore(db: Database, events: EventLog, payloads: JobPayloads) {
  const query = queriesOf(db)
  // Positional, as named parameters cost a tenth of the hottest write.
  const insert = query<[id: string, endpointId: string, ...numbers: number[], webhook: string | undefined]>(`
    INSERT INTO jobs (id, endpoint_id, status, low_priority, lane, created_at, queued_at, execution_timeout_ms, ttl_ms,
                      retention_ms, deadline_at, webhook)
    VALUES (?, ?, 'IN_QUEUE', ?, ?, ?, ?, ?, ?, ?, ?, ?)`).insert()
  const insertKey = query<[endpointId: string, key: string, seq: number]>(`
    INSERT INTO idempotency_keys (endpoint_id, key, seq) VALUES (?, ?, ?)`).run()
  const read = query<[seq: number], Job>(READ_JOB).one()
  const beginnings = query<[{ seqs: string; characters: number }], Beginning>(`
    SELECT i.seq, substr(i.input, 1, @characters) AS input, substr(o.output, 1, @characters) AS output
    FROM json_each(@seqs) s CROSS JOIN job_inputs i ON i.seq = s.value
      LEFT JOIN job_outputs o ON o.seq = i.seq`).all()
  const deleteChunks = query<[seq: number]>(`DELETE FROM job_chunks WHERE seq = ?`).run()
  const insertDelivery = query<[seq: number, url: string, nextAt: number, updatedAt: number]>(`
    INSERT INTO webhook_deliveries (seq, url, state, next_at, updated_at) VALUES (?, ?, 'pending', ?, ?)`).run()
  const order = createJobOrder(db, read)
  const pending = query<[seq: number], 1>(`
    SELECT 1 FROM webhook_deliveries WHERE seq = ? AND state = 'pending'`).value()
  const removeSearch = query<[seq: number]>(`DELETE FROM job_search WHERE rowid = ?`).run()
  const remove = query<[seq: number]>(`DELETE FROM jobs WHERE seq = ?`).run()
  const moves = new Map(JOB_EVENTS.map((event) => [event, query<[object]>(moveSql(event)).changed()]))

  /** The only state change: applies the transition if table and fields allow it, otherwise returns undefined. */
  function move(seq: number, event: JobEvent, fields: MoveFields, moment: Moment): Job | undefined {
    const before = isSentByTable(event) ? undefined : read(seq)
    const job = moves.get(event)?.(parameters(seq, fields, moment)) ? read(seq) : undefined
    if (job === undefined) return undefined
    if (job.status === 'IN_QUEUE') {
      payloads.deleteOutput(seq)
      deleteChunks(seq)
    }
    if (fields.output !== undefined) payloads.writeOutput(seq, fields.output)
    else if (isFinal(job.status) && job.startedAt !== null) payloads.deleteOutput(seq)
    if (isFinal(job.status) && job.webhook !== null) insertDelivery(seq, job.webhook, moment.steady, moment.now)
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
    const job = read(seq)
    return job?.status === 'IN_QUEUE' && job.archived === 0 ? job : undefined
  }

  return {
    ...createJobList(db),
    ...createJobSearch(db),
    move,
    insert(job: NewJob, { now, steady }: Moment) {
      const { id, endpointId, lowPriority, pool = 'main', executionTimeoutMs, ttlMs, retentionMs, webhook } = job
      const low = lowPriority ? 1 : 0
      const spans = [executionTimeoutMs, ttlMs, retentionMs, steady + ttlMs]
      const seq = insert(id, endpointId, low, firstLane(pool) + low, now, steady, ...spans, webhook)
      if (job.priority) order.setPriority({ seq, priority: job.priority })
      payloads.insertInput({ seq, id }, job)
      if (job.idempotencyKey !== undefined) insertKey(endpointId, job.idempotencyKey, seq)
      const row = newRow(seq, job, now, steady)
      events.recordJob(row, 'submit', undefined, now, undefined, undefined)
      return row
    },
    /** Claims the first job in claim order that waits for a pool of the endpoint; skips the given seqs. */
    claim(
      { endpointId, pool }: { readonly endpointId: string; readonly pool: WorkerPool },
      workerId: string,
      except: readonly number[],
      moment: Moment,
    ) {
      const seq = order.next(endpointId, pool, except)
      return seq === undefined ? undefined : move(seq, 'claim', { workerId }, moment)
    },
    /** Places a waiting job before all others with its priority; undefined: it no longer waits. */
    moveToFront: (seq: number, { now }: Moment) => reordered(order.toFront(seq), 'moved to the front', now),
    moveToBack: (seq: number, { now }: Moment) => reordered(order.toBack(seq), 'moved to the back', now),
    /** Places it right before or after another job, which has the same priority. */
    moveBeside(seq: number, side: 'before' | 'after', otherSeq: number, { now }: Moment) {
      const other = waiting(otherSeq)
      return other && reordered(order.beside(seq, side, other), `placed ${side} ${other.id}`, now)
    },
    setPriority: (seq: number, priority: number, { now }: Moment) =>
      reordered(order.setPriority({ seq, priority }), `priority set to ${priority}`, now),
    swapPositions(seq: number, otherSeq: number, { now }: Moment) {
      const [one, other] = [waiting(seq), waiting(otherSeq)]
      if (one === undefined || other === undefined) return undefined
      const moved = reordered(order.setPosition({ seq, place: other.place }), `placed like ${other.id}`, now)
      reordered(order.setPosition({ seq: otherSeq, place: one.place }), `placed like ${one.id}`, now)
      return moved
    },
    inOrder: order.inOrder,
    /** Whether somebody moved the job to another place among those of its priority. */
    isPlaced: ({ seq, place }: Pick<Job, 'seq' | 'place'>) => place !== seq * PLACE_GAP,
    waitingBefore: order.waitingBefore,
    findByIdempotencyKey: query<[endpointId: string, key: string], Job>(`
      SELECT ${JOB_COLUMNS} FROM jobs
      WHERE seq = (SELECT seq FROM idempotency_keys WHERE endpoint_id = ? AND key = ?)`).one(),
    find: query<[id: string], Job>(`SELECT ${JOB_COLUMNS} FROM jobs WHERE id = ?`).one(),
    read,
    openInput: payloads.openInput,
    openOutput: payloads.openOutput,
    readInput: payloads.readInput,
    readOutput: payloads.readOutput,
    /** First characters of payloads; null for a job without output; missing jobs are omitted. */
    beginnings: (seqs: readonly number[], characters: number) => beginnings({ seqs: JSON.stringify(seqs), characters }),
    setTtl: query<[{ seq: number; ttlMs: number }], Job>(`
      UPDATE jobs SET deadline_at = deadline_at - ttl_ms + @ttlMs, ttl_ms = @ttlMs
      WHERE seq = @seq AND finished_at IS NULL RETURNING ${JOB_COLUMNS}`).one(),
    // Guarded by the attempt: a late response must not skip chunks of a restarted job.
    setStreamCursor: query<[{ seq: number; attempt: number; cursor: number }]>(`
      UPDATE jobs SET stream_cursor = @cursor WHERE seq = @seq AND attempt = @attempt`).run(),
    hasPendingDelivery: (seq: number) => pending(seq) !== undefined,
    /** Rechecks the deadline of an ended job at `steady`, and not earlier. */
    postponeArchiving: query<[{ seq: number; steady: number }]>(`
      UPDATE jobs SET deadline_at = @steady WHERE seq = @seq AND finished_at IS NOT NULL AND archived = 0`).run(),
    remove(seq: number) {
      removeSearch(seq)
      remove(seq)
    },
    history: events.history,
  }
}

type Beginning = { readonly seq: number; readonly input: string; readonly output: string | null }

function parameters(seq: number, fields: MoveFields, moment: Moment): object {
  return {
    seq,
    now: moment.now,
    steady: moment.steady,
    workerId: fields.workerId ?? null,
    attempt: fields.attempt ?? null,
    error: fields.error ?? null,
  }
}

function newRow(seq: number, job: NewJob, now: number, steady: number): Job {
  return {
    seq,
    id: job.id,
    endpointId: job.endpointId,
    status: 'IN_QUEUE',
    lowPriority: job.lowPriority ? 1 : 0,
    pool: job.pool ?? 'main',
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
    batchId: null,
  }
}

// Claim order within a pool: normal before low priority, higher before lower numbers, then place, then age. Moved and
// prioritised jobs have their own index, others the first two lanes of the pool in jobs_by_state, so either next is a
// range's first row.

const WAITING = `status = 'IN_QUEUE' AND archived = 0`
const OF_ENDPOINT = `endpoint_id = @endpointId AND ${WAITING}`
const EXCEPT = `AND seq NOT IN (SELECT value FROM json_each(?))`
const POSITION = `seq, lane & 5 AS lane, priority, COALESCE(place, seq * ${PLACE_GAP}) AS place`
const IN_MOVED_ORDER = 'ORDER BY jobs.lane, priority DESC, jobs.place, seq'
const MOVED = 'place IS NOT NULL AND lane'
// ORDER BY follows the index, so the first row answers regardless of queue length; positional, as claims are hot.
const firstSql = (which: string, order: string) => (except: string) =>
  `SELECT ${POSITION} FROM jobs
  WHERE endpoint_id = ? AND ${WAITING} AND ${which} BETWEEN ? AND ? ${except} ${order} LIMIT 1`
const firstMovedSql = firstSql(MOVED, IN_MOVED_ORDER)
const firstUnmovedSql = firstSql('lane', 'ORDER BY jobs.lane, seq')
const countSql = (where: string) =>
  `SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE ${OF_ENDPOINT} AND ${where} LIMIT @limit)`
const BEFORE = [
  'lane BETWEEN @lane & 4 AND @lane - 1',
  'lane = @lane AND seq < @before',
  `${MOVED} BETWEEN (@lane & 4) + 2 AND @lane + 1`,
  `${MOVED} = @lane + 2 AND priority > @priority`,
  `${MOVED} = @lane + 2 AND priority = @priority AND place < @place`,
  `${MOVED} = @lane + 2 AND priority = @priority AND place = @place AND seq < @seq`,
].map(countSql)
const besideSql = (order: '<' | '>') => {
  const sorted = order === '<' ? 'DESC' : 'ASC'
  return {
    moved: `
      SELECT ${POSITION} FROM jobs WHERE ${OF_ENDPOINT} AND ${MOVED} = @lane + 2 AND priority = @priority AND seq <> @except
        AND (place, seq) ${order} (@place, @seq) ORDER BY jobs.place ${sorted}, seq ${sorted} LIMIT 1`,
    unmoved: `
      SELECT ${POSITION} FROM jobs WHERE ${OF_ENDPOINT} AND lane = @lane AND seq <> @except
        AND seq ${order === '<' ? '< @before' : '>= @before AND seq <> @seq'} ORDER BY seq ${sorted} LIMIT 1`,
  }
}
const IS_PLAIN = `@priority = 0 AND COALESCE(place, seq * ${PLACE_GAP}) = seq * ${PLACE_GAP}`
const STEP = 64

/** `lane` is that of unmoved jobs, so that it compares the classes of all. */
type QueuePosition = Pick<Job, 'seq' | 'priority' | 'place'> & { readonly lane: number }

const positionOf = ({ seq, pool, lowPriority, priority, place }: Job): QueuePosition => ({
  ...{ seq, priority, place, lane: firstLane(pool) + lowPriority },
})

/** Changes return undefined if the job no longer waits. */
function createJobOrder(db: Database, read: (seq: number) => Job | undefined) {
  const query = queriesOf(db)
  const firsts = [
    { sql: firstMovedSql, above: 2 },
    { sql: firstUnmovedSql, above: 0 },
  ].map(({ sql, above }) => ({
    above,
    any: query<[endpointId: string, ...lanes: number[]], QueuePosition>(sql('')).one(),
    except: query<[endpointId: string, low: number, high: number, seqs: string], QueuePosition>(sql(EXCEPT)).one(),
  }))
  const list = (inOrder: string) =>
    query<[{ endpointId: string; lane: number; limit: number }], Job>(`
      SELECT ${JOB_COLUMNS} FROM jobs WHERE ${OF_ENDPOINT} AND ${inOrder} LIMIT @limit`).all()
  const moved = list(`${MOVED} BETWEEN @lane + 2 AND @lane + 3 ${IN_MOVED_ORDER}`)
  const unmoved = list('lane BETWEEN @lane AND @lane + 1 ORDER BY lane, seq')
  const before = BEFORE.map((sql) => query<[object], number>(sql).value(0))
  const [previous, following] = (['<', '>'] as const).map((order) =>
    Object.values(besideSql(order)).map((sql) => query<[object], QueuePosition>(sql).one()),
  )
  const setPosition = query<[{ seq: number; place: number }], Job>(`
    UPDATE jobs SET place = @place, lane = lane | 2 WHERE seq = @seq AND ${WAITING} RETURNING ${JOB_COLUMNS}`).one()
  const newestSeq = query<[], number>(NEWEST_SEQ).value(0)
  const place = (seq: number, to: number) => setPosition({ seq, place: to })

  function beside(side: 'before' | 'after', endpointId: string, from: QueuePosition, except: number) {
    const [ofMoved, ofUnmoved] = (side === 'before' ? previous : following) ?? []
    const values = { endpointId, ...from, before: firstFrom(from), except }
    const found = [ofMoved?.(values), from.priority === 0 ? ofUnmoved?.(values) : undefined]
    const ordered = found.filter((one) => one !== undefined).toSorted(byPosition)
    return side === 'before' ? ordered.at(-1) : ordered[0]
  }

  function between(job: Job, low: QueuePosition | undefined, high: QueuePosition): Job | undefined {
    if (low === undefined) return place(job.seq, high.place - PLACE_GAP)
    if (high.place - low.place >= 2) return place(job.seq, Math.floor((low.place + high.place) / 2))
    const at = low.place + STEP / 8
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
    const far = { ...positionOf(job), seq: Number.MAX_SAFE_INTEGER }
    return {
      first: beside('after', job.endpointId, { ...far, place: -Number.MAX_SAFE_INTEGER }, seq),
      last: beside('before', job.endpointId, { ...far, place: Number.MAX_SAFE_INTEGER }, seq),
    }
  }

  return {
    next(endpointId: string, pool: WorkerPool, except: readonly number[]) {
      const skipped = JSON.stringify(except)
      const [one, other] = firsts.map((first) => {
        const low = firstLane(pool) + first.above
        if (except.length === 0) return first.any(endpointId, low, low + 1)
        return first.except(endpointId, low, low + 1, skipped)
      })
      if (one === undefined || other === undefined) return (one ?? other)?.seq
      return (byPosition(one, other) < 0 ? one : other).seq
    },
    inOrder(endpointId: string, pool: WorkerPool, limit: number) {
      const range = { endpointId, lane: firstLane(pool), limit }
      const byPlace = (one: Job, other: Job) => byPosition(positionOf(one), positionOf(other))
      return [...moved(range), ...unmoved(range)].toSorted(byPlace).slice(0, limit)
    },
    waitingBefore(job: Job, limit: number) {
      const { endpointId } = job
      const from = positionOf(job)
      let count = 0
      for (const part of before) {
        if (count >= limit) break
        count += part({ endpointId, ...from, before: firstFrom(from), limit: limit - count })
      }
      return count
    },
    toFront: (seq: number) => place(seq, Math.min(0, ends(seq)?.first?.place ?? 0) - PLACE_GAP),
    toBack: (seq: number) => place(seq, Math.max(newestSeq() * PLACE_GAP, ends(seq)?.last?.place ?? 0) + STEP),
    beside(seq: number, side: 'before' | 'after', other: Job) {
      const job = read(seq)
      if (job === undefined || job.seq === other.seq) return undefined
      const at = positionOf(other)
      const next = beside(side, job.endpointId, at, seq)
      if (side === 'before') return between(job, next, at)
      return next === undefined ? place(seq, other.place + STEP) : between(job, at, next)
    },
    setPosition,
    setPriority: query<[{ seq: number; priority: number }], Job>(`
      UPDATE jobs SET priority = @priority, lane = CASE WHEN ${IS_PLAIN} THEN lane & 5 ELSE lane | 2 END,
        place = CASE WHEN ${IS_PLAIN} THEN NULL ELSE COALESCE(place, seq * ${PLACE_GAP}) END
      WHERE seq = @seq AND ${WAITING} RETURNING ${JOB_COLUMNS}`).one(),
  }
}

function firstFrom({ seq, priority, place }: QueuePosition): number {
  if (priority !== 0) return priority > 0 ? 0 : Number.MAX_SAFE_INTEGER
  const at = Math.ceil(place / PLACE_GAP)
  return at * PLACE_GAP === place && at < seq ? at + 1 : at
}

const byPosition = (one: QueuePosition, other: QueuePosition) =>
  one.lane - other.lane || other.priority - one.priority || one.place - other.place || one.seq - other.seq

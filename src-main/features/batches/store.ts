import type { Database } from 'better-sqlite3'
import type { BatchState } from '../../contract/batch.ts'
import type { JobState } from '../../contract/job.ts'
import { queriesOf } from '../../database/queries.ts'
import type { DraftPlace, Job } from '../jobs/store/job.ts'
import { JOB_COLUMNS } from '../jobs/store/job-filter.ts'
import type { JobPayloads, NewDraft } from '../jobs/store/job-payloads.ts'
import type { BatchCounts } from './rules/counts.ts'
import { BATCH_EVENTS, BATCH_TRANSITIONS, type BatchEvent } from './rules/transitions.ts'

export type BatchPlace = DraftPlace & {
  readonly draftId?: string | undefined
  readonly instead?: number | undefined
}

export type Batch = {
  readonly seq: number
  readonly id: string
  readonly endpointId: string
  readonly name: string
  readonly fingerprint: string | null
  readonly total: number
  readonly received: number
  readonly state: BatchState
  /** 0: its jobs do not match its state yet. */
  readonly settled: 0 | 1
  readonly createdAt: number
}

export type BatchLine = {
  readonly line: number
  readonly id: string | null
  readonly seq: number | null
  readonly reason: string | null
}

export type Draft = DraftPlace & { readonly id: string; readonly request: string; readonly bytes: number }

const COLUMNS = `
  seq, id, endpoint_id AS endpointId, name, fingerprint, total, received, state, settled, created_at AS createdAt`

const moveSql = (event: BatchEvent) => {
  const { from, to } = BATCH_TRANSITIONS[event]
  return `
    UPDATE batches SET state = '${to}', settled = 0
    WHERE seq = ? AND state IN (${from.map((state) => `'${state}'`).join(', ')})`
}

export function createBatchStore(db: Database, payloads: JobPayloads) {
  const query = queriesOf(db)
  const counts = query<[number], { readonly status: keyof BatchCounts; readonly count: number }>(`
    SELECT status, count FROM batch_counts WHERE batch = ? AND count > 0`).all()
  const place = query<[{ batch: number; line: number; seq: number }]>(`
    INSERT INTO batch_lines (batch, line, id, seq) VALUES (@batch, @line, (SELECT id FROM jobs WHERE seq = @seq), @seq)
    ON CONFLICT (batch, line) DO UPDATE SET id = excluded.id, seq = excluded.seq`).run()
  const join = query<[batch: number | null, seq: number]>(`UPDATE jobs SET batch = ? WHERE seq = ?`).run()
  const addLine = query<[{ batch: number; line: number; id: string }]>(`
    INSERT INTO batch_lines (batch, line, id)
    SELECT @batch, @line, @id WHERE EXISTS (SELECT 1 FROM batches WHERE seq = @batch AND state = 'DRAFT')
    ON CONFLICT (batch, line) DO NOTHING`).changed()
  const refuse = query<[batch: number, line: number, id: string, reason: string]>(`
    INSERT INTO batch_lines (batch, line, id, reason) VALUES (?, ?, ?, ?)
    ON CONFLICT (batch, line) DO UPDATE SET reason = excluded.reason WHERE seq IS NULL AND reason IS NULL`).run()
  const removeLine = query<[batch: number, line: number]>(`
    DELETE FROM batch_lines WHERE batch = ? AND line = ? AND seq IS NULL AND reason IS NULL`).changed()
  const removeDraft = query<[batch: number, line: number]>(`
    DELETE FROM draft_requests WHERE batch = ? AND line = ?`).run()
  const shrink = query<[batch: number]>(`UPDATE batches SET total = total - 1 WHERE seq = ?`).run()
  const draftLines = query<[batch: number, after: number, limit: number], number>(`
    SELECT line FROM draft_requests WHERE batch = ? AND line > ? ORDER BY line LIMIT ?`).values()
  const removeLines = query<[{ batch: number; most: number }]>(`
    DELETE FROM batch_lines WHERE batch = @batch AND line <= (
      SELECT MAX(line) FROM (SELECT line FROM batch_lines WHERE batch = @batch ORDER BY line LIMIT @most))`).changes()
  const removeCounts = query<[number]>(`DELETE FROM batch_counts WHERE batch = ?`).run()
  const remove = query<[number]>(`DELETE FROM batches WHERE seq = ?`).run()
  const moves = new Map(BATCH_EVENTS.map((event) => [event, query<[seq: number]>(moveSql(event)).changed()]))

  /** Removes requests that will not become jobs; `lines`: also their lines, whose ids no call has returned. */
  function dropDrafts(batch: number, after: number, { most, lines }: { most: number; lines: boolean }): boolean {
    const found = draftLines(batch, after, most)
    for (const line of found) {
      removeDraft(batch, line)
      if (lines) removeLine(batch, line)
    }
    return found.length === most
  }

  return {
    list: query<[limit: number], Batch>(`SELECT ${COLUMNS} FROM batches ORDER BY seq DESC LIMIT ?`).all(),
    ofEndpoint: query<[endpointId: string], Batch>(`
      SELECT ${COLUMNS} FROM batches WHERE endpoint_id = ? ORDER BY seq DESC`).all(),
    get: query<[id: string], Batch>(`SELECT ${COLUMNS} FROM batches WHERE id = ?`).one(),
    named: query<[endpointId: string, fingerprint: string], Batch>(`
      SELECT ${COLUMNS} FROM batches WHERE endpoint_id = ? AND fingerprint = ? ORDER BY seq DESC LIMIT 1`).one(),
    unsettled: query<[], Batch>(`SELECT ${COLUMNS} FROM batches WHERE settled = 0 ORDER BY seq`).all(),
    settle: query<[seq: number, state: BatchState]>(`
      UPDATE batches SET settled = 1 WHERE seq = ? AND state = ?`).run(),
    insert: query<[Omit<Batch, 'seq' | 'received' | 'settled'>]>(`
      INSERT INTO batches (id, endpoint_id, name, fingerprint, total, state, created_at)
      VALUES (@id, @endpointId, @name, @fingerprint, @total, @state, @createdAt)`).run(),
    /** The only place that changes a state. @returns false if the table has no such transition */
    move: (seq: number, event: BatchEvent): boolean => moves.get(event)?.(seq) ?? false,
    rename: query<[name: string, seq: number]>(`UPDATE batches SET name = ? WHERE seq = ?`).run(),
    counts: (batch: number): BatchCounts =>
      Object.fromEntries(counts(batch).map(({ status, count }) => [status, count])),
    unended: query<[batch: number], number>(`
      SELECT SUM(count) FROM batches JOIN batch_counts ON batch = seq
      WHERE seq = ? AND (status IN ('IN_QUEUE', 'IN_PROGRESS')
        OR (status = 'UNQUEUED' AND state IN ('DRAFT', 'FINALIZED')))`).value(0),
    /** Undefined: the line was not taken in. */
    line: query<[batch: number, line: number], BatchLine>(`
      SELECT line, id, seq, reason FROM batch_lines WHERE batch = ? AND line = ?`).one(),
    lines: query<[batch: number, after: number, limit: number], BatchLine>(`
      SELECT line, id, seq, reason FROM batch_lines WHERE batch = ? AND line > ? ORDER BY line LIMIT ?`).all(),
    page: query<[batch: number, upTo: number, limit: number, offset: number], BatchLine>(`
      SELECT line, id, seq, reason FROM batch_lines WHERE batch = ? AND line <= ? ORDER BY line LIMIT ? OFFSET ?`).all(),
    lineOf: query<[batch: number, id: string], BatchLine>(`
      SELECT line, id, seq, reason FROM batch_lines WHERE +batch = ? AND id = ?`).one(),
    place(seq: number, { batch, line, instead }: BatchPlace) {
      if (instead !== undefined) join(null, instead)
      place({ batch, line, seq })
      removeDraft(batch, line)
      join(batch, seq)
    },
    positionOf: query<[seq: number], { readonly batch: number; readonly line: number }>(`
      SELECT batch, line FROM batch_lines WHERE seq = ?`).one(),
    refuse(batch: number, line: number, id: string, reason: string) {
      refuse(batch, line, id, reason)
      removeDraft(batch, line)
    },
    /** @returns false if the line exists already, or the batch is no longer a draft */
    addDraft(draft: NewDraft): boolean {
      const { batch, line, id } = draft
      if (!addLine({ batch, line, id })) return false
      payloads.insertDraft(draft)
      return true
    },
    removeDraft(batch: number, line: number): boolean {
      if (!removeLine(batch, line)) return false
      removeDraft(batch, line)
      shrink(batch)
      return true
    },
    dropDrafts,
    drafts: query<[batch: number, limit: number], Draft>(`
      SELECT d.batch, d.line, l.id, d.request, octet_length(d.input) AS bytes
      FROM draft_requests d CROSS JOIN batch_lines l ON l.batch = d.batch AND l.line = d.line
      WHERE d.batch = ? ORDER BY d.line LIMIT ?`).all(),
    readDraft: payloads.readDraft,
    /** Whether a request may become a job: its batch is finalized, and it is not a job yet. */
    mayQueue: query<[batch: number, line: number], 1>(`
      SELECT 1 FROM batches WHERE seq = ? AND state = 'FINALIZED'
        AND EXISTS (SELECT 1 FROM draft_requests d WHERE d.batch = batches.seq AND d.line = ?)`).value(),
    receive: query<[{ batch: number; line: number }]>(`
      UPDATE batches SET received = MAX(received, @line) WHERE seq = @batch`).run(),
    /** Counts newly stored requests, which shows them. @returns false if the batch is no longer a draft, or is full */
    grow: query<[{ batch: number; count: number; most: number }]>(`
      UPDATE batches SET total = total + @count, received = received + @count
      WHERE seq = @batch AND state = 'DRAFT' AND total + @count <= @most`).changed(),
    jobs: query<[batch: number, state: JobState, after: number, limit: number], Job>(`
      SELECT ${JOB_COLUMNS} FROM jobs WHERE batch = ? AND status = ? AND seq > ? ORDER BY seq LIMIT ?`).all(),
    newest: query<[batch: number, state: JobState, limit: number], Job>(`
      SELECT ${JOB_COLUMNS} FROM jobs WHERE batch = ? AND status = ? ORDER BY seq DESC LIMIT ?`).all(),
    refusals: query<[batch: number, limit: number], { readonly reason: string; readonly count: number }>(`
      SELECT reason, COUNT(*) AS count FROM batch_lines WHERE batch = ? AND reason IS NOT NULL
      GROUP BY reason ORDER BY count DESC LIMIT ?`).all(),
    remove(batch: number, most: number) {
      if (dropDrafts(batch, 0, { most, lines: false })) return false
      if (removeLines({ batch, most }) === most) return false
      removeCounts(batch)
      remove(batch)
      return true
    },
  }
}

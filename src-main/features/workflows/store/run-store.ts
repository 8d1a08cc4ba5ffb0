import type { Database } from 'better-sqlite3'
import type { JobState } from '../../../contract/job.ts'
import type { RunResult, RunView, SweepCell, SweepView } from '../../../contract/workflows.ts'
import { queriesOf } from '../../../database/queries.ts'
import { present } from '../../../lib/json/plain.ts'
import { isFinal } from '../../jobs/rules/transitions.ts'
import type { EventLog } from '../../jobs/store/event-store.ts'
import type { GraphNeeds } from '../../workers/rules/choose-job.ts'

type NewRun = Pick<RunView, 'id' | 'endpointId' | 'title' | 'createdAt'> & {
  readonly workflowId: string | undefined
  readonly label: string | undefined
  readonly sweepId: string | undefined
  readonly cell?: SweepCell | undefined
  readonly payload: string
  readonly document: string | undefined
  readonly files: readonly string[]
  /** Words that a search finds it by, in lower case. */
  readonly words: string
  /** Undefined: not needed, because the endpoint has only one server. */
  readonly needs: GraphNeeds | undefined
}

export type RunEnd = {
  readonly status: Exclude<RunView['status'], 'IN_QUEUE' | 'IN_PROGRESS'>
  readonly endedAt: number
  readonly executionMs: number | undefined
  readonly results: readonly RunResult[]
  readonly previews: readonly RunResult[]
  readonly errors: readonly string[]
}

export type RunQuery = {
  readonly workflowId: string | undefined
  readonly endpointId: string | undefined
  readonly sweepId: string | undefined
  readonly text: string | undefined
  readonly before: string | undefined
  readonly limit: number
}

/** Runs to keep: those ended at `before` (wall ms) or later, the newest `count`, and `bytes` of their texts. */
type RunRetention = { readonly before: number; readonly count: number; readonly bytes: number }

const COLUMNS = `
  r.id, r.endpoint_id AS endpointId, r.workflow_id AS workflowId, r.title, r.label, r.sweep_id AS sweepId, r.cell, r.status,
  r.created_at AS createdAt, r.ended_at AS endedAt, r.execution_ms AS executionMs, r.results, r.previews, r.errors, j.status AS jobStatus`
const FROM = `FROM workflow_runs r LEFT JOIN jobs j ON j.id = r.id AND r.ended_at IS NULL`
const REST = `
  AND r.seq < COALESCE((SELECT b.seq FROM workflow_runs b WHERE b.id = @before), 9007199254740991)
  AND (@endpointId IS NULL OR r.endpoint_id = @endpointId)
  AND (@text IS NULL OR INSTR(r.words, @text) > 0)
  ORDER BY r.seq DESC LIMIT @limit`
type Row = {
  readonly id: string
  readonly endpointId: string
  readonly workflowId: string | null
  readonly title: string
  readonly label: string | null
  readonly sweepId: string | null
  readonly cell: string | null
  readonly status: RunView['status']
  readonly createdAt: number
  readonly endedAt: number | null
  readonly executionMs: number | null
  readonly results: string
  readonly previews: string
  readonly errors: string
  readonly jobStatus: JobState | null
}
type SweepRow = Omit<SweepView, 'workflowId' | 'axes' | 'result'> & {
  readonly workflowId: string | null
  readonly cell: string | null
  readonly result: string | null
}
type Texts = { readonly payload: string; readonly document: string | null }

const NEEDS_KEPT = 2000

const needsIn = (text: string | undefined): GraphNeeds | undefined =>
  text === undefined ? undefined : JSON.parse(text)

export function createRunStore(db: Database, events: Pick<EventLog, 'recordRun'>) {
  const query = queriesOf(db)
  // Uses the narrowest index requested; other conditions are checked row by row.
  const listWhere = (narrowest: string) =>
    query<[object], Row>(`SELECT ${COLUMNS} ${FROM} WHERE ${narrowest} ${REST}`).all(viewOf)
  const list = listWhere('TRUE')
  const ofWorkflow = listWhere('r.workflow_id = @workflowId')
  const ofSweep = listWhere('r.sweep_id = @sweepId')
  const ofEndpoint = listWhere('r.endpoint_id = @endpointId')
  const get = query<[id: string], Row>(`SELECT ${COLUMNS} ${FROM} WHERE r.id = ?`).one(viewOf)
  const insert = query<[object]>(`
    INSERT INTO workflow_runs
      (id, endpoint_id, workflow_id, sweep_id, cell, title, label, status, created_at, results, errors, files, words, needs)
    VALUES (@id, @endpointId, @workflowId, @sweepId, @cell, @title, @label, 'IN_QUEUE', @createdAt, '[]', '[]', @files,
      @words, @needs)`).insert()
  const insertTexts = query<[seq: number, payload: string, document: string | undefined]>(`
    INSERT INTO workflow_run_texts (seq, payload, document) VALUES (?, ?, ?)`).run()
  const end = query<[object]>(`
    UPDATE workflow_runs SET status = @status, ended_at = @endedAt, execution_ms = @executionMs, results = @results,
      previews = @previews, errors = @errors
    WHERE id = @id AND ended_at IS NULL`).changed()
  const reopen = query<[id: string]>(`
    UPDATE workflow_runs SET status = 'IN_QUEUE', ended_at = NULL, execution_ms = NULL, results = '[]', previews = '[]',
      errors = '[]'
    WHERE id = ? AND ended_at IS NOT NULL`).changed()
  const needs = query<[ids: string], { readonly id: string; readonly needs: string }>(`
    SELECT id, needs FROM workflow_runs WHERE id IN (SELECT value FROM json_each(?)) AND needs IS NOT NULL`).all()
  // Each commit asks for those of all graphs that wait for several servers.
  const readNeeds = new Map<string, GraphNeeds | undefined>()
  const isOpen = query<[id: string], 1>(`SELECT 1 FROM workflow_runs WHERE id = ? AND ended_at IS NULL`).value()
  // By number, oldest first: an index of end times would cost every run.
  const trim = query<[{ before: number; count: number; limit: number }]>(`
    DELETE FROM workflow_runs WHERE seq IN (
      SELECT seq FROM workflow_runs ORDER BY seq LIMIT @limit
    ) AND (ended_at < @before
      OR ended_at IS NOT NULL AND seq <= (SELECT seq FROM workflow_runs ORDER BY seq DESC LIMIT 1 OFFSET @count))`).changes()
  const trimOldest = query<[bytes: number]>(`
    DELETE FROM workflow_runs WHERE seq IN (
      SELECT seq FROM workflow_runs WHERE ended_at IS NOT NULL ORDER BY seq LIMIT 1
    ) AND (SELECT bytes FROM workflow_runs_total) > ?`).changed()

  function listFor({ sweepId, workflowId, endpointId }: RunQuery) {
    if (sweepId !== undefined) return ofSweep
    if (workflowId !== undefined) return ofWorkflow
    return endpointId === undefined ? list : ofEndpoint
  }

  return {
    list(asked: RunQuery) {
      const { workflowId, endpointId, sweepId, text, before, limit } = asked
      return listFor(asked)({ workflowId, endpointId, sweepId, text: text?.toLowerCase(), before, limit })
    },
    get,
    /** Newest first; `before` is the id of one of them. */
    sweeps: query<[{ before: string | undefined; limit: number }], SweepRow>(`
      SELECT r.sweep_id AS id, r.title, r.endpoint_id AS endpointId, r.workflow_id AS workflowId, r.cell,
        r.created_at AS createdAt,
        (SELECT COUNT(*) FROM workflow_runs a WHERE a.sweep_id = r.sweep_id) AS runs,
        (SELECT COUNT(a.ended_at) FROM workflow_runs a WHERE a.sweep_id = r.sweep_id) AS ended,
        (SELECT COUNT(*) FROM workflow_runs a WHERE a.sweep_id = r.sweep_id AND a.status = 'COMPLETED') AS completed,
        (SELECT json_extract(a.results, '$[0]') FROM workflow_runs a
          WHERE a.sweep_id = r.sweep_id AND a.results <> '[]' ORDER BY a.seq DESC LIMIT 1) AS result
      FROM workflow_runs r
      WHERE r.sweep_id IS NOT NULL
        AND r.seq < COALESCE((SELECT MIN(b.seq) FROM workflow_runs b WHERE b.sweep_id = @before), 9007199254740991)
        AND NOT EXISTS (SELECT 1 FROM workflow_runs a WHERE a.sweep_id = r.sweep_id AND a.seq < r.seq)
      ORDER BY r.seq DESC LIMIT @limit`).all(sweepOf),
    ofSweep: query<[sweepId: string], { readonly id: string; readonly isOpen: 0 | 1 }>(`
      SELECT id, ended_at IS NULL AS isOpen FROM workflow_runs WHERE sweep_id = ? ORDER BY seq DESC`).all(
      ({ id, isOpen }) => ({ id, isOpen: isOpen === 1 }),
    ),
    texts: query<[id: string], Texts>(`
      SELECT t.payload, t.document FROM workflow_runs r JOIN workflow_run_texts t ON t.seq = r.seq WHERE r.id = ?`).one(
      ({ payload, document }) => ({ payload, document: document ?? undefined }),
    ),
    insert({ payload, document, files, cell, needs, ...run }: NewRun) {
      const texts = { cell: JSON.stringify(cell), files: JSON.stringify(files), needs: JSON.stringify(needs) }
      const seq = insert({ ...run, ...texts })
      insertTexts(seq, payload, document)
      events.recordRun({ at: run.createdAt, runId: run.id, endpointId: run.endpointId, event: 'created' })
    },
    end(id: string, { results, previews, errors, ...rest }: RunEnd) {
      const texts = {
        results: JSON.stringify(results),
        previews: JSON.stringify(previews),
        errors: JSON.stringify(errors),
      }
      const run = end({ id, ...rest, ...texts }) ? get(id) : undefined
      if (run !== undefined)
        events.recordRun({ at: rest.endedAt, runId: id, endpointId: run.endpointId, event: 'results' })
      return run
    },
    reopen(id: string, at: number) {
      const run = reopen(id) ? get(id) : undefined
      if (run !== undefined) events.recordRun({ at, runId: id, endpointId: run.endpointId, event: 'created' })
      return run !== undefined
    },
    /** Of those of the jobs for which they are known. */
    needs(jobIds: readonly string[]): ReadonlyMap<string, GraphNeeds> {
      const unread = jobIds.filter((id) => !readNeeds.has(id))
      if (unread.length > 0) {
        const texts = new Map(needs(JSON.stringify(unread)).map(({ id, needs: text }) => [id, text]))
        for (const id of unread) readNeeds.set(id, needsIn(texts.get(id)))
      }
      const found = new Map(
        jobIds.flatMap((id) => {
          const known = readNeeds.get(id)
          return known === undefined ? [] : [[id, known] as const]
        }),
      )
      for (const id of readNeeds.keys()) {
        if (readNeeds.size <= NEEDS_KEPT) break
        readNeeds.delete(id)
      }
      return found
    },
    isOpen: (id: string) => isOpen(id) !== undefined,
    open: query<[], string>(`SELECT id FROM workflow_runs WHERE ended_at IS NULL ORDER BY seq`).values(),
    remove: query<[id: string]>(`DELETE FROM workflow_runs WHERE id = ? AND ended_at IS NOT NULL`).changed(),
    /** Deletes up to `limit` of those that have ended and are not retained, the oldest first. @returns how many */
    trim({ before, count, bytes }: RunRetention, limit: number) {
      let gone = trim({ before, count, limit })
      while (gone < limit && trimOldest(bytes)) gone += 1
      return gone
    },
  }
}

function sweepOf({ workflowId, cell, result, ...row }: SweepRow): SweepView {
  const axes = cell === null ? [] : (JSON.parse(cell) as SweepCell).axes.map(({ name }) => name)
  return {
    ...row,
    axes,
    ...(workflowId === null ? {} : { workflowId }),
    ...(result === null ? {} : { result: JSON.parse(result) }),
  }
}

function viewOf({
  workflowId,
  label,
  sweepId,
  cell,
  endedAt,
  executionMs,
  results,
  previews,
  errors,
  jobStatus,
  ...row
}: Row): RunView {
  return {
    ...row,
    status: endedAt === null ? openStatus(jobStatus) : row.status,
    ...present({ workflowId, label, sweepId }),
    ...(cell === null ? {} : { cell: JSON.parse(cell) }),
    ...present({ endedAt, executionMs }),
    results: JSON.parse(results),
    ...(previews === '[]' ? {} : { previews: JSON.parse(previews) }),
    errors: JSON.parse(errors),
  }
}

// A run whose job has ended is in progress until its results are stored.
function openStatus(job: JobState | null): RunView['status'] {
  return job === null || isFinal(job) ? 'IN_PROGRESS' : job
}

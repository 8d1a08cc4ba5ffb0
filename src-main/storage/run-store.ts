import type { Database } from 'better-sqlite3'
import type { JobState } from '../contract/job.ts'
import type { RunView, SweepCell, SweepView } from '../contract/workflows.ts'
import { isFinal } from '../domain/job/transitions.ts'
import type { RunQuery, RunStore } from '../services/ports/workflows.ts'
import type { EventLog } from './event-store.ts'

const COLUMNS = `
  r.id, r.endpoint_id AS endpointId, r.workflow_id AS workflowId, r.title, r.label, r.sweep_id AS sweepId, r.cell, r.status,
  r.created_at AS createdAt, r.ended_at AS endedAt, r.execution_ms AS executionMs, r.results, r.previews, r.errors, j.status AS jobStatus`
const FROM = `FROM workflow_runs r LEFT JOIN jobs j ON j.id = r.id AND r.ended_at IS NULL`
const REST = `
  AND r.seq < COALESCE((SELECT b.seq FROM workflow_runs b WHERE b.id = @before), 9007199254740991)
  AND (@endpointId IS NULL OR r.endpoint_id = @endpointId)
  AND (@text IS NULL OR INSTR(r.words, @text) > 0)
  ORDER BY r.seq DESC LIMIT @limit`
const LIST = `SELECT ${COLUMNS} ${FROM} WHERE TRUE ${REST}`
const OF_WORKFLOW = `SELECT ${COLUMNS} ${FROM} WHERE r.workflow_id = @workflowId ${REST}`
const OF_SWEEP = `SELECT ${COLUMNS} ${FROM} WHERE r.sweep_id = @sweepId ${REST}`
const OF_ENDPOINT = `SELECT ${COLUMNS} ${FROM} WHERE r.endpoint_id = @endpointId ${REST}`
const GET = `SELECT ${COLUMNS} ${FROM} WHERE r.id = ?`
// The oldest stored run says what a sweep is; the others are counted by the index of sweeps, for a page of them.
const SWEEPS = `
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
  ORDER BY r.seq DESC LIMIT @limit`
const IDS_OF_SWEEP = `SELECT id, ended_at IS NULL AS isOpen FROM workflow_runs WHERE sweep_id = ? ORDER BY seq DESC`
const TEXTS = `
  SELECT t.payload, t.document FROM workflow_runs r JOIN workflow_run_texts t ON t.seq = r.seq WHERE r.id = ?`
const INSERT = `
  INSERT INTO workflow_runs
    (id, endpoint_id, workflow_id, sweep_id, cell, title, label, status, created_at, results, errors, files, words)
  VALUES (@id, @endpointId, @workflowId, @sweepId, @cell, @title, @label, 'IN_QUEUE', @createdAt, '[]', '[]', @files, @words)`
const INSERT_TEXTS = `INSERT INTO workflow_run_texts (seq, payload, document) VALUES (?, ?, ?)`
const END = `
  UPDATE workflow_runs SET status = @status, ended_at = @endedAt, execution_ms = @executionMs, results = @results,
    previews = @previews, errors = @errors
  WHERE id = @id AND ended_at IS NULL RETURNING seq`
const REOPEN = `
  UPDATE workflow_runs SET status = 'IN_QUEUE', ended_at = NULL, execution_ms = NULL, results = '[]', previews = '[]',
    errors = '[]'
  WHERE id = ? AND ended_at IS NOT NULL RETURNING seq`
const OPEN = `SELECT id FROM workflow_runs WHERE ended_at IS NULL ORDER BY seq`
const IS_OPEN = `SELECT 1 AS one FROM workflow_runs WHERE id = ? AND ended_at IS NULL`
const REMOVE = `DELETE FROM workflow_runs WHERE id = ? AND ended_at IS NOT NULL`
// By their number, as the oldest come first: an index of ends would cost each run.
const TRIM = `
  DELETE FROM workflow_runs WHERE seq IN (
    SELECT seq FROM workflow_runs ORDER BY seq LIMIT @limit
  ) AND (ended_at < @before
    OR ended_at IS NOT NULL AND seq <= (SELECT seq FROM workflow_runs ORDER BY seq DESC LIMIT 1 OFFSET @count))`
// One at a time, so that no more go than have to.
const TRIM_OLDEST = `
  DELETE FROM workflow_runs WHERE seq IN (
    SELECT seq FROM workflow_runs WHERE ended_at IS NOT NULL ORDER BY seq LIMIT 1
  ) AND (SELECT bytes FROM workflow_runs_total) > ?`

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

/** Makes the store of runs. */
export function createRunStore(db: Database, events: Pick<EventLog, 'recordRun'>): RunStore {
  const list = db.prepare<[object], Row>(LIST)
  const ofWorkflow = db.prepare<[object], Row>(OF_WORKFLOW)
  const ofSweep = db.prepare<[object], Row>(OF_SWEEP)
  const ofEndpoint = db.prepare<[object], Row>(OF_ENDPOINT)
  const get = db.prepare<[string], Row>(GET)
  const sweeps = db.prepare<[object], SweepRow>(SWEEPS)
  const idsOfSweep = db.prepare<[string], { readonly id: string; readonly isOpen: 0 | 1 }>(IDS_OF_SWEEP)
  const texts = db.prepare<[string], Texts>(TEXTS)
  const insert = db.prepare(INSERT)
  const insertTexts = db.prepare(INSERT_TEXTS)
  const end = db.prepare<[object], { readonly seq: number }>(END)
  const reopen = db.prepare<[string], { readonly seq: number }>(REOPEN)
  const open = db.prepare<[], { readonly id: string }>(OPEN)
  const isOpen = db.prepare<[string], { readonly one: 1 }>(IS_OPEN)
  const remove = db.prepare(REMOVE)
  const trim = db.prepare(TRIM)
  const trimOldest = db.prepare<[number]>(TRIM_OLDEST)

  // By the narrowest that is asked for; the others are looked at row by row.
  function statementFor({ sweepId, workflowId, endpointId }: RunQuery) {
    if (sweepId !== undefined) return ofSweep
    if (workflowId !== undefined) return ofWorkflow
    return endpointId === undefined ? list : ofEndpoint
  }
  const read = (id: string) => {
    const row = get.get(id)
    return row && viewOf(row)
  }

  return {
    list: (query) => {
      const { workflowId = null, endpointId = null, sweepId = null, text, before = null, limit } = query
      const wanted = { workflowId, endpointId, sweepId, text: text?.toLowerCase() ?? null, before, limit }
      return statementFor(query).all(wanted).map(viewOf)
    },
    get: read,
    sweeps: ({ before = null, limit }) => sweeps.all({ before, limit }).map(sweepOf),
    ofSweep: (sweepId) => idsOfSweep.all(sweepId).map(({ id, isOpen }) => ({ id, isOpen: isOpen === 1 })),
    texts(id) {
      const row = texts.get(id)
      return row && { payload: row.payload, document: row.document ?? undefined }
    },
    insert({ payload, document, files, cell, ...run }) {
      const { workflowId = null, sweepId = null, label = null } = run
      const cellText = cell === undefined ? null : JSON.stringify(cell)
      const row = { ...run, workflowId, sweepId, label, cell: cellText, files: JSON.stringify(files) }
      const { lastInsertRowid } = insert.run(row)
      insertTexts.run(lastInsertRowid, payload, document ?? null)
      events.recordRun({ at: run.createdAt, runId: run.id, endpointId: run.endpointId, event: 'created' })
    },
    end(id, { results, previews, errors, executionMs = null, ...rest }) {
      const ended = end.get({
        id,
        ...rest,
        executionMs,
        results: JSON.stringify(results),
        previews: JSON.stringify(previews),
        errors: JSON.stringify(errors),
      })
      const run = ended && read(id)
      if (run !== undefined)
        events.recordRun({ at: rest.endedAt, runId: id, endpointId: run.endpointId, event: 'results' })
      return run
    },
    reopen(id, at) {
      const run = reopen.get(id) && read(id)
      if (run !== undefined) events.recordRun({ at, runId: id, endpointId: run.endpointId, event: 'created' })
      return run !== undefined
    },
    open: () => open.all().map(({ id }) => id),
    isOpen: (id) => isOpen.get(id) !== undefined,
    remove: (id) => remove.run(id).changes > 0,
    trim({ before, count, bytes }, limit) {
      let gone = trim.run({ before, count, limit }).changes
      while (gone < limit && trimOldest.run(bytes).changes > 0) gone += 1
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
    ...(workflowId === null ? {} : { workflowId }),
    ...(label === null ? {} : { label }),
    ...(sweepId === null ? {} : { sweepId }),
    ...(cell === null ? {} : { cell: JSON.parse(cell) }),
    ...(endedAt === null ? {} : { endedAt }),
    ...(executionMs === null ? {} : { executionMs }),
    results: JSON.parse(results),
    ...(previews === '[]' ? {} : { previews: JSON.parse(previews) }),
    errors: JSON.parse(errors),
  }
}

// Whose job has ended is in progress until its results are here.
function openStatus(job: JobState | null): RunView['status'] {
  return job === null || isFinal(job) ? 'IN_PROGRESS' : job
}

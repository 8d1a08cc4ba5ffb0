import type { Database } from 'better-sqlite3'
import type { JobState } from '../../../contract/job.ts'
import { queriesOf } from '../../../database/queries.ts'

type NewPrompt = {
  readonly runId: string
  readonly clientId: string | undefined
  readonly extra: string
  readonly outputs: readonly string[]
  readonly metadata?: string | undefined
}

type HeadRow = {
  readonly runId: string
  readonly number: number
  readonly clientId: string | null
  readonly outputs: string | null
}

type Row = HeadRow & {
  readonly payload: string
  readonly document: string | null
  readonly extra: string | null
}

const HEAD = `r.id AS runId, r.seq AS number, p.client_id AS clientId, p.outputs`
const FROM = `FROM workflow_runs r LEFT JOIN comfyui_prompts p ON p.seq = r.seq`
// ComfyUI's history omits prompts that never started.
const ENDED = `r.ended_at IS NOT NULL AND (r.status <> 'CANCELLED' OR r.execution_ms IS NOT NULL)`
// Jobs are read only to tell waiting from running ones. Results may still be collected once a job has ended.
const OF_STATES = `r.endpoint_id = @endpointId AND CASE WHEN r.status = 'IN_QUEUE' AND @tellsOpenApart = 1
  THEN COALESCE((SELECT 'IN_QUEUE' FROM jobs j WHERE j.id = r.id AND j.status = 'IN_QUEUE'), 'IN_PROGRESS')
  ELSE r.status END IN (SELECT value FROM json_each(@states))`

const statesIn = (states: readonly JobState[]) => ({
  states: JSON.stringify(states),
  tellsOpenApart: Number(states.includes('IN_QUEUE') !== states.includes('IN_PROGRESS')),
})

type StatesQuery = { readonly endpointId: string; readonly states: readonly JobState[] }
type ListQuery = StatesQuery & {
  readonly isByDuration: boolean
  readonly isAscending: boolean
  readonly limit: number
  readonly offset: number
}

export function createComfyuiPromptStore(db: Database) {
  const query = queriesOf(db)
  const insert = query<[object]>(`
    INSERT INTO comfyui_prompts (seq, client_id, extra, outputs, metadata)
    SELECT seq, @clientId, @extra, @outputs, @metadata FROM workflow_runs WHERE id = @runId`).run()
  const count = query<[object], number>(`SELECT COUNT(*) FROM workflow_runs r WHERE ${OF_STATES}`).value(0)
  const listBy = (order: string) =>
    query<[object], string>(`
      SELECT r.id FROM workflow_runs r WHERE ${OF_STATES} ORDER BY ${order} LIMIT @limit OFFSET @offset`).values()
  const duration = 'COALESCE(r.execution_ms, 0)'
  const byTime = { ascending: listBy('r.seq'), descending: listBy('r.seq DESC') }
  const byDuration = {
    ascending: listBy(`${duration}, r.seq`),
    descending: listBy(`${duration} DESC, r.seq DESC`),
  }
  return {
    insert: ({ outputs, clientId, metadata, ...prompt }: NewPrompt) =>
      insert({ ...prompt, clientId: clientId ?? null, outputs: JSON.stringify(outputs), metadata: metadata ?? null }),
    /** Without the graph, which may have megabytes. */
    head: query<[runId: string], HeadRow>(`SELECT ${HEAD} ${FROM} WHERE r.id = ?`).one(headOf),
    get: query<[runId: string], Row>(`
      SELECT ${HEAD}, t.payload, t.document, p.extra ${FROM} JOIN workflow_run_texts t ON t.seq = r.seq
      WHERE r.id = ?`).one(promptOf),
    clientOf: query<[runId: string], string>(`
      SELECT p.client_id FROM workflow_runs r JOIN comfyui_prompts p ON p.seq = r.seq WHERE r.id = ?`).value(),
    metadataOf: query<[runId: string], string>(`
      SELECT p.metadata FROM workflow_runs r JOIN comfyui_prompts p ON p.seq = r.seq WHERE r.id = ?`).value(),
    ids({ states, isByDuration, isAscending, ...rest }: ListQuery) {
      const lists = isByDuration ? byDuration : byTime
      return lists[isAscending ? 'ascending' : 'descending']({ ...rest, ...statesIn(states) })
    },
    count: ({ endpointId, states }: StatesQuery) => count({ endpointId, ...statesIn(states) }),
    open: query<[endpointId: string, limit: number], { readonly runId: string; readonly status: JobState }>(`
      SELECT r.id AS runId, j.status FROM workflow_runs r JOIN jobs j ON j.id = r.id
      WHERE r.endpoint_id = ? AND r.ended_at IS NULL ORDER BY r.seq LIMIT ?`).all(),
    endedIds: query<[endpointId: string, limit: number], string>(`
      SELECT r.id FROM workflow_runs r WHERE r.endpoint_id = ? AND ${ENDED} ORDER BY r.seq DESC LIMIT ?`).values(),
    endedIdsFrom: query<[endpointId: string, limit: number, offset: number], string>(`
      SELECT r.id FROM workflow_runs r WHERE r.endpoint_id = ? AND ${ENDED} ORDER BY r.seq LIMIT ? OFFSET ?`).values(),
  }
}

function promptOf({ document, extra, ...row }: Row) {
  return { ...row, ...headOf(row), document: document ?? undefined, extra: extra ?? '{}' }
}

function headOf({ runId, number, clientId, outputs }: HeadRow) {
  return {
    runId,
    number,
    clientId: clientId ?? undefined,
    outputs: outputs === null ? [] : (JSON.parse(outputs) as readonly string[]),
  }
}

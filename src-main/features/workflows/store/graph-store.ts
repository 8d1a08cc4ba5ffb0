import type { Database } from 'better-sqlite3'
import type { JobState } from '../../../contract/job.ts'
import type { GraphVersion } from '../../../contract/published.ts'
import { queriesOf } from '../../../database/queries.ts'

export type StoredGraph = GraphVersion & {
  readonly payload: string
  readonly document: string | undefined
  readonly workflowId: string | undefined
}

type Row = Omit<StoredGraph, 'parameters' | 'results' | 'document' | 'workflowId'> & {
  readonly parameters: string
  readonly results: string
  readonly document: string | null
  readonly workflowId: string | null
}

export function createGraphStore(db: Database) {
  const query = queriesOf(db)
  const insert = query<[object]>(`
    INSERT INTO graph_versions (endpoint_id, version, created_at, workflow_id, parameters, results, payload, document)
    VALUES (@endpointId, @version, @createdAt, @workflowId, @parameters, @results, @payload, @document)`).run()
  return {
    get: query<[endpointId: string, version: number], Row>(`
      SELECT version, created_at AS createdAt, workflow_id AS workflowId, parameters, results, payload, document
      FROM graph_versions WHERE endpoint_id = ? AND version = ?`).one(toGraph),
    versions: query<[endpointId: string], number>(`
      SELECT version FROM graph_versions WHERE endpoint_id = ? ORDER BY version DESC`).values(),
    insert: (endpointId: string, { parameters, results, ...graph }: StoredGraph) =>
      insert({ ...graph, endpointId, parameters: JSON.stringify(parameters), results: JSON.stringify(results) }),
    addJob: query<[seq: number, endpointId: string, version: number]>(`
      INSERT INTO graph_jobs (seq, endpoint_id, version) VALUES (?, ?, ?)`).run(),
    ofJob: query<[seq: number], { readonly endpointId: string; readonly version: number }>(`
      SELECT endpoint_id AS endpointId, version FROM graph_jobs WHERE seq = ?`).one(),
    waiting: query<[endpointId: string, newest: number, limit: number], number>(`
      SELECT graph_jobs.seq FROM graph_jobs JOIN jobs ON jobs.seq = graph_jobs.seq
      WHERE graph_jobs.endpoint_id = ? AND graph_jobs.archived = 0 AND graph_jobs.seq <= ?
        AND jobs.status = 'IN_QUEUE' ORDER BY graph_jobs.seq LIMIT ?`).values(),
    /** Newest first; `before` is the seq of one that was seen already. */
    jobs: query<[{ endpointId: string; before: number; status: JobState | null; limit: number }], number>(`
      SELECT graph_jobs.seq FROM graph_jobs JOIN jobs ON jobs.seq = graph_jobs.seq
      WHERE graph_jobs.endpoint_id = @endpointId AND graph_jobs.archived = 0 AND graph_jobs.seq < @before
        AND (@status IS NULL OR jobs.status = @status) ORDER BY graph_jobs.seq DESC LIMIT @limit`).values(),
  }
}

function toGraph({ parameters, results, document, workflowId, ...row }: Row): StoredGraph {
  return {
    ...row,
    parameters: JSON.parse(parameters),
    results: JSON.parse(results),
    document: document ?? undefined,
    workflowId: workflowId ?? undefined,
  }
}

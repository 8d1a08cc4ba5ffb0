import type { Database } from 'better-sqlite3'
import type { GraphStore, StoredGraph } from '../services/ports/workflows.ts'

const GET = `
  SELECT version, created_at AS createdAt, workflow_id AS workflowId, parameters, results, payload, document
  FROM graph_versions WHERE endpoint_id = ? AND version = ?`
const VERSIONS = `SELECT version FROM graph_versions WHERE endpoint_id = ? ORDER BY version DESC`
const INSERT = `
  INSERT INTO graph_versions (endpoint_id, version, created_at, workflow_id, parameters, results, payload, document)
  VALUES (@endpointId, @version, @createdAt, @workflowId, @parameters, @results, @payload, @document)`
const ADD_JOB = `INSERT INTO graph_jobs (seq, endpoint_id, version) VALUES (?, ?, ?)`
const OF_JOB = `SELECT endpoint_id AS endpointId, version FROM graph_jobs WHERE seq = ?`
const WAITING = `
  SELECT graph_jobs.seq FROM graph_jobs JOIN jobs ON jobs.seq = graph_jobs.seq
  WHERE graph_jobs.endpoint_id = ? AND graph_jobs.archived = 0 AND graph_jobs.seq <= ? AND jobs.status = 'IN_QUEUE' ORDER BY graph_jobs.seq LIMIT ?`
const JOBS = `SELECT seq FROM graph_jobs WHERE endpoint_id = ? AND archived = 0 AND seq < ? ORDER BY seq DESC LIMIT ?`

type Row = Omit<StoredGraph, 'parameters' | 'results' | 'document' | 'workflowId'> & {
  readonly parameters: string
  readonly results: string
  readonly document: string | null
  readonly workflowId: string | null
}
type Seq = { readonly seq: number }

/** Makes the store of published graphs. */
export function createGraphStore(db: Database): GraphStore {
  const get = db.prepare<[string, number], Row>(GET)
  const versions = db.prepare<[string], { readonly version: number }>(VERSIONS)
  const insert = db.prepare(INSERT)
  const addJob = db.prepare(ADD_JOB)
  const ofJob = db.prepare<[number], { readonly endpointId: string; readonly version: number }>(OF_JOB)
  const waiting = db.prepare<[string, number, number], Seq>(WAITING)
  const jobs = db.prepare<[string, number, number], Seq>(JOBS)
  return {
    get(endpointId, version) {
      const row = get.get(endpointId, version)
      return row === undefined ? undefined : toGraph(row)
    },
    versions: (endpointId) => versions.all(endpointId).map(({ version }) => version),
    insert(endpointId, { parameters, results, document, workflowId, ...graph }) {
      insert.run({
        ...graph,
        endpointId,
        parameters: JSON.stringify(parameters),
        results: JSON.stringify(results),
        document: document ?? null,
        workflowId: workflowId ?? null,
      })
    },
    addJob: (seq, endpointId, version) => void addJob.run(seq, endpointId, version),
    ofJob: (seq) => ofJob.get(seq),
    waiting: (endpointId, limit, newest) => waiting.all(endpointId, newest, limit).map(({ seq }) => seq),
    jobs: (endpointId, limit, before) => jobs.all(endpointId, before, limit).map(({ seq }) => seq),
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

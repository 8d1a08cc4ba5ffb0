import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { Clock, NewId } from '../../lib/clock.ts'
import type { Problem } from '../../lib/in-thread.ts'
import type { Json } from '../../lib/json/bytes.ts'
import { sizeText } from '../../lib/text.ts'
import type { Endpoint, Job, Storage, StoredGraph } from '../../storage/storage.ts'
import { type Submission, submitJob } from '../jobs/queue/submit.ts'
import type { Models } from '../models/models.ts'
import type { ReadsGraphs } from './ports/readers.ts'
import type { RefusedGraph, SentGraph } from './rules/runs/sent-graph.ts'
import { takesWorkflows } from './rules/runs/takes-workflows.ts'
import { installedModels, modelNotInstalled, neededFor } from './run-input.ts'

type SubmitDeps = ReadsGraphs & {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
  readonly models: Pick<Models, 'here'>
}

/**
 * With a graph in it, the job becomes a run.
 * @throws AppError as submitJob; MODEL_NOT_INSTALLED; BAD_FIELD if nested too deeply or with too many values
 */
export async function submitWithRun(
  deps: SubmitDeps,
  endpoint: Endpoint,
  submission: Submission,
  withJob?: (job: Job) => void,
): Promise<Job> {
  const installed = installedModels(deps.models, endpoint)
  const read = await deps.readInThread.graphInInput(submission.input, installed)
  if (!('graph' in read)) throw refusal(deps, endpoint, read)
  const writeRun = read.graph && runOfProgram(deps, endpoint, read.graph)
  const stored = read.withoutKeys === undefined ? submission : { ...submission, ...read.withoutKeys, draft: undefined }
  return submitJob(deps, endpoint, stored, (job) => {
    writeRun?.(job)
    withJob?.(job)
  })
}

export async function splitGraphInput(
  { readInThread }: ReadsGraphs,
  input: Json,
): Promise<Pick<Submission, 'input' | 'secretInput'>> {
  const read = await readInThread.accountKeys(input)
  return 'problem' in read ? { input } : (read.withoutKeys ?? { input })
}

/**
 * Queues a published graph's job on its worker endpoint.
 * @throws AppError as submitJob; MODEL_NOT_INSTALLED; BAD_FIELD with a parameter name, BODY_TOO_LARGE,
 * GRAPH_WITHOUT_ENDPOINT
 */
export async function submitToGraph(
  deps: SubmitDeps,
  endpoint: Endpoint,
  submission: Submission,
  withJob?: (job: Job) => void,
): Promise<Job> {
  const { storage } = deps
  const { behind, version } = endpoint.config.graph ?? { behind: '', version: 0 }
  const backing = storage.endpoints.get(behind)
  if (backing === undefined) throw new AppError('GRAPH_WITHOUT_ENDPOINT', { endpointId: endpoint.id, behind })
  const { payload, parameters, results } = requireVersion(storage, endpoint.id, version)
  const published = { title: endpoint.config.name, payload, parameters, results }
  const installed = installedModels(deps.models, backing)
  const read = await deps.readInThread.filledGraph(submission.input, published, installed)
  if (!('graph' in read)) throw refusal(deps, backing, read)
  const { graph, input } = read
  if (Buffer.byteLength(input) > limit('runsyncBodyBytes'))
    throw new AppError('BODY_TOO_LARGE', {
      limit: sizeText(limit('runsyncBodyBytes')),
      operation: 'a graph with its parameters',
    })
  const { idempotencyKey, ...rest } = submission.request
  // Graphs that share an endpoint must not share idempotency keys.
  const request = { ...rest, idempotencyKey: idempotencyKey && `${endpoint.id} ${idempotencyKey}` }
  const writeRun = takesWorkflows(backing.config) ? runOfProgram(deps, backing, graph) : undefined
  return submitJob(deps, backing, { ...submission, input, request, draft: undefined }, (job) => {
    storage.graphs.addJob(job.seq, endpoint.id, version)
    writeRun?.(job)
    withJob?.(job)
  })
}

function refusal(deps: Pick<SubmitDeps, 'models'>, endpoint: Endpoint, refused: RefusedGraph | Problem): AppError {
  if ('missing' in refused) return modelNotInstalled(deps.models, endpoint, refused.missing)
  if ('why' in refused) return new AppError('BAD_FIELD', refused)
  return new AppError('BAD_FIELD', { field: 'input', why: `cannot be read: ${refused.problem}` })
}

export function requireVersion(storage: Storage, id: string, version: number): StoredGraph {
  const stored = storage.graphs.get(id, version)
  if (stored === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: id })
  return stored
}

function runOfProgram(
  { storage, clock }: { readonly storage: Pick<Storage, 'runs'>; readonly clock: Pick<Clock, 'now'> },
  endpoint: Endpoint,
  graph: SentGraph,
): (job: Job) => void {
  const { title, payloadText, files, words } = graph
  const run = {
    ...{ endpointId: endpoint.id, title, payload: payloadText, files, words, needs: neededFor(endpoint, graph) },
    ...{ workflowId: undefined, label: undefined, sweepId: undefined, document: undefined },
  }
  return ({ id }) => storage.runs.insert({ ...run, id, createdAt: clock.now() })
}

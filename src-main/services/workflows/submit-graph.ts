/** Jobs of programs that hold a graph, or are sent to a published one: they become runs like those of the editor. */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { Json } from '../../domain/json/json.ts'
import { cutText, rawFields } from '../../domain/json/scan-json.ts'
import { sizeText } from '../../domain/text.ts'
import { parseJson } from '../../domain/workflow/json/parse.ts'
import { isObject, type JsonObject, writeJson } from '../../domain/workflow/json/value.ts'
import { readPayloadNodes } from '../../domain/workflow/payload.ts'
import { fillPayload, parameterValues, pruneToOutputs } from '../../domain/workflow/publish/parameter-values.ts'
import { recognise } from '../../domain/workflow/recognise.ts'
import { filesIn, wordsOf } from '../../domain/workflow-runs/payload-files.ts'
import { takesWorkflows } from '../../domain/workflow-runs/takes-workflows.ts'
import type { Models } from '../models/models.ts'
import { jsonText } from '../ports/job-storage.ts'
import type { Endpoint, Job, Storage } from '../ports/storage.ts'
import type { Clock, NewId } from '../ports/system.ts'
import type { StoredGraph } from '../ports/workflows.ts'
import { type Submission, submitJob } from '../queue/submit.ts'
import { inputText, readPayload, refuseManyValues, refuseMissingModels } from './run-input.ts'

type RunDeps = { readonly storage: Pick<Storage, 'runs'>; readonly clock: Pick<Clock, 'now'> }
type SubmitDeps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
  readonly models: Pick<Models, 'here'>
}

/**
 * Queues a job on an endpoint whose workers take workflows; with a graph in it, it is a run.
 * @param withJob writes what belongs to the new job, in the same transaction
 * @throws AppError as submitJob does; MODEL_NOT_INSTALLED; BAD_FIELD where the graph is nested too deeply, or has too
 * many values
 */
export async function submitWithRun(
  deps: SubmitDeps,
  endpoint: Endpoint,
  submission: Submission,
  withJob?: (job: Job) => void,
): Promise<Job> {
  const writeRun = runOfSubmission(deps, endpoint, submission.input)
  return submitJob(deps, endpoint, submission, (job) => {
    writeRun?.(job)
    withJob?.(job)
  })
}

/**
 * Queues a job of a published graph on the endpoint that does its work.
 * @param withJob writes what belongs to the new job, in the same transaction
 * @throws AppError as submitJob does; MODEL_NOT_INSTALLED; BAD_FIELD with the name of a parameter, BODY_TOO_LARGE,
 *   GRAPH_WITHOUT_ENDPOINT
 */
export async function submitToGraph(
  deps: SubmitDeps,
  endpoint: Endpoint,
  submission: Submission,
  withJob?: (job: Job) => void,
): Promise<Job> {
  const { storage } = deps
  const { backing, version, payload, payloadText, input } = graphJob(storage, endpoint, submission.input)
  refuseMissingModels(deps, backing, () => readPayloadNodes(payload))
  const { idempotencyKey, ...rest } = submission.request
  // Two graphs on one endpoint must not take each other's jobs for their own.
  const request = { ...rest, idempotencyKey: idempotencyKey && `${endpoint.id} ${idempotencyKey}` }
  const title = endpoint.config.name
  const isRun = takesWorkflows(backing.config)
  const writeRun = isRun ? runOfProgram(deps, backing, { title, payload, payloadText }) : undefined
  return submitJob(deps, backing, { ...submission, input, request }, (job) => {
    storage.graphs.addJob(job.seq, endpoint.id, version)
    writeRun?.(job)
    withJob?.(job)
  })
}

/** Where a job of a published graph goes, and with which input. Source: docs/spec/image-workflows.md, 7. */
type GraphJob = {
  readonly backing: Endpoint
  readonly version: number
  /** What is run, and its text within the input. */
  readonly payload: JsonObject
  readonly payloadText: string
  readonly input: string
}

/**
 * Checks the parameters that a request gives and fills them into the graph.
 * @param given the `input` of the request, as it came
 * @throws AppError BAD_FIELD with the name of the parameter, GRAPH_WITHOUT_ENDPOINT, BODY_TOO_LARGE
 */
function graphJob(storage: Storage, endpoint: Endpoint, given: Json): GraphJob {
  const { behind, version } = endpoint.config.graph ?? { behind: '', version: 0 }
  const worker = storage.endpoints.get(behind)
  if (worker === undefined) throw new AppError('GRAPH_WITHOUT_ENDPOINT', { endpointId: endpoint.id, behind })
  const { parameters, results, payload } = requireVersion(storage, endpoint.id, version)
  const found = parameterValues(parameters, readInput(given))
  if ('why' in found) throw new AppError('BAD_FIELD', found)
  const filled = fillPayload(readPayload(payload), parameters, found.values)
  const pruned = results.length === 0 ? filled.payload : pruneToOutputs(filled.payload, results)
  const payloadText = writeJson(pruned)
  const input = inputText(payloadText, filled.images)
  if (Buffer.byteLength(input) > limit('runsyncBodyBytes'))
    throw new AppError('BODY_TOO_LARGE', {
      limit: sizeText(limit('runsyncBodyBytes')),
      operation: 'a graph with its parameters',
    })
  return { backing: worker, version, payload: pruned, payloadText, input }
}

/** A version of a graph. @throws AppError ENDPOINT_NOT_FOUND */
export function requireVersion(storage: Storage, id: string, version: number): StoredGraph {
  const stored = storage.graphs.get(id, version)
  if (stored === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: id })
  return stored
}

function readInput(given: Json): JsonObject {
  const text = jsonText(given)
  refuseManyValues(text, 'input')
  const parsed = parseJson(text)
  if (parsed.kind === 'value' && isObject(parsed.value)) return parsed.value
  throw new AppError('BAD_FIELD', { field: 'input', why: 'must be an object with the parameters of the graph' })
}

/**
 * Looks for the graph in a job: one that asks for a model which is not there is refused, another is a run.
 * @param input as it came; it has been checked to be an object
 * @returns writes the run with its job; undefined where there is no graph
 * @throws AppError MODEL_NOT_INSTALLED; BAD_FIELD where it is nested too deeply, or has too many values
 */
function runOfSubmission(
  deps: RunDeps & Pick<SubmitDeps, 'models'>,
  endpoint: Endpoint,
  input: Json,
): ((job: Job) => void) | undefined {
  // Its text alone, so that pictures of 10 MB beside it are passed over, and a seed is found again as it was sent.
  const text = typeof input === 'string' ? input : Buffer.from(input).toString()
  const payloadText = rawFields(text, cutText(text))('workflow')
  if (payloadText === undefined) return undefined
  refuseManyValues(payloadText, 'input.workflow')
  const parsed = parseJson(payloadText)
  // It is valid JSON: what cannot be read here is too deep, and its models would go unseen.
  if (parsed.kind === 'fault') throw new AppError('BAD_FIELD', { field: 'input.workflow', why: parsed.fault.why })
  const graph = parsed.value
  // Whatever a worker may make of it: nodes beside a key that makes it look like a document are nodes too.
  if (isObject(graph)) refuseMissingModels(deps, endpoint, () => readPayloadNodes(graph))
  const found = recognise(graph)
  if (found.form !== 'payload' || found.unwrapped) return undefined
  return runOfProgram(deps, endpoint, { title: 'Sent by a program', payload: found.raw, payloadText })
}

/** A graph of a program, read and as text. */
type SentGraph = { readonly title: string; readonly payload: JsonObject; readonly payloadText: string }

/** Makes a run of a graph that no editor sent. @returns writes it with its job */
function runOfProgram(
  { storage, clock }: RunDeps,
  { id: endpointId }: Endpoint,
  { title, payload, payloadText }: SentGraph,
): (job: Job) => void {
  const run = {
    ...{ endpointId, title, payload: payloadText, files: filesIn(payload), words: wordsOf(payload, title) },
    ...{ workflowId: undefined, label: undefined, sweepId: undefined, document: undefined },
  }
  return ({ id }) => storage.runs.insert({ ...run, id, createdAt: clock.now() })
}

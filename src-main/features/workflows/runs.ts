import type { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { RunDetail, RunView, runCreate } from '../../contract/workflows.ts'
import type { Clock, NewId } from '../../lib/clock.ts'
import type { Problem } from '../../lib/in-thread.ts'
import type { Endpoint, Job, Storage } from '../../storage/storage.ts'
import { moveJobs } from '../jobs/queue/change-many-jobs.ts'
import { type Submission, submitJob } from '../jobs/queue/submit.ts'
import type { Models } from '../models/models.ts'
import { checkDocument, refuseLarge } from './library.ts'
import type { FindNodePackages, NodeTypeRegistry } from './node-types.ts'
import type { ReadsGraphs } from './ports/readers.ts'
import { packagesByClass, withNamed } from './rules/node-packages.ts'
import { saidWithPackages } from './rules/problem.ts'
import { type AskedRun, type RefusedRun, type RunGraph, runGraph } from './rules/runs/run-graph.ts'
import { isBridge, whyNoWorkflows } from './rules/runs/takes-workflows.ts'
import { installedModels, modelNotInstalled, neededFor, noPayload, runInput } from './run-input.ts'

export type RunDeps = ReadsGraphs & {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
  readonly nodeTypes: Pick<NodeTypeRegistry, 'of' | 'readOf'>
  readonly nodePackages: FindNodePackages
  readonly models: Pick<Models, 'here'>
}

export type RunRequest = z.output<typeof runCreate>

type RunExtras = Pick<Submission, 'secretInput'> & {
  readonly request?: Submission['request']
  /** Called in the job's transaction, after the run is stored. */
  readonly withRun?: (job: Job) => void
  readonly isOfComfyuiClient?: boolean
  readonly graph?: RunGraph
}

/**
 * Queues a graph as a job.
 * @throws AppError NOT_A_WORKFLOW, TAKES_NO_WORKFLOWS, BAD_FIELD, MODEL_NOT_INSTALLED, ENDPOINT_PAUSED,
 * ENDPOINT_NOT_FOUND
 */
export async function createRun(
  deps: RunDeps,
  endpoint: Endpoint,
  asked: RunRequest,
  { request = {}, secretInput, withRun, isOfComfyuiClient = false, graph: read }: RunExtras = {},
): Promise<RunView> {
  const { storage, clock } = deps
  refuseWithoutWorkflows(endpoint)
  refuseLarge(asked.payload)
  const graph = read ?? (await readRunGraph(deps, endpoint, asked))
  if (asked.document !== undefined) await checkDocument(deps, asked.document)
  const { endpointId, workflowId, label, sweepId, cell, document, title } = asked
  // Only for the bridge: other image workers get the public contract.
  const bridge = isBridge(endpoint.config) ? { document } : undefined
  const clientOf = isOfComfyuiClient ? endpoint.id : undefined
  const input = await runInput(storage, { graph, bridge, clientOf })
  const { text: payload, files, words } = graph
  const needs = neededFor(endpoint, graph)
  const run = { endpointId, workflowId, label, sweepId, cell, title, files, payload, document, words, needs }
  const submission = { kind: 'run', request, input, s3Config: undefined, secretInput, waitMs: undefined } as const
  const job = await submitJob(deps, endpoint, submission, (made) => {
    storage.runs.insert({ ...run, id: made.id, createdAt: clock.now() })
    withRun?.(made)
  })
  return requireRun(deps, job.id)
}

async function readRunGraph(
  deps: RunDeps,
  endpoint: Endpoint,
  { payload: text, ...told }: RunRequest,
): Promise<RunGraph> {
  const { nodeTypes, readInThread } = deps
  const asked = askedRun(deps, endpoint, told)
  const isShort = text.length <= limit('graphInTurnBytes')
  const read = isShort
    ? runGraph(text, asked, await nodeTypes.readOf(endpoint))
    : await readInThread.runGraph(text, asked, (await nodeTypes.of(endpoint)).text)
  return 'words' in read ? read : refuseGraph(deps, endpoint, read)
}

export function askedRun(
  { models }: Pick<RunDeps, 'models'>,
  endpoint: Endpoint,
  { title, label }: Pick<RunRequest, 'title' | 'label'>,
): AskedRun {
  const { handler } = endpoint.config
  return { title, label, endpoint: { handler }, installed: installedModels(models, endpoint) }
}

export async function refuseGraph(
  deps: Pick<RunDeps, 'models' | 'nodePackages'>,
  endpoint: Endpoint,
  read: RefusedRun | Problem,
): Promise<never> {
  if ('problem' in read) throw new AppError('BAD_FIELD', { field: 'payload', why: `cannot be read: ${read.problem}` })
  if ('missing' in read) throw modelNotInstalled(deps.models, endpoint, read.missing)
  if (!('unrunnable' in read)) throw noPayload(read)
  const { id, classType, named } = read.unrunnable
  const { classes } = await deps.nodePackages([classType])
  const packages = withNamed(packagesByClass({ classes }), named).get(classType)
  const lacks = `node ${id} is of the class ${classType}, which its worker does not have. Choose another endpoint.`
  const why = saidWithPackages(lacks, packages).replace(/\.$/, '')
  throw new AppError('TAKES_NO_WORKFLOWS', { endpointId: endpoint.id, why })
}

export function refuseWithoutWorkflows({ id, config }: Endpoint): void {
  const why = whyNoWorkflows(config)
  if (why !== undefined) throw new AppError('TAKES_NO_WORKFLOWS', { endpointId: id, why })
}

export function readRun(deps: Pick<RunDeps, 'storage'>, id: string): RunDetail {
  const run = requireRun(deps, id)
  const texts = deps.storage.runs.texts(id)
  const document = texts?.document
  return { ...run, payload: texts?.payload ?? '{}', ...(document === undefined ? {} : { document }) }
}

/**
 * Deletes an ended run; its files go once nothing else needs them.
 * @throws AppError RUN_NOT_FOUND, BAD_FIELD
 */
export async function deleteRun(deps: Pick<RunDeps, 'storage'>, id: string): Promise<void> {
  const { storage } = deps
  requireRun(deps, id)
  if (!(await storage.write(() => storage.runs.remove(id))))
    throw new AppError('BAD_FIELD', { field: 'runId', why: 'the run has not ended. Cancel its job first' })
}

export async function cancelSweep(deps: Pick<RunDeps, 'storage' | 'clock'>, sweepId: string): Promise<number> {
  return (await moveJobs(deps, 'cancel', { ids: openRuns(deps.storage, sweepId) })).changed
}

/**
 * The runs of a sweep that have not ended, newest first: workers take the oldest, so none comes in between.
 * @throws AppError SWEEP_NOT_FOUND
 */
export function openRuns(storage: Pick<Storage, 'runs'>, sweepId: string): readonly string[] {
  const runs = storage.runs.ofSweep(sweepId)
  if (runs.length === 0) throw new AppError('SWEEP_NOT_FOUND', { sweepId: sweepId.slice(0, 64) })
  return runs.filter(({ isOpen }) => isOpen).map(({ id }) => id)
}

function requireRun({ storage }: Pick<RunDeps, 'storage'>, id: string): RunView {
  const run = storage.runs.get(id)
  if (run === undefined) throw new AppError('RUN_NOT_FOUND', { runId: id.slice(0, 100) })
  return run
}

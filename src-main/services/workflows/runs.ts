/** Runs of graphs: jobs with what they were made of, and what they gave. */
import type { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { RunDetail, RunView, runCreate } from '../../contract/workflows.ts'
import { writeJson } from '../../domain/workflow/json/write.ts'
import { readPayloadNodes } from '../../domain/workflow/payload.ts'
import { wordsOf } from '../../domain/workflow-runs/words-of.ts'
import type { Clock, Endpoint, NewId, Storage } from '../ports.ts'
import { submitJob } from '../queue/submit.ts'
import type { NodeTypeRegistry } from './node-types.ts'
import { checkDocument } from './read-library-text.ts'
import { readPayload } from './read-payload.ts'
import { refuseMissingModels } from './refuse-missing-models.ts'
import { runInput } from './run-input.ts'

type Deps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
  readonly nodeTypes: Pick<NodeTypeRegistry, 'readOf'>
}

/** What a run is made of. */
export type RunRequest = z.output<typeof runCreate>

/**
 * Queues a graph as a job.
 * @throws AppError NOT_A_WORKFLOW, BAD_FIELD, MODEL_NOT_INSTALLED, NOT_QUEUE_BASED, ENDPOINT_PAUSED, ENDPOINT_NOT_FOUND
 */
export async function createRun(deps: Deps, endpoint: Endpoint, asked: RunRequest): Promise<RunView> {
  const { storage, clock, nodeTypes } = deps
  if (endpoint.config.graph !== undefined) {
    const why = `${endpoint.id} is a published graph, which has one of its own. Run it on ${endpoint.config.graph.behind}`
    throw new AppError('BAD_FIELD', { field: 'endpointId', why })
  }
  const payload = readPayload(asked.payload)
  if (asked.document !== undefined) checkDocument(asked.document)
  refuseMissingModels(endpoint, () => readPayloadNodes(payload))
  const { json, files } = await runInput(deps, payload, await nodeTypes.readOf(endpoint))
  const { endpointId, workflowId, label, sweepId, document, title } = asked
  const texts = { payload: writeJson(payload), document, words: wordsOf(payload, title, label) }
  const run = { endpointId, workflowId, label, sweepId, title, files, ...texts }
  const submission = { kind: 'run', request: {}, input: json, s3Config: undefined, waitMs: undefined } as const
  const job = await submitJob(deps, endpoint, submission, ({ id }) =>
    storage.runs.insert({ ...run, id, createdAt: clock.now() }),
  )
  return requireRun(deps, job.id)
}

/** Reads a run. @throws AppError RUN_NOT_FOUND */
export function readRun(deps: Pick<Deps, 'storage'>, id: string): RunDetail {
  const run = requireRun(deps, id)
  const texts = deps.storage.runs.texts(id)
  const document = texts?.document
  return { ...run, payload: texts?.payload ?? '{}', ...(document === undefined ? {} : { document }) }
}

/** Deletes a run that has ended; its files go when nothing else needs them. @throws AppError RUN_NOT_FOUND, BAD_FIELD */
export async function deleteRun(deps: Pick<Deps, 'storage'>, id: string): Promise<void> {
  const { storage } = deps
  requireRun(deps, id)
  if (!(await storage.write(() => storage.runs.remove(id))))
    throw new AppError('BAD_FIELD', { field: 'runId', why: 'the run has not ended. Cancel its job first' })
}

function requireRun({ storage }: Pick<Deps, 'storage'>, id: string): RunView {
  const run = storage.runs.get(id)
  if (run === undefined) throw new AppError('RUN_NOT_FOUND', { runId: id.slice(0, 100) })
  return run
}

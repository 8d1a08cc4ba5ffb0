import { AppError } from '../../contract/errors.ts'
import type { Json } from '../../domain/json/json.ts'
import { cutText, rawFields } from '../../domain/json/scan-json.ts'
import { parseJson } from '../../domain/workflow/json/parse.ts'
import { isObject, type JsonObject } from '../../domain/workflow/json/value.ts'
import { readPayloadNodes } from '../../domain/workflow/payload.ts'
import { recognise } from '../../domain/workflow/recognise.ts'
import { filesIn } from '../../domain/workflow-runs/files-in.ts'
import { takesWorkflows } from '../../domain/workflow-runs/takes-workflows.ts'
import { wordsOf } from '../../domain/workflow-runs/words-of.ts'
import type { Models } from '../models/models.ts'
import type { Clock, Endpoint, Job, Storage } from '../ports.ts'
import { refuseManyValues } from './refuse-many-values.ts'
import { refuseMissingModels } from './refuse-missing-models.ts'

type RunDeps = { readonly storage: Pick<Storage, 'runs'>; readonly clock: Pick<Clock, 'now'> }
type Deps = RunDeps & { readonly models: Pick<Models, 'here'> }

/**
 * Looks at a job that any client sends to an endpoint whose workers take workflows: a graph that asks for a model which is
 * not there is refused, another is a run like those of the editor.
 * @param input as it came; it has been checked to be an object
 * @returns writes the run with its job; undefined where there is no graph
 * @throws AppError MODEL_NOT_INSTALLED; BAD_FIELD where it is nested too deeply, or has too many values
 */
export function graphOfSubmission(deps: Deps, endpoint: Endpoint, input: Json): ((job: Job) => void) | undefined {
  if (!takesWorkflows(endpoint.config)) return undefined
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
export function runOfProgram(
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

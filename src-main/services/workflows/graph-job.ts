/** What a job of a published graph is made of. Source: image-workflows, Published graphs. */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { Json } from '../../domain/json/json.ts'
import { sizeInWords } from '../../domain/size-in-words.ts'
import { parseJson } from '../../domain/workflow/json/parse.ts'
import { isObject, type JsonObject } from '../../domain/workflow/json/value.ts'
import { writeJson } from '../../domain/workflow/json/write.ts'
import { fillPayload } from '../../domain/workflow/publish/fill-payload.ts'
import { keepOutputs } from '../../domain/workflow/publish/keep-outputs.ts'
import { parameterValues } from '../../domain/workflow/publish/parameter-values.ts'
import type { Endpoint, Storage } from '../ports.ts'
import { requireVersion } from './published-graphs.ts'
import { readPayload } from './read-payload.ts'
import { refuseManyValues } from './refuse-many-values.ts'
import { inputText } from './run-input.ts'

/** Where a job of a graph goes, and with which input. */
export type GraphJob = {
  readonly behind: Endpoint
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
export function graphJob(storage: Storage, endpoint: Endpoint, given: Json): GraphJob {
  const { behind, version } = endpoint.config.graph ?? { behind: '', version: 0 }
  const worker = storage.endpoints.get(behind)
  if (worker === undefined) throw new AppError('GRAPH_WITHOUT_ENDPOINT', { endpointId: endpoint.id, behind })
  const { parameters, results, payload } = requireVersion(storage, endpoint.id, version)
  const found = parameterValues(parameters, readInput(given))
  if ('why' in found) throw new AppError('BAD_FIELD', found)
  const filled = fillPayload(readPayload(payload), parameters, found.values)
  const kept = results.length === 0 ? filled.payload : keepOutputs(filled.payload, results)
  const payloadText = writeJson(kept)
  const input = inputText(payloadText, filled.images)
  if (Buffer.byteLength(input) > limit('runsyncBodyBytes'))
    throw new AppError('BODY_TOO_LARGE', {
      limit: sizeInWords(limit('runsyncBodyBytes')),
      operation: 'a graph with its parameters',
    })
  return { behind: worker, version, payload: kept, payloadText, input }
}

function readInput(given: Json): JsonObject {
  const text = typeof given === 'string' ? given : new TextDecoder().decode(given)
  refuseManyValues(text, 'input')
  const parsed = parseJson(text)
  if (parsed.kind === 'value' && isObject(parsed.value)) return parsed.value
  throw new AppError('BAD_FIELD', { field: 'input', why: 'must be an object with the parameters of the graph' })
}

/** Graphs in the inputs of jobs that programs send: read, checked, and what a run goes with. */
import type { GraphParameter } from '../../contract/published.ts'
import { cutText, rawFields } from '../json/scan-json.ts'
import { parseJson, strictJson } from '../workflow/json/parse.ts'
import { isObject, type JsonObject, writeJson } from '../workflow/json/value.ts'
import { readPayloadNodes, withoutCacheNotes } from '../workflow/payload.ts'
import { fillPayload, parameterValues, pruneToOutputs, type SentImage } from '../workflow/publish/parameter-values.ts'
import { recognise } from '../workflow/recognise.ts'
import { type AskedModel, findMissingModel, type InstalledModels, type LoadingNode } from './graph-models.ts'
import { filesIn, wordsOf } from './payload-files.ts'

/** A graph that is run, as text and as far as the run is found by it. */
export type SentGraph = {
  readonly title: string
  readonly payloadText: string
  readonly files: readonly string[]
  readonly words: string
}

/** Why a job is refused: a field of its input, or a model that its workers do not have. */
export type RefusedGraph = { readonly field: string; readonly why: string } | { readonly missing: AskedModel }

/** The graph of an input; undefined: it has none that is run. */
export type GraphInInput = RefusedGraph | { readonly graph: SentGraph | undefined }

/** The input of a job of a published graph, and the graph in it. */
export type FilledGraph = RefusedGraph | { readonly graph: SentGraph; readonly input: string }

/** A published graph: JSON of its payload, what may be set in it, and the nodes whose results are wanted. */
export type GraphWithParameters = {
  readonly title: string
  readonly payload: string
  readonly parameters: readonly GraphParameter[]
  readonly results: readonly string[]
}

/**
 * Looks for the graph in an input.
 * @param input JSON of an object
 * @param installed undefined where the models are not checked
 */
export function graphInInput(input: string, installed: InstalledModels | undefined): GraphInInput {
  // Its text alone, so that pictures of 10 MB next to it are passed over, and a seed is found again as it was sent.
  const payloadText = rawFields(input, cutText(input))('workflow')
  if (payloadText === undefined) return { graph: undefined }
  const field = 'input.workflow'
  const tooMany = manyValues(payloadText)
  if (tooMany !== undefined) return { field, why: tooMany }
  const parsed = parseJson(payloadText)
  // It is valid JSON: what cannot be read here is too deep, and its models would go unseen.
  if (parsed.kind === 'fault') return { field, why: parsed.fault.why }
  const graph = parsed.value
  // Nodes next to a key that makes it look like a document are nodes too: a worker may run them.
  const missing = isObject(graph) ? missingIn(readPayloadNodes(graph), installed) : undefined
  if (missing !== undefined) return { missing }
  const found = recognise(graph)
  if (found.form !== 'payload' || found.unwrapped) return { graph: undefined }
  return { graph: sentGraph('Sent by a program', found.raw, payloadText) }
}

/**
 * Checks the parameters that an input gives, and fills them into a published graph.
 * @param given JSON of the input
 * @param installed undefined where the models are not checked
 */
export function filledGraph(
  given: string,
  { title, payload, parameters, results }: GraphWithParameters,
  installed: InstalledModels | undefined,
): FilledGraph {
  const tooMany = manyValues(given)
  if (tooMany !== undefined) return { field: 'input', why: tooMany }
  const parsed = parseJson(given)
  if (parsed.kind === 'fault' || !isObject(parsed.value))
    return { field: 'input', why: 'must be an object with the parameters of the graph' }
  const found = parameterValues(parameters, parsed.value)
  if ('why' in found) return found
  const filled = fillPayload(storedPayload(payload), parameters, found.values)
  const pruned = results.length === 0 ? filled.payload : pruneToOutputs(filled.payload, results)
  const missing = missingIn(readPayloadNodes(pruned), installed)
  if (missing !== undefined) return { missing }
  const payloadText = writeJson(pruned)
  return { graph: sentGraph(title, pruned, payloadText), input: inputText(payloadText, filled.images) }
}

const sentGraph = (title: string, payload: JsonObject, payloadText: string): SentGraph => ({
  ...{ title, payloadText, files: filesIn(payload), words: wordsOf(payload, title) },
})

const missingIn = (nodes: Iterable<LoadingNode>, installed: InstalledModels | undefined) =>
  installed === undefined ? undefined : findMissingModel(nodes, installed)

// It was checked when it was published.
function storedPayload(text: string): JsonObject {
  const parsed = parseJson(text)
  const found = recognise(parsed.kind === 'value' ? parsed.value : null)
  return found.form === 'payload' ? withoutCacheNotes(found.raw) : new Map()
}

// By the commas, so those of prompts count too. Source: ours; a graph of 5,000 nodes has 100,000 values, and as many as
// these are read in a quarter of a second.
const VALUES_MAX = 500_000

/** Says that JSON has more values than any graph has; undefined: it has not. */
export function manyValues(text: string): string | undefined {
  let count = 0
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) {
    count += 1
    if (count > VALUES_MAX) return `has more than ${VALUES_MAX} values`
  }
  return undefined
}

/**
 * The input of a job as JSON. Where the graph has a bare NaN, which JSON does not, it is a text that holds the input,
 * as the public image worker takes it too. Source: worker-comfyui, handler.py.
 * @param workflow JSON of the payload @param images files that its nodes load, in base64 @param more members of JSON
 */
export function inputText(workflow: string, images: readonly SentImage[], more?: string): string {
  const files = images.length === 0 ? '' : `,"images":${JSON.stringify(images)}`
  const input = `{"workflow":${workflow}${files}${more === undefined ? '' : `,${more}`}}`
  const isStrict = [workflow, more ?? ''].every((text) => strictJson(text) === text)
  return isStrict ? input : JSON.stringify(input)
}

import type { GraphParameter } from '../../../../contract/published.ts'
import { parseJson, readJson, strictJson } from '../../../../lib/json/parse.ts'
import { cutText, rawFields } from '../../../../lib/json/scan.ts'
import { isObject, type JsonObject, writeJson } from '../../../../lib/json/value.ts'
import type { GraphNeeds } from '../../../workers/rules/choose-job.ts'
import { readPayloadNodes, withoutCacheNotes } from '../payload.ts'
import { fillPayload, parameterValues, pruneToOutputs, type SentImage } from '../publish/parameter-values.ts'
import { recognise } from '../recognise.ts'
import { withoutAccountKeys } from './account-keys.ts'
import { type AskedModel, findMissingModel, type InstalledModels, type LoadingNode, needsOf } from './graph-models.ts'
import { filesIn, wordsOf } from './payload-files.ts'

export type SentGraph = {
  readonly title: string
  readonly payloadText: string
  readonly files: readonly string[]
  readonly words: string
  readonly needs: GraphNeeds
}

export type RefusedGraph = { readonly field: string; readonly why: string } | { readonly missing: AskedModel }

export type GraphInInput =
  | RefusedGraph
  | {
      readonly graph: SentGraph | undefined
      /** Undefined: the input has no account keys. */
      readonly withoutKeys: ReturnType<typeof withoutAccountKeys>
    }

export type FilledGraph = RefusedGraph | { readonly graph: SentGraph; readonly input: string }

export type GraphWithParameters = {
  readonly title: string
  readonly payload: string
  readonly parameters: readonly GraphParameter[]
  readonly results: readonly string[]
}

/**
 * @param input JSON of an object
 * @param installed undefined: models are not checked
 */
export function graphInInput(input: string, installed: InstalledModels | undefined): GraphInInput {
  // Only its text, to skip large pictures next to it and keep seeds exact.
  const payloadText = rawFields(input, cutText(input))('workflow')
  const withoutKeys = withoutAccountKeys(input)
  if (payloadText === undefined) return { graph: undefined, withoutKeys }
  const field = 'input.workflow'
  const tooMany = manyValues(payloadText)
  if (tooMany !== undefined) return { field, why: tooMany }
  const read = readJson(payloadText)
  // Valid JSON that cannot be parsed is too deep, and its models would go unchecked.
  if ('fault' in read) return { field, why: read.fault.why }
  const graph = read.value
  // Nodes next to a document-like key count too, because workers may run them.
  const missing = isObject(graph) ? missingIn(readPayloadNodes(graph), installed) : undefined
  if (missing !== undefined) return { missing }
  const found = recognise(graph)
  if (found.form !== 'payload' || found.unwrapped) return { graph: undefined, withoutKeys }
  return { graph: sentGraph('Sent by a program', found.raw, payloadText), withoutKeys }
}

/**
 * Validates parameters and fills them in.
 * @param given JSON of the input
 * @param installed undefined: models are not checked
 */
export function filledGraph(
  given: string,
  { title, payload, parameters, results }: GraphWithParameters,
  installed: InstalledModels | undefined,
): FilledGraph {
  const tooMany = manyValues(given)
  if (tooMany !== undefined) return { field: 'input', why: tooMany }
  const parsed = parseJson(given)
  if (!isObject(parsed)) return { field: 'input', why: 'must be an object with the parameters of the graph' }
  const found = parameterValues(parameters, parsed)
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
  needs: needsOf(readPayloadNodes(payload)),
})

const missingIn = (nodes: Iterable<LoadingNode>, installed: InstalledModels | undefined) =>
  installed === undefined ? undefined : findMissingModel(nodes, installed)

function storedPayload(text: string): JsonObject {
  const found = recognise(parseJson(text) ?? null)
  return found.form === 'payload' ? withoutCacheNotes(found.raw) : new Map()
}

// Counts commas, even in prompts. Source: ours; 5,000 nodes have 100,000 values, and this many take a quarter second.
const VALUES_MAX = 500_000

export function manyValues(text: string): string | undefined {
  let count = 0
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) {
    count += 1
    if (count > VALUES_MAX) return `has more than ${VALUES_MAX} values`
  }
  return undefined
}

/**
 * With a bare NaN, which JSON lacks, the input is a string, as the public image worker accepts. Source: worker-comfyui,
 * handler.py.
 * @param images in base64
 * @param more JSON members
 */
export function inputText(workflow: string, images: readonly SentImage[], more?: string): string {
  const files = images.length === 0 ? '' : `,"images":${JSON.stringify(images)}`
  const input = `{"workflow":${workflow}${files}${more === undefined ? '' : `,${more}`}}`
  const isStrict = [workflow, more ?? ''].every((text) => strictJson(text) === text)
  return isStrict ? input : JSON.stringify(input)
}

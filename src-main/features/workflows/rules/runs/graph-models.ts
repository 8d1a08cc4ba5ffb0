/** Checks a graph's models, since a missing one fails only after waiting. Source: docs/spec/image-workflows.md, 6.3. */
import type { ModelKey } from '../../../../contract/models.ts'
import { asText } from '../../../../lib/json/plain.ts'
import { isArray, isObject, type JsonObject, type JsonValue } from '../../../../lib/json/value.ts'
import {
  directoryOfInput,
  graphName,
  isModelHere,
  MODEL_FILE,
  modelNameProblem,
  pathProblem,
  presentDirectory,
} from '../../../models/rules/layout.ts'
import type { GraphNeeds } from '../../../workers/rules/choose-job.ts'
import type { WorkflowDocument } from '../document/document.ts'
import type { PayloadNode } from '../payload.ts'

export type LoadingNode = Pick<PayloadNode, 'id' | 'inputs'> & Partial<Pick<PayloadNode, 'classType'>>

export type AskedModel = { readonly node: string; readonly input: string; readonly asked: string }

export type InstalledModels = { readonly named: readonly string[]; readonly here: readonly ModelKey[] }

// Loader inputs: `ckpt_name`, `clip_name2`, `lora_01`, `model`, `ipadapter_file` ... A prompt that ends like a file
// name is not one.
const LOADER_INPUT =
  /(?:_name|_file|_path|ckpt|checkpoint|lora|vae|unet|clip|model|encoder|control_?net|upscaler)(?:_?\d+)?$/i

export function modelsOf(
  nodes: Iterable<LoadingNode>,
): readonly (AskedModel & { readonly directory: string | undefined })[] {
  return [...nodes].flatMap(({ id, inputs, classType }) =>
    [...inputs].flatMap(([input, asked]) => {
      const isModel = typeof asked === 'string' && LOADER_INPUT.test(input) && MODEL_FILE.test(asked)
      return isModel ? [{ node: id, input, asked, directory: directoryOfInput(input, classType) }] : []
    }),
  )
}

// Source: ours; graphs of people stay below 2 KiB. A server names what it lacks of the others.
const NEEDS_LETTERS = 16 * 1024

export function needsOf(nodes: readonly PayloadNode[]): GraphNeeds {
  let letters = 0
  const firstOf = (names: Iterable<string>) =>
    [...new Set(names)].filter((name) => {
      if (letters + name.length > NEEDS_LETTERS) return false
      letters += name.length
      return true
    })
  const models = firstOf(modelsOf(nodes).map(({ asked }) => asked))
  return { classes: firstOf(nodes.map(({ classType }) => classType)), models }
}

export function findMissingModel(
  nodes: Iterable<LoadingNode>,
  { named, here }: InstalledModels,
): AskedModel | undefined {
  const known = new Set(named)
  const missing = modelsOf(nodes).find(
    ({ asked, directory }) => !known.has(asked) && !isModelHere(here, asked, directory),
  )
  return missing && { node: missing.node, input: missing.input, asked: missing.asked }
}

export type OfferedModel = {
  readonly name: string
  readonly url: string
  readonly directory: string
  readonly sha256: string | undefined
}

const SHA256 = /^[0-9a-f]{64}$/i
const MODELS_MAX = 2000

/**
 * Collects valid download offers from node properties, subgraphs and the document.
 * @returns by the name that nodes use
 */
export function offeredModels(document: WorkflowDocument): ReadonlyMap<string, OfferedModel> {
  const found = new Map<string, OfferedModel>()
  const take = (models: JsonValue | undefined) => {
    if (!isArray(models)) return
    for (const model of models) {
      const offer = isObject(model) ? readOffer(model) : undefined
      if (offer !== undefined && !found.has(offer.name) && found.size < MODELS_MAX) found.set(offer.name, offer)
    }
  }
  for (const graph of [document, ...(document.definitions?.subgraphs.items ?? [])])
    for (const { properties } of graph.nodes.items) if (isObject(properties)) take(properties.get('models'))
  take(document.raw.get('models'))
  return found
}

function readOffer(model: JsonObject): OfferedModel | undefined {
  const [name, url, directory, hash, hashType] = ['name', 'url', 'directory', 'hash', 'hash_type'].map((key) =>
    asText(model.get(key)),
  )
  if (name === undefined || url === undefined || directory === undefined) return undefined
  if (modelNameProblem(graphName(name)) !== undefined || pathProblem(directory) !== undefined) return undefined
  if (!/^https?:\/\/[^\s/@]+\/\S+$/i.test(url)) return undefined
  const isSha256 = hash !== undefined && SHA256.test(hash) && /^(?:sha-?256)?$/i.test(hashType ?? '')
  return {
    name: graphName(name),
    url,
    directory: presentDirectory(directory),
    sha256: isSha256 ? hash.toLowerCase() : undefined,
  }
}

export function modelNamesIn(value: unknown): readonly string[] {
  const found = new Set<string>()
  const visit = (one: unknown, key: string | undefined): void => {
    if (found.size >= MODELS_MAX || key === 'properties') return
    if (typeof one === 'string') {
      if (one.length <= 500 && MODEL_FILE.test(one) && !/^https?:|\n/.test(one)) found.add(graphName(one))
    } else if (Array.isArray(one)) for (const inner of one) visit(inner, undefined)
    else if (typeof one === 'object' && one !== null)
      for (const [name, inner] of Object.entries(one)) visit(inner, name)
  }
  visit(value, undefined)
  return [...found]
}

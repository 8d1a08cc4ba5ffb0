/** The models that documents and payloads name: what they load, and where a document says that they can be had. */
import type { WorkflowDocument } from '../workflow/document/document.ts'
import { isArray, isObject, type JsonObject, type JsonValue } from '../workflow/json/value.ts'
import { graphName, MODEL_FILE, modelNameFault, pathFault, presentDirectory } from './layout.ts'

/** A model as a document offers it. */
export type OfferedModel = {
  readonly name: string
  readonly url: string
  readonly directory: string
  readonly sha256: string | undefined
}

const SHA256 = /^[0-9a-f]{64}$/i
const MODELS_MAX = 2000

/**
 * The models that a document says where to get: `models` in the properties of its nodes, those of subgraphs too, and in
 * the document itself. What could not be downloaded as it stands is left out.
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
  const [name, url, directory, hash, hashType] = ['name', 'url', 'directory', 'hash', 'hash_type'].map((key) => {
    const value = model.get(key)
    return typeof value === 'string' ? value : undefined
  })
  if (name === undefined || url === undefined || directory === undefined) return undefined
  if (modelNameFault(graphName(name)) !== undefined || pathFault(directory) !== undefined) return undefined
  if (!/^https?:\/\/[^\s/@]+\/\S+$/i.test(url)) return undefined
  const isSha256 = hash !== undefined && SHA256.test(hash) && /^(?:sha-?256)?$/i.test(hashType ?? '')
  return {
    name: graphName(name),
    url,
    directory: presentDirectory(directory),
    sha256: isSha256 ? hash.toLowerCase() : undefined,
  }
}

/** Texts within JSON that are names of model files, as graphs write them. What a node merely offers is none. */
export function modelNamesIn(value: unknown): readonly string[] {
  const found = new Set<string>()
  const look = (one: unknown, key: string | undefined): void => {
    if (found.size >= MODELS_MAX || key === 'properties') return
    if (typeof one === 'string') {
      if (one.length <= 500 && MODEL_FILE.test(one) && !/^https?:|\n/.test(one)) found.add(graphName(one))
    } else if (Array.isArray(one)) for (const inner of one) look(inner, undefined)
    else if (typeof one === 'object' && one !== null) for (const [name, inner] of Object.entries(one)) look(inner, name)
  }
  look(value, undefined)
  return [...found]
}

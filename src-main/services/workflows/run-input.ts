/** The input of a job that runs a graph: read, refused where a worker could not run it, and made with its files. */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { sizeText } from '../../domain/text.ts'
import { strictJson } from '../../domain/workflow/json/parse.ts'
import { type JsonObject, writeJson } from '../../domain/workflow/json/value.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import { withoutCacheNotes } from '../../domain/workflow/payload.ts'
import type { SentImage } from '../../domain/workflow/publish/parameter-values.ts'
import { findMissingModel, type LoadingNode } from '../../domain/workflow-runs/graph-models.ts'
import { imagesOf } from '../../domain/workflow-runs/payload-files.ts'
import type { Models } from '../models/models.ts'
import type { Endpoint, Storage } from '../ports/storage.ts'
import { readGraph } from './library.ts'

type Deps = { readonly storage: Pick<Storage, 'assets' | 'assetFiles'> }

/** The input of a job as text, and the files that go with it. */
export type RunInput = { readonly json: string; readonly files: readonly string[] }

/** What a job is made of. */
export type RunParts = {
  readonly payload: JsonObject
  readonly types: NodeTypes
  /**
   * What the bridge gets besides: previews are asked for, and JSON of the document goes along. Undefined: another
   * worker.
   */
  readonly bridge: { readonly document: string | undefined } | undefined
}

/**
 * Makes the input of a job: the payload with its numbers as they are, the files that its nodes load from here, and for
 * the bridge the document under the name that ComfyUI's own API has for it. A document that no longer fits is left out.
 * @throws AppError BAD_FIELD where payload and files are too large together
 */
export async function runInput({ storage }: Deps, { payload, types, bridge }: RunParts): Promise<RunInput> {
  const workflow = writeJson(payload)
  const files = [...new Set(imagesOf(payload, types).map(({ name }) => name))]
  const images: SentImage[] = []
  let bytes = Buffer.byteLength(workflow)
  for (const name of files) {
    const asset = storage.assets.named(name)
    const data = asset && (await storage.assetFiles.read(asset.id))
    if (data === undefined) continue // it may lie at the worker
    const image = Buffer.from(data).toString('base64')
    bytes += image.length
    if (bytes > limit('runImagesBytes')) throw tooLarge(name, data.length, bytes)
    images.push({ name, image })
  }
  if (bytes > limit('runBodyBytes')) throw tooLarge(undefined, bytes, bytes)
  return { json: inputText(workflow, images, bridge && forBridge(bridge.document, bytes)), files }
}

function forBridge(document: string | undefined, bytes: number): string {
  const hasRoom = document !== undefined && bytes + Buffer.byteLength(document) <= limit('runBodyBytes')
  return hasRoom ? `"previews":true,"extra_pnginfo":{"workflow":${document}}` : '"previews":true'
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

function tooLarge(name: string | undefined, bytes: number, total: number): AppError {
  if (name === undefined) {
    const why = `has ${sizeText(bytes)}, and the limit of a job is ${sizeText(limit('runBodyBytes'))}`
    return new AppError('BAD_FIELD', { field: 'payload', why })
  }
  const most = sizeText(limit('runImagesBytes'))
  const why = `with ${name} (${sizeText(bytes)}) the request would have ${sizeText(total)}, and the limit of a job is ${most}. Scale that picture down first`
  return new AppError('BAD_FIELD', { field: 'images', why })
}

// Keys like `__proto__` are other things in other languages, so a worker would see another graph than we do.
const UNSAFE_IDS = new Set(['__proto__', 'constructor', 'prototype'])

const FIX =
  'Workers take the API form: the editor converts it when it runs or publishes a graph, and so does `drydock workflow convert --to api`.'

/**
 * Reads a graph in the form that workers take, as it is to be sent: without what a server noted in it for its cache.
 * @throws AppError NOT_A_WORKFLOW, BODY_TOO_LARGE, BAD_FIELD where a worker may read another graph
 */
export function readPayload(text: string): JsonObject {
  const { form, raw } = readGraph(text)
  if (form === 'document') throw new AppError('NOT_A_WORKFLOW', { found: 'a document of an editor', fix: FIX })
  const unsafe = [...raw.keys()].find((id) => UNSAFE_IDS.has(id))
  if (unsafe === undefined) return withoutCacheNotes(raw)
  const why = `a node has the id ${unsafe}, which workers cannot read reliably. Rename it`
  throw new AppError('BAD_FIELD', { field: 'payload', why })
}

// By the commas, so those of prompts count too. Source: ours; a graph of 5,000 nodes has 100,000 values, and as many as
// these are read in a quarter of a second, in which nobody else is answered.
const VALUES_MAX = 500_000

/**
 * Refuses JSON with more values than any graph has, before it is read without loss. Whoever has the key of an endpoint
 * may send it.
 * @throws AppError BAD_FIELD
 */
export function refuseManyValues(text: string, field: string): void {
  let count = 0
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) {
    count += 1
    if (count > VALUES_MAX) throw new AppError('BAD_FIELD', { field, why: `has more than ${VALUES_MAX} values` })
  }
}

const NAMED = 5

/**
 * Refuses a graph that loads a model which the workers of the endpoint do not have.
 * @param deps.models what is in the folders, which workers have too
 * @param nodes gives the nodes; not called where the endpoint checks nothing
 * @throws AppError MODEL_NOT_INSTALLED
 */
export function refuseMissingModels(
  { models: { here } }: { readonly models: Pick<Models, 'here'> },
  { id, config }: Endpoint,
  nodes: () => Iterable<LoadingNode>,
): void {
  const { models, checkModels, modelFolders } = config.workflows ?? {}
  if (models === undefined || checkModels === false) return
  const given = modelFolders === false ? [] : here()
  const missing = findMissingModel(nodes(), { named: models, here: given })
  if (missing === undefined) return
  here(true) // a file that somebody has put there by hand counts at the next try
  throw new AppError('MODEL_NOT_INSTALLED', { ...missing, endpointId: id, installed: modelsText(models) })
}

function modelsText(models: readonly string[]): string {
  if (models.length === 0) return 'no model'
  const more = models.length - NAMED
  return models.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

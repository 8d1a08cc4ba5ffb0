import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { sizeText } from '../../lib/text.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import type { Models } from '../models/models.ts'
import type { SentImage } from './rules/publish/parameter-values.ts'
import type { AskedModel, InstalledModels } from './rules/runs/graph-models.ts'
import type { NoPayload, RunGraph } from './rules/runs/run-graph.ts'
import { inputText } from './rules/runs/sent-graph.ts'
import { hasSeveralServers } from './rules/server-address.ts'

type RunParts = {
  readonly graph: Pick<RunGraph, 'text' | 'files'>
  readonly bridge: { readonly document: string | undefined } | undefined
  /** The endpoint whose ComfyUI client sent the graph: it loads the files that this client sees. */
  readonly clientOf: string | undefined
}

/** Only endpoints with several servers choose by the needs, so others do not store them. */
export const neededFor = ({ config }: Endpoint, { needs }: Pick<RunGraph, 'needs'>): RunGraph['needs'] | undefined =>
  hasSeveralServers(config.workflows) ? needs : undefined

/**
 * Builds a job input: payload with unchanged numbers, files its nodes load, and for the bridge the document under
 * ComfyUI's API name. Documents that do not fit are omitted.
 * @throws AppError BAD_FIELD if payload and files are too large
 */
export async function runInput(
  storage: Pick<Storage, 'assets' | 'assetFiles'>,
  { graph, bridge, clientOf }: RunParts,
): Promise<string> {
  const { text: workflow, files } = graph
  const images: SentImage[] = []
  let bytes = Buffer.byteLength(workflow)
  for (const name of files) {
    const asset = clientOf === undefined ? storage.assets.named(name) : storage.assets.namedAt(name, clientOf)
    const data = asset && (await storage.assetFiles.read(asset.id))
    if (data === undefined) continue
    const image = Buffer.from(data).toString('base64')
    bytes += image.length
    if (bytes > limit('runImagesBytes')) throw tooLarge(name, data.length, bytes)
    images.push({ name, image })
  }
  if (bytes > limit('runBodyBytes')) throw tooLarge(undefined, bytes, bytes)
  return inputText(workflow, images, bridge && forBridge(bridge.document, bytes))
}

function forBridge(document: string | undefined, bytes: number): string {
  const hasRoom = document !== undefined && bytes + Buffer.byteLength(document) <= limit('runBodyBytes')
  return hasRoom ? `"previews":true,"extra_pnginfo":{"workflow":${document}}` : '"previews":true'
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

export function noPayload(read: NoPayload): AppError {
  if ('found' in read) return new AppError('NOT_A_WORKFLOW', read)
  const why = `a node has the id ${read.unsafe}, which workers cannot read reliably. Rename it`
  return new AppError('BAD_FIELD', { field: 'payload', why })
}

const NAMED = 5

export function installedModels({ here }: Pick<Models, 'here'>, { config }: Endpoint): InstalledModels | undefined {
  const { models, checkModels, modelFolders } = config.workflows ?? {}
  if (models === undefined || checkModels === false) return undefined
  return { named: models, here: modelFolders === false ? [] : here() }
}

export function modelNotInstalled(
  models: Pick<Models, 'here'>,
  { id, config }: Endpoint,
  missing: AskedModel,
): AppError {
  models.here(true)
  const installed = modelsText(config.workflows?.models ?? [])
  return new AppError('MODEL_NOT_INSTALLED', { ...missing, endpointId: id, installed })
}

function modelsText(models: readonly string[]): string {
  if (models.length === 0) return 'no model'
  const more = models.length - NAMED
  return models.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

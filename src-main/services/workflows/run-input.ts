import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { sizeInWords } from '../../domain/size-in-words.ts'
import { strictJson } from '../../domain/workflow/json/parse.ts'
import type { JsonObject } from '../../domain/workflow/json/value.ts'
import { writeJson } from '../../domain/workflow/json/write.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import type { SentImage } from '../../domain/workflow/publish/fill-payload.ts'
import { imagesOf } from '../../domain/workflow/view/images-of.ts'
import type { Storage } from '../ports.ts'

type Deps = { readonly storage: Pick<Storage, 'assets' | 'assetFiles'> }

/** The input of a job as text, and the files that go with it. */
export type RunInput = { readonly json: string; readonly files: readonly string[] }

/** What a job is made of. */
export type RunParts = {
  readonly payload: JsonObject
  readonly types: NodeTypes
  /** What the bridge gets besides: previews are asked for, and JSON of the document goes along. Undefined: another worker. */
  readonly bridge: { readonly document: string | undefined } | undefined
}

/**
 * Makes the input of a job: the payload with its numbers as they are, the files that its nodes load from here, and for the
 * bridge the document under the name that ComfyUI's own API has for it. A document that no longer fits is left out.
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
 * The input of a job as JSON. Where the graph has a bare NaN, which JSON does not, it is a text that holds the input, as
 * the public image worker takes it too. Source: worker-comfyui, handler.py.
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
    const why = `has ${sizeInWords(bytes)}, and a job takes ${sizeInWords(limit('runBodyBytes'))}`
    return new AppError('BAD_FIELD', { field: 'payload', why })
  }
  const most = sizeInWords(limit('runImagesBytes'))
  const why = `with ${name} (${sizeInWords(bytes)}) the request would have ${sizeInWords(total)}, and a job takes ${most}. Scale that picture down first`
  return new AppError('BAD_FIELD', { field: 'images', why })
}

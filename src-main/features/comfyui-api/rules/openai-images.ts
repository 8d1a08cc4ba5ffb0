/** OpenAI's image requests, as inputs of a published graph. Source: docs/spec/image-workflows.md, 7. */
import type { GraphParameter } from '../../../contract/published.ts'
import { parseJson } from '../../../lib/json/parse.ts'
import { isNumber, type JsonValue, jsonNumber, writeJson } from '../../../lib/json/value.ts'

export type ImagesRequest = {
  readonly inputs: readonly string[]
  readonly format: 'b64_json' | 'url'
  readonly isStream: boolean
  readonly partialImages: number
}

export type ImagesProblem = { readonly param: string; readonly message: string }

// Source: OpenAI's API.
const [MOST_IMAGES, MOST_PARTIAL] = [10, 3]

// Wishes about the model and its file that no graph knows, so they are left out.
const IGNORED: ReadonlySet<string> = new Set([
  ...['model', 'user', 'quality', 'style', 'background', 'moderation', 'input_fidelity'],
  'output_compression',
])

export type SentImages = {
  /** Without pictures. In forms, values are texts. */
  readonly fields: ReadonlyMap<string, JsonValue>
  readonly images: readonly string[]
  readonly mask: string | undefined
}

/** @param newSeed a whole number from 0 to 2^48 */
export function readImagesRequest(
  { fields, images, mask }: SentImages,
  parameters: readonly GraphParameter[],
  newSeed: () => number,
): ImagesRequest | ImagesProblem {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const values = new Map<string, JsonValue>()
  const rest = new Map([...fields].filter(([, value]) => value !== null))
  const take = (name: string): JsonValue | undefined => {
    const value = rest.get(name)
    rest.delete(name)
    return value
  }

  const count = wholeNumber(take('n'), 1)
  if (count === undefined || count < 1 || count > MOST_IMAGES)
    return { param: 'n', message: `n: must be a whole number from 1 to ${MOST_IMAGES}.` }
  const partialImages = wholeNumber(take('partial_images'), 0)
  if (partialImages === undefined || partialImages < 0 || partialImages > MOST_PARTIAL)
    return { param: 'partial_images', message: `partial_images: must be a whole number from 0 to ${MOST_PARTIAL}.` }
  const isStream = String(take('stream') ?? false) === 'true'
  if (isStream && count > 1) return { param: 'n', message: 'n: must be 1 for a stream.' }
  const format = take('response_format') ?? 'b64_json'
  if (format !== 'b64_json' && format !== 'url')
    return { param: 'response_format', message: 'response_format: must be b64_json or url.' }

  const size = byName.has('size') ? 'auto' : (take('size') ?? 'auto')
  if (size !== 'auto') {
    const [, width, height] = typeof size === 'string' ? (/^(\d{1,6})x(\d{1,6})$/.exec(size) ?? []) : []
    if (width === undefined || height === undefined)
      return { param: 'size', message: 'size: must be auto, or like 512x512.' }
    if (!byName.has('width') || !byName.has('height')) return unexposed('size', 'width and height')
    values.set('width', jsonNumber(Number(width)))
    values.set('height', jsonNumber(Number(height)))
  }

  // Source: OpenAI's API, which knows png, jpeg and webp.
  const fileFormat = byName.has('output_format') ? 'png' : (take('output_format') ?? 'png')
  if (fileFormat !== 'png')
    return {
      param: 'output_format',
      message:
        'output_format: pictures are sent as the workflow saves them. Leave it out, or publish a workflow that saves the format and exposes output_format.',
    }

  const seed = byName.get('seed')
  const given = take('seed')
  if (given !== undefined && seed === undefined) return unexposed('seed', 'seed')
  if (count > 1 && seed === undefined) return unexposed('n', 'seed, so all pictures would be the same')

  const prompt = take('prompt')
  const promptName = byName.has('prompt') ? 'prompt' : onlyText(parameters)?.name
  if (prompt !== undefined && promptName === undefined) return unexposed('prompt', 'prompt')
  if (prompt !== undefined && promptName !== undefined) values.set(promptName, prompt)

  const pictures = parameters.filter(({ type, name }) => type === 'image' && name !== 'mask')
  if (images.length > pictures.length)
    return {
      param: 'image',
      message: `image: the workflow exposes ${pictures.length} pictures, but ${images.length} were sent.`,
    }
  images.forEach((image, at) => void values.set(pictures[at]?.name ?? '', image))
  if (mask !== undefined && byName.get('mask')?.type !== 'image') return unexposed('mask', 'mask')
  if (mask !== undefined) values.set('mask', mask)

  for (const [name, value] of rest) {
    const parameter = byName.get(name)
    if (parameter !== undefined) values.set(name, typedValue(parameter, value))
    else if (!IGNORED.has(name)) return unexposed(name, name)
  }
  const inputs = Array.from({ length: count }, (_, index) => {
    const own = seed === undefined ? undefined : seedOf(seed, given, { index, newSeed })
    return writeJson(own === undefined ? values : new Map([...values, ['seed', own]]))
  })
  return { inputs, format, isStream, partialImages }
}

const unexposed = (param: string, missing: string): ImagesProblem => ({
  param: param.slice(0, 100),
  message: `${param.slice(0, 100)}: the workflow exposes no ${missing.slice(0, 100)}. Expose it when you publish the workflow, or leave ${param.slice(0, 100)} out.`,
})

function onlyText(parameters: readonly GraphParameter[]): GraphParameter | undefined {
  const texts = parameters.filter(({ type }) => type === 'string')
  return texts.length === 1 ? texts[0] : undefined
}

function wholeNumber(value: JsonValue | undefined, without: number): number | undefined {
  if (value === undefined) return without
  const text = isNumber(value) ? value.number : value
  return typeof text === 'string' && /^\d{1,3}$/.test(text) ? Number(text) : undefined
}

/** Forms have only texts. */
function typedValue({ type }: GraphParameter, value: JsonValue): JsonValue {
  if (typeof value !== 'string' || type === 'string' || type === 'choice' || type === 'image') return value
  return parseJson(value) ?? value
}

type PictureIndex = { readonly index: number; readonly newSeed: () => number }

/** Pictures of one request differ; a given seed counts up. */
function seedOf(seed: GraphParameter, given: JsonValue | undefined, { index, newSeed }: PictureIndex): JsonValue {
  const value = given === undefined ? undefined : typedValue(seed, given)
  if (value !== undefined && !(isNumber(value) && /^-?\d+$/.test(value.number))) return value
  const first = value === undefined ? undefined : BigInt(value.number)
  return jsonNumber(first === undefined ? withinSeed(seed, newSeed()) : first + BigInt(index))
}

function withinSeed({ min = '0', max }: GraphParameter, seed: number): number {
  const [least, most] = [Number(min), max === undefined ? Number.MAX_SAFE_INTEGER : Number(max)]
  const span = Math.min(Number.MAX_SAFE_INTEGER, most - least)
  return span > 0 ? least + (seed % (span + 1)) : least
}

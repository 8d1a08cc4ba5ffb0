/** Small graphs for the sketch worker, and its answers. */
import { decode } from 'fast-png'
import { handler } from '../../../../resources/node/sketch/handler.ts'
import { rawJson } from '../../../../resources/node/svc-worker/raw-json.ts'
import { readPngTexts } from '../../../../src-main/features/workflows/rules/metadata/png.ts'

/** Settings of the graph; a text stands where numbers are to be exact. */
export type Settings = {
  readonly prompt?: string
  readonly negative?: string
  readonly seed?: string
  readonly steps?: number
  readonly cfg?: number
  readonly sampler?: string
  readonly scheduler?: string
  readonly size?: number
  readonly batch?: number
}

/** Nodes by id, as JSON holds them. */
export type Nodes = Record<string, { class_type: string; inputs: Record<string, unknown> }>

// Of the language since 2025; the types that are used here do not know it yet.
const { rawJSON: exactly } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

/** A text to a picture, as most graphs begin. */
export function textToPicture({
  prompt = 'a boat on the sea at sunset',
  negative = '',
  seed = '7',
  steps = 8,
  cfg = 7,
  sampler = 'euler',
  scheduler = 'normal',
  size = 64,
  batch = 1,
}: Settings = {}): Nodes {
  const clip = ['4', 1]
  return {
    3: {
      class_type: 'KSampler',
      inputs: {
        ...{ seed: exactly(seed), steps, cfg, sampler_name: sampler, scheduler, denoise: 1 },
        ...{ model: ['4', 0], positive: ['6', 0], negative: ['7', 0], latent_image: ['5', 0] },
      },
    },
    4: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'any.safetensors' } },
    5: { class_type: 'EmptyLatentImage', inputs: { width: size, height: size, batch_size: batch } },
    6: { class_type: 'CLIPTextEncode', inputs: { text: prompt, clip } },
    7: { class_type: 'CLIPTextEncode', inputs: { text: negative, clip } },
    8: { class_type: 'VAEDecode', inputs: { samples: ['3', 0], vae: ['4', 2] } },
    9: { class_type: 'SaveImage', inputs: { filename_prefix: 'test', images: ['8', 0] } },
  }
}

/** The same over a picture of the job. */
export function pictureToPicture(denoise: number, settings: Settings = {}): Nodes {
  const nodes = textToPicture(settings)
  Object.assign(nodes[3]?.inputs ?? {}, { denoise, latent_image: ['11', 0] })
  nodes[10] = { class_type: 'LoadImage', inputs: { image: 'begin.png' } }
  nodes[11] = { class_type: 'VAEEncode', inputs: { pixels: ['10', 0], vae: ['4', 2] } }
  return nodes
}

/** A picture of an answer. */
export type Image = { readonly filename: string; readonly type: string; readonly data: string; readonly node: string }

/** Runs a graph. */
export async function run(
  workflow: unknown,
  {
    images,
    signal = new AbortController().signal,
    progress = () => undefined,
  }: { images?: readonly unknown[]; signal?: AbortSignal; progress?: (value: Told) => void } = {},
): Promise<Answer> {
  const inputText = JSON.stringify({ workflow, ...(images === undefined ? {} : { images }) })
  const told = (value: unknown) => progress(value as Told)
  return (await handler({ id: 'job', input: {}, inputText }, { signal, progress: told, rawJson })) as Answer
}

export type Told = {
  readonly node: string
  readonly step: number
  readonly steps: number
  readonly done: readonly string[]
  readonly preview?: { readonly node: string; readonly data: string }
}

export type Answer = {
  readonly images?: readonly Image[]
  readonly notes?: readonly string[]
  readonly error?: Readonly<Record<string, unknown>>
}

/** Bytes of the colours of its first picture. */
export async function pixelsOf(nodes: Nodes, options?: Parameters<typeof run>[1]): Promise<Uint8Array> {
  const { images = [], error } = await run(nodes, options)
  if (error !== undefined) throw new Error(JSON.stringify(error))
  return Uint8Array.from(decode(Buffer.from(images[0]?.data ?? '', 'base64')).data)
}

/** The mean difference of two pictures, 0 to 255. */
export function difference(one: Uint8Array, other: Uint8Array): number {
  return one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length
}

/** The texts in a picture by their keywords. */
export function textsOf({ data }: Image): Readonly<Record<string, string>> {
  const tools = { utf8: (bytes: Uint8Array) => Buffer.from(bytes).toString(), inflate: () => undefined }
  return Object.fromEntries(
    readPngTexts(Buffer.from(data, 'base64'), tools).map(({ keyword, text }) => [keyword, text]),
  )
}

/** Runs of node classes. Each output of a class without one repeats the first input of the same type. */
import { setTimeout as pause } from 'node:timers/promises'
import { mediaTypeOf, pictureSize } from '../../../src-main/lib/media.ts'
import type { Inputs, Picture, Value } from './inputs.ts'
import { previewOf } from './paint.ts'

export type Surroundings = {
  readonly key: string
  readonly signal: AbortSignal
  /** @param preview makes a data URI; called only if it is shown */
  readonly onStep: (step: number, steps: number, preview: () => string) => void
  readonly file: (name: string) => Uint8Array | undefined
  readonly save: (picture: Picture, prefix: string) => void
}

/** Runs a node. @returns the fields that its outputs set */
type NodeRun = (inputs: Inputs, surroundings: Surroundings) => Partial<Value> | Promise<Partial<Value>>

// Source: ours; 20 steps take as long as a small model on a graphics card.
const STEP_MS = 20
const PROMPT_MAX = 2000
// Most pixels of a picture and of a batch. Source: ours; painting 16 million takes about a second.
const PICTURE_MAX = 16 * 1024 * 1024
const BATCH_MAX = 32 * 1024 * 1024
// Most pictures of a batch, as in ComfyUI.
const COUNT_MAX = 4096

function checkSizes(pictures: readonly Picture[], count = pictures.length): void {
  for (const { width, height } of pictures) {
    if (width < 1 || height < 1) throw new Error(`${width} x ${height} pixels are too small. Choose a larger size.`)
    if (width * height > PICTURE_MAX)
      throw new Error(
        `${width} x ${height} pixels are more than the stand-in can draw (16 million). Choose a smaller size.`,
      )
  }
  const [{ width = 1, height = 1 } = {}] = pictures
  if (count > COUNT_MAX || width * height * count > BATCH_MAX)
    throw new Error(`${count} pictures of ${width} x ${height} pixels are too many at once. Choose a smaller batch.`)
}

const empty: NodeRun = (inputs, { key }) => {
  const [width, height] = [Math.floor(inputs.number('width')), Math.floor(inputs.number('height'))]
  const picture = { width, height, prompt: '', seed: '', key, isInverted: false }
  const count = inputs.number('batch_size')
  checkSizes([picture], count)
  return { pictures: Array.from({ length: count }, () => picture) }
}

/** @param names texts of several encoders are mostly the same */
const encode =
  (...names: readonly string[]): NodeRun =>
  (inputs) => ({ text: [...new Set(names.map(inputs.text))].join(', ').slice(0, PROMPT_MAX) })

const joined =
  (one: string, other: string): NodeRun =>
  (inputs) => ({
    text: [inputs.take(one).text, inputs.take(other).text].filter(Boolean).join(', ').slice(0, PROMPT_MAX),
  })

const scaled =
  (input: string, sizeOf: (inputs: Inputs, size: Picture) => readonly [number, number]): NodeRun =>
  (inputs, { key }) => {
    const pictures = inputs.take(input).pictures.map((picture) => {
      const [width, height] = sizeOf(inputs, picture)
      return { ...picture, width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)), key }
    })
    checkSizes(pictures)
    return { pictures }
  }

/** A side of 0 follows the other one. */
function toSides(inputs: Inputs, picture: Picture): readonly [number, number] {
  const [width, height] = [inputs.number('width'), inputs.number('height')]
  if (width === 0 && height === 0) return [picture.width, picture.height]
  return [width || (picture.width * height) / picture.height, height || (picture.height * width) / picture.width]
}

function byFactor(inputs: Inputs, { width, height }: Picture): readonly [number, number] {
  const factor = inputs.number('scale_by')
  return [width * factor, height * factor]
}

function toPixels(inputs: Inputs, { width, height }: Picture): readonly [number, number] {
  const factor = Math.sqrt((inputs.number('megapixels') * 1024 * 1024) / (width * height))
  return [width * factor, height * factor]
}

const prompted = (inputs: Inputs) => inputs.take('positive').text
const noiseSeed = (inputs: Inputs) => inputs.text('noise_seed')
const writtenSteps = (inputs: Inputs) => inputs.number('steps')
const sigmaSteps = (inputs: Inputs) => inputs.take('sigmas').steps

/** Waits as a model would compute, and shows the picture through less and less noise. */
const sampler =
  (seedOf: (inputs: Inputs) => string, stepsOf: (inputs: Inputs) => number, promptOf = prompted): NodeRun =>
  async (inputs, { key, signal, onStep }) => {
    const [prompt, seed, steps] = [promptOf(inputs), seedOf(inputs), stepsOf(inputs)]
    const latent = inputs.take('latent_image').pictures
    const pictures: Picture[] = []
    for (const [index, { width, height }] of latent.entries()) {
      const picture = { width, height, prompt, seed: index === 0 ? seed : `${seed} ${index}`, key, isInverted: false }
      for (let step = 1; step <= steps; step += 1) {
        await pause(STEP_MS, undefined, { signal })
        onStep(index * steps + step, latent.length * steps, () => previewOf(picture, 1 - step / steps))
      }
      pictures.push(picture)
    }
    return { pictures }
  }

const loadImage: NodeRun = (inputs, { key, file }) => {
  const name = inputs.text('image').replace(/ \[\w+\]$/, '')
  const bytes = file(name)
  if (bytes === undefined)
    throw new Error(`The picture "${name}" did not come with the job. Add {name, image} to input.images.`)
  const mediaType = mediaTypeOf(bytes)
  const size = pictureSize(bytes, mediaType)
  if (size === undefined) throw new Error(`The picture "${name}" cannot be read: it is ${mediaType}. Save it as PNG.`)
  const picture = { ...size, prompt: name, seed: '', key, isInverted: false }
  checkSizes([picture])
  return { pictures: [picture] }
}

function saveAll(inputs: Inputs, { save, onStep }: Surroundings, prefix: string): Partial<Value> {
  const { pictures } = inputs.take('images')
  for (const picture of pictures) save(picture, prefix)
  const [first] = pictures
  if (first !== undefined) onStep(1, 1, () => previewOf(first, 0))
  return {}
}

/** Latents have cells of 8 x 8 pixels. */
const wholeCells =
  (input: string): NodeRun =>
  (inputs) => ({
    pictures: inputs.take(input).pictures.map((picture) => {
      const [width, height] = [picture.width, picture.height].map((side) => Math.max(8, side - (side % 8)))
      return { ...picture, width: width ?? 8, height: height ?? 8 }
    }),
  })

const scheduled: NodeRun = (inputs) => ({ steps: writtenSteps(inputs) })
const plain: NodeRun = (inputs) => ({ text: inputs.text('value') })

/** By class; the other ones of classes.json only pass values on. */
export const NODE_RUNS: Readonly<Record<string, NodeRun>> = {
  CLIPTextEncode: encode('text'),
  CLIPTextEncodeSDXL: encode('text_g', 'text_l'),
  CLIPTextEncodeSD3: encode('clip_g', 'clip_l', 't5xxl'),
  CLIPTextEncodeFlux: encode('t5xxl', 'clip_l'),
  ConditioningCombine: joined('conditioning_1', 'conditioning_2'),
  ConditioningConcat: joined('conditioning_to', 'conditioning_from'),
  ConditioningAverage: joined('conditioning_to', 'conditioning_from'),
  ConditioningZeroOut: () => ({ text: '' }),
  EmptyLatentImage: empty,
  EmptySD3LatentImage: empty,
  EmptyImage: empty,
  LatentUpscale: scaled('samples', toSides),
  LatentUpscaleBy: scaled('samples', byFactor),
  ImageScale: scaled('image', toSides),
  ImageScaleBy: scaled('image', byFactor),
  ImageScaleToTotalPixels: scaled('image', toPixels),
  ImageInvert: (inputs) => ({
    pictures: inputs.take('image').pictures.map((picture) => ({ ...picture, isInverted: !picture.isInverted })),
  }),
  RepeatLatentBatch(inputs) {
    const { pictures } = inputs.take('samples')
    const amount = inputs.number('amount')
    checkSizes(pictures, pictures.length * amount)
    return { pictures: Array.from({ length: amount }, () => pictures).flat() }
  },
  ImageBatch(inputs) {
    const [one, other] = [inputs.take('image1').pictures, inputs.take('image2').pictures]
    const [{ width, height } = { width: 1, height: 1 }] = one
    checkSizes(one, one.length + other.length)
    return { pictures: [...one, ...other.map((picture) => ({ ...picture, width, height }))] }
  },
  KSampler: sampler((inputs) => inputs.text('seed'), writtenSteps),
  KSamplerAdvanced: sampler(noiseSeed, (inputs) =>
    Math.max(0, Math.min(inputs.number('end_at_step'), inputs.number('steps')) - inputs.number('start_at_step')),
  ),
  SamplerCustom: sampler(noiseSeed, sigmaSteps),
  SamplerCustomAdvanced: sampler(
    (inputs) => inputs.take('noise').text,
    sigmaSteps,
    (inputs) => inputs.take('guider').text,
  ),
  RandomNoise: (inputs) => ({ text: noiseSeed(inputs) }),
  BasicScheduler: scheduled,
  KarrasScheduler: scheduled,
  CFGGuider: (inputs) => ({ text: prompted(inputs) }),
  BasicGuider: (inputs) => ({ text: inputs.take('conditioning').text }),
  VAEDecode: wholeCells('samples'),
  VAEDecodeTiled: wholeCells('samples'),
  VAEEncode: wholeCells('pixels'),
  VAEEncodeForInpaint: wholeCells('pixels'),
  LoadImage: loadImage,
  SaveImage: (inputs, surroundings) => saveAll(inputs, surroundings, inputs.text('filename_prefix')),
  PreviewImage: (inputs, surroundings) => saveAll(inputs, surroundings, 'preview'),
  PrimitiveInt: plain,
  PrimitiveFloat: plain,
  PrimitiveString: plain,
}

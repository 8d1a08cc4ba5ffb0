/** Pictures: read, encoded and decoded, scaled, shown and saved. */
import type { Inputs } from '../graph/inputs.ts'
import type { NodeRun, Surroundings } from '../graph/node-run.ts'
import { PictureError, readPicture } from '../raster/read-picture.ts'
import { cropMiddle, resample } from '../raster/resample.ts'
import { thumbnailOf } from '../raster/write-picture.ts'
import { decode, encode } from '../sampling/decode.ts'
import type { Raster, Value } from '../values.ts'
import { cellMask } from './latents.ts'
import { checkSize } from './sizes.ts'

const images = (given: readonly Raster[]): readonly Value[] => [{ kind: 'IMAGE', images: given }]

type Size = { readonly width: number; readonly height: number; readonly method: string; readonly crop: boolean }

function scaled({ width, height, pixels }: Raster, to: Size): Raster {
  const grid = { width, height, channels: 3, values: pixels }
  const cut = to.crop ? cropMiddle(grid, to.width, to.height) : grid
  const { values } = resample(cut, to.width, to.height, to.method)
  return { width: to.width, height: to.height, pixels: values }
}

function scale(
  inputs: Inputs,
  sizeOf: (raster: Raster) => { readonly width: number; readonly height: number },
  crop = false,
) {
  const method = inputs.text('upscale_method')
  const { images: given } = inputs.take('image', 'IMAGE')
  return images(
    given.map((raster) => {
      const to = sizeOf(raster)
      checkSize(to.width, to.height, given.length)
      return scaled(raster, { ...to, method, crop })
    }),
  )
}

const timesSize = ({ width, height }: Raster, factor: number) => ({
  width: Math.max(1, Math.round(width * factor)),
  height: Math.max(1, Math.round(height * factor)),
})

const loadImage: NodeRun = (inputs, { file }) => {
  const name = inputs.text('image').replace(/ \[\w+\]$/, '')
  const bytes = file(name)
  if (bytes === undefined)
    throw new Error(`The picture "${name}" did not come with the job. Add {name, image} to input.images.`)
  try {
    const { raster, mask } = readPicture(bytes)
    return [
      { kind: 'IMAGE', images: [raster] },
      { kind: 'MASK', mask },
    ]
  } catch (error) {
    if (error instanceof PictureError)
      throw new Error(`The picture "${name}" cannot be read: ${error.message}.`, { cause: error })
    throw error
  }
}

const vaeDecode: NodeRun = async (inputs, { signal }) =>
  images(await decode(inputs.take('samples', 'LATENT').latent, signal))

function emptyImage(inputs: Inputs): readonly Value[] {
  const [width, height, count] = [inputs.number('width'), inputs.number('height'), inputs.number('batch_size')]
  checkSize(width, height, count)
  const colour = inputs.number('color')
  const parts = [(colour >> 16) & 255, (colour >> 8) & 255, colour & 255].map((part) => part / 255)
  const pixels = Float32Array.from({ length: width * height * 3 }, (_, at) => parts[at % 3] ?? 0)
  return images(Array.from({ length: count }, () => ({ width, height, pixels })))
}

async function showAll(inputs: Inputs, { show, onStep }: Surroundings, prefix: string, isPreview: boolean) {
  const { images: given } = inputs.take('images', 'IMAGE')
  for (const raster of given) await show(raster, prefix, isPreview)
  const [first] = given
  if (first !== undefined) onStep(1, 1, () => thumbnailOf(first))
  return []
}

/** By class. */
export const IMAGES: Readonly<Record<string, NodeRun>> = {
  LoadImage: loadImage,
  EmptyImage: emptyImage,
  VAEDecode: vaeDecode,
  VAEDecodeTiled: vaeDecode,
  VAEEncode: (inputs) => [{ kind: 'LATENT', latent: encode(inputs.take('pixels', 'IMAGE').images, undefined) }],
  VAEEncodeForInpaint(inputs) {
    const latent = encode(inputs.take('pixels', 'IMAGE').images, undefined)
    return [{ kind: 'LATENT', latent: { ...latent, mask: cellMask(inputs.take('mask', 'MASK').mask, latent) } }]
  },
  ImageScale(inputs) {
    const [width, height] = [inputs.number('width'), inputs.number('height')]
    // A side of 0 follows the other one.
    const sizeOf = (raster: Raster) => {
      if (width === 0 && height === 0) return raster
      return {
        width: width || Math.max(1, Math.round((raster.width * height) / raster.height)),
        height: height || Math.max(1, Math.round((raster.height * width) / raster.width)),
      }
    }
    return scale(inputs, sizeOf, inputs.text('crop') === 'center')
  },
  ImageScaleBy: (inputs) => scale(inputs, (raster) => timesSize(raster, inputs.number('scale_by'))),
  ImageScaleToTotalPixels: (inputs) =>
    scale(inputs, (raster) =>
      timesSize(raster, Math.sqrt((inputs.number('megapixels') * 1024 * 1024) / (raster.width * raster.height))),
    ),
  ImageInvert: (inputs) =>
    images(
      inputs
        .take('image', 'IMAGE')
        .images.map((raster) => ({ ...raster, pixels: raster.pixels.map((value) => 1 - value) })),
    ),
  ImageBatch(inputs) {
    const [one, other] = [inputs.take('image1', 'IMAGE').images, inputs.take('image2', 'IMAGE').images]
    const { width, height } = one[0] ?? { width: 1, height: 1 }
    checkSize(width, height, one.length + other.length)
    return images([...one, ...other.map((raster) => scaled(raster, { width, height, method: 'bilinear', crop: true }))])
  },
  InvertMask(inputs) {
    const { mask } = inputs.take('mask', 'MASK')
    return [{ kind: 'MASK', mask: { ...mask, values: mask.values.map((value) => 1 - value) } }]
  },
  SaveImage: (inputs, surroundings) => showAll(inputs, surroundings, inputs.text('filename_prefix'), false),
  PreviewImage: (inputs, surroundings) => showAll(inputs, surroundings, 'preview', true),
}

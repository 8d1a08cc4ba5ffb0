/** Latents: empty ones, other sizes, masks. */
import type { Inputs } from '../graph/inputs.ts'
import type { NodeRun } from '../graph/node-run.ts'
import { cropMiddle, resample } from '../raster/resample.ts'
import { emptyLatent } from '../sampling/decode.ts'
import { CELL, CHANNELS, type Latent, type Mask, type Value } from '../values.ts'
import { checkSize } from './sizes.ts'

const latent = (given: Latent): readonly Value[] => [{ kind: 'LATENT', latent: given }]

function empty(inputs: Inputs): readonly Value[] {
  const [width, height, count] = [inputs.number('width'), inputs.number('height'), inputs.number('batch_size')]
  checkSize(width, height, count)
  return latent(emptyLatent(Math.max(1, Math.floor(width / CELL)), Math.max(1, Math.floor(height / CELL)), count))
}

function scaled(given: Latent, size: { width: number; height: number; method: string; crop: boolean }): Latent {
  const { width, height, method, crop } = size
  checkSize(width * CELL, height * CELL, given.items.length)
  const items = given.items.map((item) => {
    const grid = { width: given.width, height: given.height, channels: CHANNELS, values: item.cells }
    const cut = crop ? cropMiddle(grid, width, height) : grid
    return { ...item, cells: resample(cut, width, height, method).values }
  })
  return { width, height, items, mask: given.mask && sizedMask({ ...given, values: given.mask }, width, height) }
}

const sizedMask = ({ width, height, values }: Mask, toWidth: number, toHeight: number) =>
  resample({ width, height, channels: 1, values }, toWidth, toHeight, 'bilinear').values

function upscale(inputs: Inputs): readonly Value[] {
  const given = inputs.take('samples', 'LATENT').latent
  let [width, height] = [inputs.number('width'), inputs.number('height')].map((side) => Math.round(side / CELL)) as [
    number,
    number,
  ]
  if (width === 0 && height === 0) return latent(given)
  // A side of 0 follows the other one.
  if (width === 0) width = Math.max(1, Math.round((given.width * height) / given.height))
  if (height === 0) height = Math.max(1, Math.round((given.height * width) / given.width))
  return latent(
    scaled(given, { width, height, method: inputs.text('upscale_method'), crop: inputs.text('crop') === 'center' }),
  )
}

/** A mask in pixels as one in cells. */
export const cellMask = (
  mask: Mask,
  { width, height }: { readonly width: number; readonly height: number },
): Float32Array => sizedMask(mask, width, height).map((value) => Math.min(1, Math.max(0, value)))

/** By class. */
export const LATENTS: Readonly<Record<string, NodeRun>> = {
  EmptyLatentImage: empty,
  EmptySD3LatentImage: empty,
  LatentUpscale: upscale,
  LatentUpscaleBy(inputs) {
    const given = inputs.take('samples', 'LATENT').latent
    const [width, height] = [given.width, given.height].map((side) =>
      Math.max(1, Math.round(side * inputs.number('scale_by'))),
    )
    return latent(
      scaled(given, { width: width ?? 1, height: height ?? 1, method: inputs.text('upscale_method'), crop: false }),
    )
  },
  RepeatLatentBatch(inputs) {
    const given = inputs.take('samples', 'LATENT').latent
    const amount = inputs.number('amount')
    checkSize(given.width * CELL, given.height * CELL, given.items.length * amount)
    return latent({ ...given, items: Array.from({ length: amount }, () => given.items).flat() })
  },
  SetLatentNoiseMask(inputs) {
    const given = inputs.take('samples', 'LATENT').latent
    return latent({ ...given, mask: cellMask(inputs.take('mask', 'MASK').mask, given) })
  },
}

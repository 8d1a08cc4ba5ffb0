/**
 * The denoiser that stands in for a model. It is the exact answer for pictures that come from a mixture of normal
 * distributions: each has a known picture as its mean, a small spread everywhere, and a larger one in how bright and
 * how warm it is from side to side. So noise decides which picture appears and in which light, and steps, samplers and
 * schedules have the effects that they have on models.
 */
import { CHANNELS } from '../values.ts'
import type { Denoise } from './samplers.ts'

/** What it knows. */
export type Prior = {
  readonly width: number
  readonly height: number
  /** Cells of the pictures that the prompt may mean. */
  readonly means: readonly Float32Array[]
  /** Cells of what is to be avoided. */
  readonly away: Float32Array
  /** How far from what is to be avoided: 1 is as far as the pictures are. */
  readonly strength: number
}

// Spreads, in values of cells (a picture goes from -1 to 1). Source: ours, because they look right.
const SPREAD = 0.022
const LIGHT_SPREADS = [0.1, 0.12, 0.12, 0.1, 0.07]

/** A denoiser, and how likely each picture was when it was last asked. */
export type Denoiser = { readonly denoise: Denoise; readonly shares: () => readonly number[] }

/** Makes the stand-in for a model: it knows the picture that the noise hides. */
export function createDenoiser({ width, height, means, away, strength }: Prior): Denoiser {
  const lights = lightsOf(width, height)
  let shares: readonly number[] = means.map(() => 1 / means.length)

  /** Adds what one normal distribution says of the cells, times a factor. */
  function add(result: Float32Array, cells: Float32Array, mean: Float32Array, sigma: number, factor: number): void {
    const plain = SPREAD ** 2 / (SPREAD ** 2 + sigma ** 2)
    const along = lights.map(({ spread, shape }) => {
      const variance = SPREAD ** 2 + spread ** 2
      return (variance / (variance + sigma ** 2) - plain) * innerProduct(cells, mean, shape)
    })
    for (let at = 0; at < result.length; at += 1) {
      let value = (mean[at] as number) + plain * ((cells[at] as number) - (mean[at] as number))
      for (let light = 0; light < along.length; light += 1)
        value += (along[light] as number) * (lights[light]?.shape[at] as number)
      result[at] = (result[at] as number) + factor * value
    }
  }

  return {
    shares: () => shares,
    denoise(cells, sigma) {
      shares = likelihoods(cells, means, SPREAD ** 2 + sigma ** 2)
      const result = new Float32Array(cells.length)
      means.forEach((mean, at) => {
        const share = shares[at] ?? 0
        if (share > 0.001) add(result, cells, mean, sigma, share * strength)
      })
      if (strength !== 1) add(result, cells, away, sigma, 1 - strength)
      return result
    },
  }
}

function likelihoods(cells: Float32Array, means: readonly Float32Array[], variance: number): readonly number[] {
  if (means.length === 1) return [1]
  const distances = means.map((mean) => {
    let sum = 0
    for (let at = 0; at < cells.length; at += 1) sum += ((cells[at] as number) - (mean[at] as number)) ** 2
    return sum
  })
  const least = Math.min(...distances)
  const weights = distances.map((distance) => Math.exp((least - distance) / (2 * variance)))
  const sum = weights.reduce((all, weight) => all + weight, 0)
  return weights.map((weight) => weight / sum)
}

function innerProduct(cells: Float32Array, mean: Float32Array, shape: Float32Array): number {
  let sum = 0
  for (let at = 0; at < cells.length; at += 1)
    sum += ((cells[at] as number) - (mean[at] as number)) * (shape[at] as number)
  return sum
}

/** Ways in which the light of a picture varies, each as long as 1, with their spread in that length. */
function lightsOf(width: number, height: number): readonly { readonly shape: Float32Array; readonly spread: number }[] {
  const shapes: readonly ((x: number, y: number) => readonly number[])[] = [
    () => [1, 1, 1],
    (x) => [x, x, x],
    (_x, y) => [y, y, y],
    () => [1, 0.1, -1],
    (x, y) => [x * y, 0, -x * y],
  ]
  return shapes.map((shapeAt, index) => {
    const shape = new Float32Array(width * height * CHANNELS)
    let length = 0
    for (let row = 0; row < height; row += 1)
      for (let column = 0; column < width; column += 1)
        shapeAt((2 * column) / width - 1, (2 * row) / height - 1).forEach((value, channel) => {
          shape[(row * width + column) * CHANNELS + channel] = value
          length += value * value
        })
    const norm = Math.sqrt(length) || 1
    return { shape: shape.map((value) => value / norm), spread: (LIGHT_SPREADS[index] ?? 0.1) * norm }
  })
}

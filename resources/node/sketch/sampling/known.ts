/** Pictures that the denoiser knows, made of scenes, of files, and of each other. */

import { step } from '../picture/chance.ts'
import type { Look } from '../picture/look.ts'
import { paint, paintSmall } from '../picture/paint.ts'
import { scene } from '../picture/scene.ts'
import { resample } from '../raster/resample.ts'
import { CHANNELS, type Known, type Raster } from '../values.ts'

// Of a picture with 768 x 768 pixels; source: ours, 40 ms on the slowest machine that this was tried on.
const MANY_CELLS = 96 * 96

/** A scene in one of its compositions. */
export function sceneKnown(look: Look, layout: number): Known {
  return remembering({
    cells(width, height) {
      const layer = scene(look, layout, width / height)
      // Four points a cell, where that is soon done.
      const finer = width * height <= MANY_CELLS ? 2 : 1
      const values = paintSmall(layer, width * finer, height * finer)
      const grid = { width: width * finer, height: height * finer, channels: 3, values }
      return toCells(resample(grid, width, height, 'area').values)
    },
    paint: (width, height, signal) => paint(scene(look, layout, width / height), width, height, signal),
  })
}

/** A picture of a file. */
export function rasterKnown({ width, height, pixels }: Raster): Known {
  const sized = (toWidth: number, toHeight: number) =>
    resample({ width, height, channels: 3, values: pixels }, toWidth, toHeight, 'bicubic').values
  return remembering({ cells: (w, h) => toCells(sized(w, h)), paint: async (w, h) => sized(w, h) })
}

/** What is there where nothing was asked for: grey, without details. */
export const NOTHING_KNOWN: Known = {
  cells: (width, height) => new Float32Array(width * height * CHANNELS),
  paint: async (width, height) => new Float32Array(width * height * 3).fill(0.5),
}

// Less of a picture is not seen.
const LEAST_SHARE = 0.02

/** Several on top of each other, by their shares. */
export function together(parts: readonly { readonly known: Known; readonly share: number }[]): Known {
  const counted = parts.filter(({ share }) => share > LEAST_SHARE)
  const [first] = counted
  if (first === undefined) return NOTHING_KNOWN
  if (counted.length === 1) return first.known
  const sum = counted.reduce((all, { share }) => all + share, 0)
  const add = (arrays: readonly Float32Array[]) =>
    (arrays[0] ?? new Float32Array()).map((_, at) =>
      arrays.reduce((all, values, part) => all + ((counted[part]?.share ?? 0) / sum) * (values[at] ?? 0), 0),
    )
  return remembering({
    cells: (width, height) => add(counted.map(({ known }) => known.cells(width, height))),
    async paint(width, height, signal) {
      const painted: Float32Array[] = []
      for (const { known } of counted) painted.push(await known.paint(width, height, signal))
      return add(painted)
    },
  })
}

/**
 * A picture after some of a prompt has come into it: first the colours of the scene, then its shapes.
 * @param amount 0 leaves the picture, 1 is the scene
 */
export function drawn(source: Known, target: Known, amount: number, size: { width: number; height: number }): Known {
  const [from, to] = [source, target].map((known) => statisticsOf(known.cells(size.width, size.height)))
  // Source painted once: if it were for both, a chain of thirty passes would paint the first one a billion times.
  const share = Math.min(1, amount * 1.5)
  const near = share > 1 - LEAST_SHARE ? 1 : share
  const mixedIn = (value: number, channel: number, isPixel: 0 | 1) =>
    (1 - near) * value + near * Math.fround(recolour(value, channel, isPixel))
  const coloured =
    share <= LEAST_SHARE
      ? source
      : remembering({
          cells: (width, height) => source.cells(width, height).map((value, at) => mixedIn(value, at % CHANNELS, 0)),
          paint: async (width, height, signal) =>
            (await source.paint(width, height, signal)).map((value, at) => mixedIn(value, at % 3, 1)),
        })
  // Means and spreads of cells go from -1 to 1, those of pixels from 0 to 1.
  function recolour(value: number, channel: number, isPixel: 0 | 1): number {
    const [own, other] = [from?.[channel], to?.[channel]]
    if (channel === 3 || own === undefined || other === undefined) return value
    const cell = isPixel ? value * 2 - 1 : value
    const changed = (cell - own.mean) * (other.spread / own.spread) + other.mean
    return isPixel ? (changed + 1) / 2 : changed
  }
  const shapes = step(0.3, 1, amount)
  if (shapes === 0) return coloured
  // Where the two are alike the scene comes first; the average of both all over would be a fog.
  const own = coloured.cells(size.width, size.height)
  const other = target.cells(size.width, size.height)
  const shown = Float32Array.from({ length: size.width * size.height }, (_, cell) => {
    const apart = [0, 1, 2].map((channel) =>
      Math.abs((own[cell * CHANNELS + channel] ?? 0) - (other[cell * CHANNELS + channel] ?? 0)),
    )
    const distance = Math.min(0.9, apart.reduce((sum, part) => sum + part, 0) / 3)
    return Math.min(1, shapes * 4) * step(0.55 * distance, 0.55 * distance + 0.45, shapes)
  })
  return masked(coloured, target, shown, size)
}

/** One picture where a mask is 0, another where it is 1. */
export function masked(
  outside: Known,
  inside: Known,
  mask: Float32Array,
  size: { width: number; height: number },
): Known {
  const shareAt = (width: number, height: number) =>
    resample({ ...size, channels: 1, values: mask }, width, height, 'bilinear').values
  const mixed = (one: Float32Array, other: Float32Array, share: Float32Array, channels: number) =>
    one.map((value, at) => value + ((other[at] ?? 0) - value) * (share[Math.floor(at / channels)] ?? 0))
  return remembering({
    cells: (w, h) => mixed(outside.cells(w, h), inside.cells(w, h), shareAt(w, h), CHANNELS),
    async paint(w, h, signal) {
      // Together, so that what both are made of is painted once.
      const [one, other] = await Promise.all([outside.paint(w, h, signal), inside.paint(w, h, signal)])
      return mixed(one, other, shareAt(w, h), 3)
    },
  })
}

type Statistics = { readonly mean: number; readonly spread: number }

function statisticsOf(cells: Float32Array): readonly Statistics[] {
  const count = cells.length / CHANNELS
  return [0, 1, 2].map((channel) => {
    let [sum, squares] = [0, 0]
    for (let at = channel; at < cells.length; at += CHANNELS) {
      const value = cells[at] ?? 0
      sum += value
      squares += value * value
    }
    const mean = sum / count
    return { mean, spread: Math.sqrt(Math.max(0.01, squares / count - mean * mean)) }
  })
}

// The same cells are asked for at each step.
function remembering({ cells, paint }: Known): Known {
  let last: { readonly size: string; readonly values: Float32Array } | undefined
  let painting: { readonly size: string; readonly values: Promise<Float32Array> } | undefined
  return {
    paint(width, height, signal) {
      const size = `${width} ${height}`
      if (painting?.size === size) return painting.values
      const values = paint(width, height, signal).finally(() => {
        painting = undefined
      })
      painting = { size, values }
      return values
    },
    cells(width, height) {
      const size = `${width} ${height}`
      if (last?.size !== size) last = { size, values: cells(width, height) }
      return last.values
    },
  }
}

function toCells(pixels: Float32Array): Float32Array {
  const cells = new Float32Array((pixels.length / 3) * CHANNELS)
  for (let at = 0; at < pixels.length / 3; at += 1) {
    for (let channel = 0; channel < 3; channel += 1)
      cells[at * CHANNELS + channel] = (pixels[at * 3 + channel] ?? 0) * 2 - 1
    cells[at * CHANNELS + 3] = 1 // all the details
  }
  return cells
}

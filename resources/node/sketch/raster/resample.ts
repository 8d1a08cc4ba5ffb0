/** Sizes of grids: pixels and cells, any number of values at each place. */
import { eachRow } from '../turns.ts'

/** Values in rows and columns, several a cell. */
export type Grid = {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly values: Float32Array
}

/** Ways to read between places; others are read as `bicubic`. */
type Method = 'nearest-exact' | 'bilinear' | 'area' | 'bicubic'

type Kernel = { readonly reach: number; readonly weight: (distance: number) => number }

const tent: Kernel = { reach: 1, weight: (d) => Math.max(0, 1 - d) }
const KERNELS: Readonly<Record<Method, Kernel>> = {
  'nearest-exact': { reach: 0.5, weight: (d) => (d <= 0.5 ? 1 : 0) },
  bilinear: tent,
  area: { reach: 0.5, weight: (d) => (d <= 0.5 ? 1 : 0) },
  // Catmull and Rom.
  bicubic: {
    reach: 2,
    weight: (d) => (d < 1 ? 1.5 * d ** 3 - 2.5 * d ** 2 + 1 : d < 2 ? -0.5 * d ** 3 + 2.5 * d ** 2 - 4 * d + 2 : 0),
  },
}

// Most places of the grid between both directions. Source: ours, the most that a picture of a file has.
const BETWEEN_MAX = 64e6

/** Brings a grid to another size. @param method names of the field's servers */
export function resample(grid: Grid, width: number, height: number, method = 'bicubic'): Grid {
  if (grid.width === width && grid.height === height) return grid
  const isKnown = (name: string): name is Method => Object.hasOwn(KERNELS, name)
  const name = isKnown(method) ? method : 'bicubic'
  const [across, down] = [tapsOf(grid.width, width, name), tapsOf(grid.height, height, name)]
  // From wide and low to narrow and high, or the other way round, what is between them could be gigabytes.
  if (width * grid.height > BETWEEN_MAX) return alongWidth(alongHeight(grid, down), across)
  return alongHeight(alongWidth(grid, across), down)
}

/** From where each new place is read, and how much of it. */
type Taps = { readonly count: number; readonly size: number; readonly from: Int32Array; readonly weights: Float32Array }

function tapsOf(before: number, after: number, method: Method): Taps {
  const ratio = before / after
  // Where it becomes smaller all that falls together counts; `nearest-exact` takes one all the same.
  const scale = method === 'nearest-exact' ? 1 : Math.max(1, ratio)
  const { reach, weight } = method === 'area' && ratio <= 1 ? KERNELS['nearest-exact'] : KERNELS[method]
  const size = Math.ceil(reach * scale * 2) + 1
  const from = new Int32Array(after * size)
  const weights = new Float32Array(after * size)
  for (let to = 0; to < after; to += 1) {
    const middle = (to + 0.5) * ratio - 0.5
    const first = Math.ceil(middle - reach * scale)
    let sum = 0
    for (let at = 0; at < size; at += 1) {
      const place = first + at
      const share = weight(Math.abs(place - middle) / scale)
      from[to * size + at] = Math.min(before - 1, Math.max(0, place))
      weights[to * size + at] = share
      sum += share
    }
    for (let at = 0; at < size; at += 1) weights[to * size + at] = (weights[to * size + at] ?? 0) / sum
  }
  return { count: after, size, from, weights }
}

function alongWidth({ width, height, channels, values }: Grid, { count, size, from, weights }: Taps): Grid {
  const result = new Float32Array(count * height * channels)
  for (let row = 0; row < height; row += 1) {
    for (let to = 0; to < count; to += 1) {
      const target = (row * count + to) * channels
      for (let at = to * size; at < (to + 1) * size; at += 1) {
        const share = weights[at] as number
        const source = (row * width + (from[at] as number)) * channels
        for (let c = 0; c < channels; c += 1)
          result[target + c] = (result[target + c] as number) + share * (values[source + c] as number)
      }
    }
  }
  return { width: count, height, channels, values: result }
}

function alongHeight({ width, channels, values }: Grid, taps: Taps): Grid {
  const result = new Float32Array(taps.count * width * channels)
  for (let to = 0; to < taps.count; to += 1) readRow(values, taps, to, result)
  return { width, height: taps.count, channels, values: result }
}

/** One new row, of those that it is read from. */
function readRow(values: Float32Array, { size, from, weights, count }: Taps, to: number, result: Float32Array): void {
  const line = result.length / count
  const target = to * line
  for (let at = to * size; at < (to + 1) * size; at += 1) {
    const share = weights[at] as number
    if (share === 0) continue
    const source = (from[at] as number) * line
    for (let c = 0; c < line; c += 1)
      result[target + c] = (result[target + c] as number) + share * (values[source + c] as number)
  }
}

/** The same for large results, in pieces. @throws what the signal was aborted with */
export async function enlarge(grid: Grid, width: number, height: number, signal: AbortSignal): Promise<Float32Array> {
  const wide = alongWidth(grid, tapsOf(grid.width, width, 'bicubic'))
  const taps = tapsOf(grid.height, height, 'bicubic')
  const result = new Float32Array(width * height * grid.channels)
  await eachRow(height, (row) => readRow(wide.values, taps, row, result), signal)
  return result
}

/** The part in the middle that has the proportions of another size. */
export function cropMiddle(grid: Grid, width: number, height: number): Grid {
  const wide = grid.width * height > grid.height * width
  const keptWidth = wide ? Math.max(1, Math.round((grid.height * width) / height)) : grid.width
  const keptHeight = wide ? grid.height : Math.max(1, Math.round((grid.width * height) / width))
  const [left, top] = [Math.floor((grid.width - keptWidth) / 2), Math.floor((grid.height - keptHeight) / 2)]
  const values = new Float32Array(keptWidth * keptHeight * grid.channels)
  for (let row = 0; row < keptHeight; row += 1) {
    const start = ((top + row) * grid.width + left) * grid.channels
    values.set(grid.values.subarray(start, start + keptWidth * grid.channels), row * keptWidth * grid.channels)
  }
  return { width: keptWidth, height: keptHeight, channels: grid.channels, values }
}

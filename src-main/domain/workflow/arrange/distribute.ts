import type { Pair } from '../document/values.ts'
import type { Placed } from './align.ts'

/** Which way gaps are made alike. */
export type Axis = 'horizontally' | 'vertically'

/** Makes the gaps between boxes alike; the first and the last stay. @returns upper left corners by id */
export function distribute(boxes: readonly Placed[], axis: Axis): ReadonlyMap<string, Pair> {
  const isAcross = axis === 'horizontally'
  const start = (box: Placed) => (isAcross ? box.x : box.y)
  const length = (box: Placed) => (isAcross ? box.width : box.height)
  const ordered = [...boxes].sort((one, other) => start(one) - start(other))
  const [first, last] = [ordered[0], ordered.at(-1)]
  if (first === undefined || last === undefined) return new Map()
  const taken = ordered.reduce((sum, box) => sum + length(box), 0)
  const gap = (start(last) + length(last) - start(first) - taken) / Math.max(1, ordered.length - 1)
  let next = start(first)
  return new Map(
    ordered.map((box) => {
      const at = next
      next += length(box) + gap
      return [box.id, isAcross ? [at, box.y] : [box.x, at]]
    }),
  )
}

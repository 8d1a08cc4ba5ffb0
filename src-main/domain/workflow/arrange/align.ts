/** Lining nodes up. Pure rectangles, so that groups and nodes can be arranged alike. */
import type { Pair } from '../document/values.ts'
import type { Rectangle } from '../edit/groups.ts'

/** An edge or middle to line up by. */
export type Alignment = 'left' | 'centre' | 'right' | 'top' | 'middle' | 'bottom'

/** Something with an id and a place. */
export type Placed = Rectangle & { readonly id: string }

/** Moves each to where its edge or middle is that of all. @returns upper left corners by id */
export function align(boxes: readonly Placed[], by: Alignment): ReadonlyMap<string, Pair> {
  const left = Math.min(...boxes.map(({ x }) => x))
  const right = Math.max(...boxes.map(({ x, width }) => x + width))
  const top = Math.min(...boxes.map(({ y }) => y))
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height))
  const place: Readonly<Record<Alignment, (box: Placed) => Pair>> = {
    left: ({ y }) => [left, y],
    centre: ({ y, width }) => [(left + right - width) / 2, y],
    right: ({ y, width }) => [right - width, y],
    top: ({ x }) => [x, top],
    middle: ({ x, height }) => [x, (top + bottom - height) / 2],
    bottom: ({ x, height }) => [x, bottom - height],
  }
  return new Map(boxes.map((box) => [box.id, place[by](box)]))
}

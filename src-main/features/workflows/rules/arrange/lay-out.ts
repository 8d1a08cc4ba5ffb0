/** Layered layout from left to right without overlap. Source: docs/spec/image-workflows.md, 2.4. */

/** Sizes in canvas px, including the title bar. */
export type Box = {
  readonly id: string
  readonly width: number
  readonly height: number
  readonly from: readonly string[]
}

export type Position = { readonly x: number; readonly y: number }

const GAP = 60

/**
 * Nodes of a loop keep their first depth.
 * @param boxes in column order
 */
export function layOut(boxes: readonly Box[]): ReadonlyMap<string, Position> {
  const depths = depthsOf(boxes)
  const columns: Box[][] = []
  for (const box of boxes) {
    const depth = depths.get(box.id) ?? 0
    const column = columns[depth] ?? []
    columns[depth] = column
    column.push(box)
  }
  const positions = new Map<string, Position>()
  let x = 0
  for (const column of columns) {
    if (column === undefined) continue
    const ordered = inOrderOfSources(column, positions)
    let y = 0
    for (const { id, height } of ordered) {
      positions.set(id, { x, y })
      y += height + GAP
    }
    x += column.reduce((most, { width }) => Math.max(most, width), 0) + GAP
  }
  return positions
}

function depthsOf(boxes: readonly Box[]): ReadonlyMap<string, number> {
  const waitsFor = new Map<string, number>(boxes.map(({ id }) => [id, 0]))
  const feeds = new Map<string, string[]>()
  for (const { id, from } of boxes) {
    for (const one of new Set(from)) {
      if (!waitsFor.has(one)) continue
      waitsFor.set(id, (waitsFor.get(id) ?? 0) + 1)
      const fed = feeds.get(one)
      if (fed === undefined) feeds.set(one, [id])
      else fed.push(id)
    }
  }
  const depths = new Map<string, number>()
  const ready = boxes.flatMap(({ id }) => (waitsFor.get(id) === 0 ? [id] : []))
  for (const id of ready) {
    const depth = depths.get(id) ?? 0
    depths.set(id, depth)
    for (const next of feeds.get(id) ?? []) {
      depths.set(next, Math.max(depths.get(next) ?? 0, depth + 1))
      const left = (waitsFor.get(next) ?? 0) - 1
      waitsFor.set(next, left)
      if (left === 0) ready.push(next)
    }
  }
  return depths
}

function inOrderOfSources(column: readonly Box[], positions: ReadonlyMap<string, Position>): readonly Box[] {
  const heights = column.map((box, at) => {
    const above = box.from.flatMap((id) => positions.get(id)?.y ?? [])
    return { box, at, y: above.length === 0 ? 0 : above.reduce((sum, y) => sum + y, 0) / above.length }
  })
  return heights.sort((one, other) => one.y - other.y || one.at - other.at).map(({ box }) => box)
}

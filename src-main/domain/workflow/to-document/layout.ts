/** Places for nodes: columns from left to right by depth, none over another. Source: image-workflows, rule 4. */

/** A node to be placed. Sizes in pixels of the canvas, title bar included. */
export type Box = {
  readonly id: string
  readonly width: number
  readonly height: number
  readonly from: readonly string[]
}

/** Where the upper left corner of a node goes. */
export type Place = { readonly x: number; readonly y: number }

const GAP = 60

/** Places nodes. Those of a loop stand where they were reached first. @param boxes in the order within a column */
export function layOut(boxes: readonly Box[]): ReadonlyMap<string, Place> {
  const depths = depthsOf(boxes)
  const columns: Box[][] = []
  for (const box of boxes) {
    const depth = depths.get(box.id) ?? 0
    const column = columns[depth] ?? []
    columns[depth] = column
    column.push(box)
  }
  const places = new Map<string, Place>()
  let x = 0
  for (const column of columns) {
    if (column === undefined) continue
    const ordered = inOrderOfSources(column, places)
    let y = 0
    for (const { id, height } of ordered) {
      places.set(id, { x, y })
      y += height + GAP
    }
    x += Math.max(...column.map(({ width }) => width)) + GAP
  }
  return places
}

/** How many nodes the longest way to a node has. */
function depthsOf(boxes: readonly Box[]): ReadonlyMap<string, number> {
  const known = new Set(boxes.map(({ id }) => id))
  const sources = new Map(boxes.map(({ id, from }) => [id, from.filter((one) => known.has(one))]))
  const waitsFor = new Map(boxes.map(({ id }) => [id, new Set(sources.get(id)).size]))
  const feeds = new Map<string, Set<string>>()
  for (const [id, from] of sources) for (const one of from) feeds.set(one, (feeds.get(one) ?? new Set()).add(id))
  const depths = new Map<string, number>()
  const ready = boxes.flatMap(({ id }) => (waitsFor.get(id) === 0 ? [id] : []))
  for (const id of ready) {
    const from = (sources.get(id) ?? []).map((one) => (depths.get(one) ?? 0) + 1)
    depths.set(id, Math.max(0, ...from))
    for (const next of feeds.get(id) ?? []) {
      const left = (waitsFor.get(next) ?? 0) - 1
      waitsFor.set(next, left)
      if (left === 0) ready.push(next) // The loop goes on over what is added.
    }
  }
  return depths
}

// Beside what they get data from, so that links cross less.
function inOrderOfSources(column: readonly Box[], places: ReadonlyMap<string, Place>): readonly Box[] {
  const heights = column.map((box, at) => {
    const above = box.from.flatMap((id) => places.get(id)?.y ?? [])
    return { box, at, y: above.length === 0 ? 0 : above.reduce((sum, y) => sum + y, 0) / above.length }
  })
  return heights.sort((one, other) => one.y - other.y || one.at - other.at).map(({ box }) => box)
}

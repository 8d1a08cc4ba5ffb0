import type { WorkflowDocument } from '../document/document.ts'
import type { Pair } from '../document/fields.ts'
import { TITLE_PX } from '../document/node-size.ts'
import { type GraphAddress, graphAt } from '../edit/graph-at.ts'
import { nodeBounds, type Rectangle } from '../edit/groups.ts'
import { moveNodes } from '../edit/node-fields.ts'

// Between two nodes, px of the canvas. Source: ours; room for link ends.
const GAP = 24
// Positions tried; in a dense graph the node goes below everything.
const TRIES = 400

export function moveToFreeSpace(document: WorkflowDocument, at: GraphAddress, id: string): WorkflowDocument {
  const nodes = graphAt(document, at)?.nodes.items ?? []
  const node = nodes.find((one) => one.id === id)
  if (node === undefined) return document
  const [x, y] = freeSpace(nodes.filter((one) => one !== node).map(nodeBounds), nodeBounds(node))
  return moveNodes(document, at, new Map([[id, [x, y + TITLE_PX]]]))
}

export function freeSpace(taken: readonly Rectangle[], box: Rectangle): Pair {
  const { width, height } = box
  const seen = new Set<string>()
  const waiting: Pair[] = [[box.x, box.y]]
  const far = ([x, y]: Pair) => Math.hypot(x - box.x, y - box.y)
  for (let tries = 0; tries < TRIES; tries += 1) {
    const nearest = waiting.reduce((best, one, index) => (far(one) < far(waiting[best] ?? one) ? index : best), 0)
    const [corner] = waiting.splice(nearest, 1)
    if (corner === undefined) break
    const [x, y] = corner
    const other = taken.find((one) => overlaps(one, { x, y, width, height }))
    if (other === undefined) return corner
    const beside: readonly Pair[] = [
      [other.x + other.width + GAP, y],
      [x, other.y + other.height + GAP],
      [other.x - width - GAP, y],
      [x, other.y - height - GAP],
    ]
    for (const one of beside) {
      if (seen.has(String(one))) continue
      seen.add(String(one))
      waiting.push(one)
    }
  }
  const bottom = taken.reduce((lowest, one) => Math.max(lowest, one.y + one.height), box.y)
  return [box.x, bottom + GAP]
}

function overlaps(one: Rectangle, other: Rectangle): boolean {
  const isAcross = one.x < other.x + other.width + GAP / 2 && other.x < one.x + one.width + GAP / 2
  return isAcross && one.y < other.y + other.height + GAP / 2 && other.y < one.y + one.height + GAP / 2
}

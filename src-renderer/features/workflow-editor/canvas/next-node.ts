/** Which node follows another. Pure. */
import { type CanvasNode, isDocumentNode } from './flow-types.ts'

/** Nodes as one reads: by columns of the graph from left to right, from top to bottom within. Groups and points are left out. */
export function readingOrder(nodes: readonly CanvasNode[]): readonly CanvasNode[] {
  return nodes
    .filter(isDocumentNode)
    .sort((one, other) => one.position.x - other.position.x || one.position.y - other.position.y)
}

/** The nearest node in a direction; one straight ahead before one aside. */
export function nextNode(
  nodes: readonly CanvasNode[],
  from: CanvasNode,
  [x, y]: readonly [x: number, y: number],
): CanvasNode | undefined {
  const start = middleOf(from)
  let best: CanvasNode | undefined
  let least = Number.POSITIVE_INFINITY
  for (const node of nodes) {
    if (node.id === from.id || !isDocumentNode(node)) continue
    const middle = middleOf(node)
    const [across, down] = [middle.x - start.x, middle.y - start.y]
    const ahead = across * x + down * y
    const aside = Math.abs(across * y) + Math.abs(down * x)
    const away = ahead + 2 * aside
    if (ahead > 0 && away < least) {
      best = node
      least = away
    }
  }
  return best
}

const middleOf = ({ position, width = 0, height = 0 }: CanvasNode) => {
  return { x: position.x + width / 2, y: position.y + height / 2 }
}

/** Lining up, spreading and laying out nodes of a document. Source: issue 7, item 2. */
import type { GraphNode, WorkflowDocument } from '../document/document.ts'
import { TITLE_PX } from '../document/node-size.ts'
import type { Pair } from '../document/values.ts'
import { type GraphAddress, graphAt } from '../edit/graph-at.ts'
import { around, nodeBounds } from '../edit/groups.ts'
import { moveNodes } from '../edit/node-fields.ts'
import { type Alignment, align, type Placed } from './align.ts'
import { type Axis, distribute } from './distribute.ts'
import { layOut } from './lay-out.ts'

/** Lines nodes up. */
export function alignNodes(
  document: WorkflowDocument,
  at: GraphAddress,
  ids: ReadonlySet<string>,
  by: Alignment,
): WorkflowDocument {
  return place(document, at, align(boxesOf(document, at, ids), by))
}

/** Makes the gaps between nodes alike. */
export function distributeNodes(
  document: WorkflowDocument,
  at: GraphAddress,
  ids: ReadonlySet<string>,
  axis: Axis,
): WorkflowDocument {
  return place(document, at, distribute(boxesOf(document, at, ids), axis))
}

/** Lays nodes out from left to right by depth, with their upper left corner where it was. @param ids none: all nodes */
export function layOutNodes(document: WorkflowDocument, at: GraphAddress, ids: ReadonlySet<string>): WorkflowDocument {
  const graph = graphAt(document, at)
  if (graph === undefined) return document
  const all = ids.size > 0 ? ids : new Set(graph.nodes.items.map(({ id = '' }) => id))
  const boxes = boxesOf(document, at, all)
  const corner = around(boxes)
  const into = Map.groupBy(graph.links.items, ({ to }) => to.node)
  const places = layOut(
    boxes.map(({ id, width, height }) => {
      return { id, width, height, from: (into.get(id) ?? []).map(({ from }) => from.node) }
    }),
  )
  const { x = 0, y = 0 } = corner ?? {}
  return place(document, at, new Map([...places].map(([id, one]) => [id, [one.x + x, one.y + y]])))
}

function boxesOf(document: WorkflowDocument, at: GraphAddress, ids: ReadonlySet<string>): readonly Placed[] {
  const nodes: readonly GraphNode[] = graphAt(document, at)?.nodes.items ?? []
  return nodes.flatMap((node) => (ids.has(node.id ?? '') ? [{ id: node.id ?? '', ...nodeBounds(node) }] : []))
}

// The place of a node is that of its body, below the title bar.
function place(document: WorkflowDocument, at: GraphAddress, corners: ReadonlyMap<string, Pair>): WorkflowDocument {
  return moveNodes(document, at, new Map([...corners].map(([id, [x, y]]) => [id, [x, y + TITLE_PX]])))
}

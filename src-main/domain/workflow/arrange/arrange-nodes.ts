/** Lining up, spreading and laying out nodes of a document. Source: issue 7, item 2. */
import type { Graph, GraphNode, WorkflowDocument } from '../document/document.ts'
import { TITLE_PX } from '../document/node-size.ts'
import type { Pair } from '../document/values.ts'
import { type GraphAddress, graphAt } from '../edit/graph-at.ts'
import { around, boundsOf, groupMembers, nodeBounds, type Rectangle, setGroup } from '../edit/groups.ts'
import { moveNodes } from '../edit/node-fields.ts'
import { type Alignment, align, type Placed } from './align.ts'
import { type Axis, distribute } from './distribute.ts'
import { type LaidGroup, layOutGroups } from './lay-out-groups.ts'

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

/**
 * Lays nodes out from left to right by depth, with their upper left corner where it was. A group whose nodes are all among
 * them is laid out within, and stands as one box among the others. @param ids none: all nodes
 */
export function layOutNodes(document: WorkflowDocument, at: GraphAddress, ids: ReadonlySet<string>): WorkflowDocument {
  const graph = graphAt(document, at)
  if (graph === undefined) return document
  const all = ids.size > 0 ? ids : new Set(graph.nodes.items.map(({ id = '' }) => id))
  const boxes = boxesOf(document, at, all)
  const groups = groupsAmong(graph, all)
  const corner = around([...boxes, ...groups.map(({ bounds }) => bounds)])
  const into = Map.groupBy(graph.links.items, ({ to }) => to.node)
  const sources = (id: string) => (into.get(id) ?? []).map(({ from }) => from.node)
  const { nodes, bounds } = layOutGroups(
    boxes.map((box) => ({ ...box, from: sources(box.id) })),
    groups,
  )
  const { x = 0, y = 0 } = corner ?? {}
  const moved = place(document, at, new Map([...nodes].map(([id, one]) => [id, [one.x + x, one.y + y]])))
  return [...bounds].reduce((changed, [index, one]) => {
    const next = { ...one, x: one.x + x, y: one.y + y }
    const group = graph.groups.items[index]
    const isSame = group !== undefined && sameBox(boundsOf(group), next)
    return isSame ? changed : setGroup(changed, at, index, { bounds: next })
  }, moved)
}

const sameBox = (one: Rectangle | undefined, other: Rectangle): boolean =>
  one?.x === other.x && one.y === other.y && one.width === other.width && one.height === other.height

/** The groups whose nodes are all to be laid out. */
function groupsAmong({ groups, nodes }: Graph, ids: ReadonlySet<string>): readonly LaidGroup[] {
  return groups.items.flatMap((group, index) => {
    const [bounds, members] = [boundsOf(group), groupMembers(group, nodes.items)]
    const isWhole = bounds !== undefined && members.length > 0 && members.every((id) => ids.has(id))
    return isWhole ? [{ place: index, bounds, members: new Set(members) }] : []
  })
}

function boxesOf(document: WorkflowDocument, at: GraphAddress, ids: ReadonlySet<string>): readonly Placed[] {
  const nodes: readonly GraphNode[] = graphAt(document, at)?.nodes.items ?? []
  return nodes.flatMap((node) => (ids.has(node.id ?? '') ? [{ id: node.id ?? '', ...nodeBounds(node) }] : []))
}

// The place of a node is that of its body, below the title bar.
function place(document: WorkflowDocument, at: GraphAddress, corners: ReadonlyMap<string, Pair>): WorkflowDocument {
  return moveNodes(document, at, new Map([...corners].map(([id, [x, y]]) => [id, [x, y + TITLE_PX]])))
}

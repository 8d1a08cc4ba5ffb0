/** All that is drawn of a graph at once. What an edit did not touch stays the very same object. */
import {
  type BoundarySlot,
  type Graph,
  type GraphNode,
  type Group,
  SUBGRAPH_INPUT,
  SUBGRAPH_OUTPUT,
  type Subgraph,
  type WorkflowDocument,
} from '../document/document.ts'
import { nodeById } from '../document/index-of.ts'
import type { Link, LinkEnd } from '../document/links.ts'
import { realTarget } from '../document/real-target.ts'
import { type GraphAddress, graphAt } from '../edit/graph-at.ts'
import { boundsOf, isGroupCollapsed, type Rectangle } from '../edit/groups.ts'
import { type Waypoint, waypointsOf } from '../edit/reroutes.ts'
import { asDouble, isArray, isObject, type JsonValue } from '../json/value.ts'
import type { NodeTypes } from '../node-types.ts'
import type { NodeView } from './node-view.ts'
import { createNodeViewer } from './node-viewer.ts'

/** A link with the points that it goes through, from its output to its input. */
export type LinkView = {
  readonly id: string
  readonly from: LinkEnd
  readonly to: LinkEnd
  readonly type: string
  readonly waypoints: readonly Waypoint[]
}

/** A group. `place`: its place in the list of its graph, by which edits find it. */
export type GroupView = {
  readonly place: number
  readonly title: string
  readonly color: string | undefined
  readonly bounds: Rectangle
  readonly isCollapsed: boolean
}

/** What leads into a subgraph, or out of it. Its slots are by place as links name them. */
export type BoundaryView = {
  /** -10 for what leads in, -20 for what leads out. */
  readonly id: string
  readonly bounds: Rectangle
  readonly slots: readonly { readonly name: string; readonly label: string; readonly type: string }[]
}

/** A graph as it is drawn. `input` and `output` are those of a subgraph. */
export type GraphView = {
  /** In the order of the document. */
  readonly nodes: readonly NodeView[]
  readonly links: readonly LinkView[]
  readonly groups: readonly GroupView[]
  readonly input?: BoundaryView
  readonly output?: BoundaryView
}

/** Gives the view of a graph; undefined where there is none at the address. */
export type GraphViewer = (document: WorkflowDocument, at: GraphAddress, types: NodeTypes) => GraphView | undefined

const STRAIGHT: readonly Waypoint[] = []

/** Makes one. */
export function createGraphViewer(): GraphViewer {
  const viewNode = createNodeViewer()
  const links = new WeakMap<Link, LinkView>()
  const viewLink = (link: Link, target: GraphNode | undefined, waypoints: readonly Waypoint[]): LinkView => {
    const { id, from, to, type } = realTarget(link, target)
    const before = links.get(link)
    if (before?.to.slot === to.slot && sameWay(before.waypoints, waypoints)) return before
    const view = { id, from, to, type, waypoints }
    links.set(link, view)
    return view
  }
  return (document, at, types) => {
    const graph = graphAt(document, at)
    if (graph === undefined) return undefined
    const ways = waypointsOf(graph)
    return {
      nodes: graph.nodes.items.map((node) => viewNode({ document, graph, types }, node)),
      links: graph.links.items.map((link) => {
        return viewLink(link, nodeById(graph, link.to.node), ways.get(link.id) ?? STRAIGHT)
      }),
      groups: graph.groups.items.flatMap(viewGroup),
      ...(isSubgraph(graph) ? boundaries(graph) : {}),
    }
  }
}

function sameWay(one: readonly Waypoint[], other: readonly Waypoint[]): boolean {
  if (one === other) return true
  const isSame = ({ id, pos }: Waypoint, at: number) =>
    id === other[at]?.id && pos[0] === other[at]?.pos[0] && pos[1] === other[at]?.pos[1]
  return one.length === other.length && one.every(isSame)
}

function viewGroup(group: Group, place: number): readonly GroupView[] {
  const bounds = boundsOf(group)
  if (bounds === undefined) return []
  return [{ place, title: group.title ?? '', color: group.color, bounds, isCollapsed: isGroupCollapsed(group) }]
}

const isSubgraph = (graph: Graph): graph is Subgraph => 'inputNode' in graph

function boundaries(graph: Subgraph): Pick<GraphView, 'input' | 'output'> {
  return {
    input: boundary(SUBGRAPH_INPUT, graph.inputNode, graph.inputs.items),
    output: boundary(SUBGRAPH_OUTPUT, graph.outputNode, graph.outputs.items),
  }
}

const SIZE = { width: 120, height: 60 }

function boundary(id: string, raw: JsonValue | undefined, slots: readonly BoundarySlot[]): BoundaryView {
  const bounding = isObject(raw) ? raw.get('bounding') : undefined
  const [x = 0, y = 0, width = SIZE.width, height = SIZE.height] = isArray(bounding) ? bounding.map(asDouble) : []
  return {
    id,
    bounds: { x, y, width, height },
    slots: slots.map(({ name = '', label, type }) => ({ name, label: label ?? name, type })),
  }
}

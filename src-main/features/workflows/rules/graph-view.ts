import { asDouble, isArray, isObject, type JsonValue } from '../../../lib/json/value.ts'
import {
  type BoundarySlot,
  type Graph,
  type GraphNode,
  type Group,
  type Link,
  type LinkEnd,
  SUBGRAPH_INPUT,
  SUBGRAPH_OUTPUT,
  type Subgraph,
  subgraphsOf,
  type WorkflowDocument,
} from './document/document.ts'
import { nodeById, realTarget } from './document/index-of.ts'
import { typeOfNode } from './dynamic-inputs.ts'
import { type GraphAddress, graphAt } from './edit/graph-at.ts'
import { boundsOf, isGroupCollapsed, type Rectangle } from './edit/groups.ts'
import { type Waypoint, waypointsOf } from './edit/reroutes.ts'
import type { InputType } from './input-type.ts'
import type { NodeType, NodeTypes } from './node-types.ts'
import { type NodeView, nodeView, primitiveTarget, type WidgetView } from './node-view.ts'
import { hostWidgets } from './promoted-widgets.ts'

export type LinkView = {
  readonly id: string
  readonly from: LinkEnd
  readonly to: LinkEnd
  readonly type: string
  readonly waypoints: readonly Waypoint[]
}

export type GroupView = {
  readonly index: number
  readonly title: string
  readonly color: string | undefined
  readonly bounds: Rectangle
  readonly isCollapsed: boolean
}

export type BoundaryView = {
  /** -10 for inputs, -20 for outputs. */
  readonly id: string
  readonly bounds: Rectangle
  readonly slots: readonly { readonly name: string; readonly label: string; readonly type: string }[]
}

export type GraphView = {
  readonly nodes: readonly NodeView[]
  readonly links: readonly LinkView[]
  readonly groups: readonly GroupView[]
  readonly input?: BoundaryView
  readonly output?: BoundaryView
}

export type GraphViewer = (document: WorkflowDocument, at: GraphAddress, types: NodeTypes) => GraphView | undefined

const STRAIGHT: readonly Waypoint[] = []

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

function viewGroup(group: Group, index: number): readonly GroupView[] {
  const bounds = boundsOf(group)
  if (bounds === undefined) return []
  return [{ index, title: group.title ?? '', color: group.color, bounds, isCollapsed: isGroupCollapsed(group) }]
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

type GraphContext = { readonly document: WorkflowDocument; readonly graph: Graph; readonly types: NodeTypes }

type NodeViewer = (index: GraphContext, node: GraphNode) => NodeView

type Made = {
  readonly view: NodeView
  readonly type: NodeType | undefined
  readonly subgraph: Subgraph | undefined
  readonly inside: WorkflowDocument['definitions']
  readonly target: InputType | undefined
}

const NONE: ReadonlyMap<string, Subgraph> = new Map()

/** A view stays the same object as long as its inputs do. The cache holds only what its nodes hold. */
export function createNodeViewer(): NodeViewer {
  const made = new WeakMap<GraphNode, Made>()
  const definitionsOf = new WeakMap<object, ReadonlyMap<string, Subgraph>>()
  const definitionsIn = (document: WorkflowDocument): ReadonlyMap<string, Subgraph> => {
    if (document.definitions === undefined) return NONE
    const known = definitionsOf.get(document.definitions) ?? subgraphsOf(document)
    definitionsOf.set(document.definitions, known)
    return known
  }
  return ({ document, graph, types }, node) => {
    const name = node.type ?? ''
    const [type, subgraph] = [typeOfNode(node, types), definitionsIn(document).get(name)]
    const inside = subgraph === undefined ? undefined : document.definitions
    const target = name === 'PrimitiveNode' ? primitiveTarget(graph, node, types) : undefined
    const before = made.get(node)
    const isSame = before?.type === type && before?.target === target
    if (before !== undefined && isSame && before.inside === inside) return before.view
    const promoted = subgraph === undefined ? undefined : hostWidgets(definitionsIn(document), node, types)
    if (
      before !== undefined &&
      isSame &&
      sameFace(before.subgraph, subgraph) &&
      sameWidgets(before.view.widgets, promoted)
    ) {
      made.set(node, { ...before, inside })
      return before.view
    }
    const view = nodeView(node, { type, subgraph, target, ...(promoted === undefined ? {} : { promoted }) })
    made.set(node, { view, type, subgraph, inside, target })
    return view
  }
}

function sameFace(before: Subgraph | undefined, after: Subgraph | undefined): boolean {
  return before?.name === after?.name && before?.inputs === after?.inputs && before?.outputs === after?.outputs
}

// An edit within one definition does not change the hosts of others.
function sameWidgets(before: readonly WidgetView[], after: readonly WidgetView[] | undefined): boolean {
  return (
    after !== undefined &&
    before.length === after.length &&
    before.every((one, at) => {
      const other = after[at]
      return (
        other !== undefined &&
        one.name === other.name &&
        one.kind === other.kind &&
        one.label === other.label &&
        one.input === other.input &&
        one.value === other.value &&
        one.isLinked === other.isLinked &&
        one.control === other.control
      )
    })
  )
}

/**
 * A graph in the form in which React Flow takes it. Each node is made once for each state of it: one that an edit did not
 * touch stays the very same object, and is not drawn again.
 */
import { type NodeHandle, Position } from '@xyflow/react'
import {
  type GraphNode as DocumentNode,
  type Graph,
  SUBGRAPH_INPUT,
  type WorkflowDocument,
} from '../../../../src-main/domain/workflow/document/document.ts'
import { type GraphAddress, graphAt } from '../../../../src-main/domain/workflow/edit/graph-at.ts'
import { groupMembers } from '../../../../src-main/domain/workflow/edit/groups.ts'
import { asDouble } from '../../../../src-main/domain/workflow/json/value.ts'
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import {
  type BoundaryView,
  createGraphViewer,
  type GroupView,
  type LinkView,
} from '../../../../src-main/domain/workflow/view/graph-view.ts'
import type { NodeView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { flowLinks, waypoints } from './flow-links.ts'
import {
  type BoundaryNode,
  type FlowGraph,
  type FlowNode,
  type GroupNode,
  groupName,
  inputHandle,
  outputHandle,
} from './flow-types.ts'
import {
  BOUNDARY_WIDTH,
  boundaryHeight,
  boundarySlotMiddle,
  GROUP_TITLE_LINE,
  hasRoomBelow,
  isBare,
  nodeBox,
  shownInputs,
  shownWidgets,
  slotMiddle,
} from './geometry.ts'
import { nodeWords } from './node-words.ts'

/** Makes what is on the canvas; keep it as long as the graph is shown. */
export function createFlowMaker() {
  const viewGraph = createGraphViewer()
  const made = new WeakMap<NodeView, FlowNode>()
  const nodeOf = (view: NodeView, node: DocumentNode | undefined): FlowNode => {
    const flowNode = made.get(view) ?? toFlowNode(view, node)
    made.set(view, flowNode)
    return flowNode
  }
  return (document: WorkflowDocument, address: GraphAddress, types: NodeTypes): FlowGraph => {
    const graph = graphAt(document, address)
    const view = viewGraph(document, address, types)
    if (graph === undefined || view === undefined) return { nodes: [], links: [] }
    const nodes = view.nodes.map((one, at) => nodeOf(one, graph.nodes.items[at]))
    const boundaries = [view.input, view.output].flatMap((one) =>
      one === undefined ? [] : toBoundary(one, view.links),
    )
    const groups = view.groups.map((group) => toGroup(group, graph))
    const hiddenIn = new Map(
      groups.flatMap(({ id, data }) => (data.isCollapsed ? data.members.map((member) => [member, id] as const) : [])),
    )
    const links = flowLinks(view.links, [...nodes, ...boundaries], hiddenIn)
    const shown = hiddenIn.size === 0 ? nodes : nodes.filter(({ id }) => !hiddenIn.has(id))
    return { nodes: [...groups, ...shown, ...boundaries, ...waypoints(links)], links }
  }
}

function toFlowNode(view: NodeView, node: DocumentNode | undefined): FlowNode {
  const box = nodeBox(view, node?.pos, node?.size)
  const { x, y, width, height } = box
  return {
    id: view.id,
    type: isBare(view) ? 'reroute' : 'node',
    position: { x, y },
    width,
    height,
    measured: { width, height },
    handles: handlesOf(view, width, height),
    draggable: !view.isPinned,
    ariaLabel: nodeWords(view),
    data: { view, own: { ...view, widgets: shownWidgets(view) }, hasRoom: hasRoomBelow(view, height) },
  }
}

// A node needs to be told where its slots are, or it would be drawn and measured first.
function handlesOf(view: NodeView, width: number, height: number): NodeHandle[] {
  const rows = new Map(shownInputs(view).map((input, row) => [input, row]))
  const inputs = view.inputs.map((input) =>
    slotHandle('target', inputHandle(input.at, input.name), 0, slotMiddle(view, rows.get(input) ?? 0, height)),
  )
  const outputs = view.outputs.map(({ at }, row) =>
    slotHandle('source', outputHandle(at), width, slotMiddle(view, row, height)),
  )
  return [...inputs, ...outputs]
}

// The end of links at a slot; from the upper left corner of the node.
function slotHandle(type: 'source' | 'target', id: string, x: number, y: number): NodeHandle {
  const position = type === 'source' ? Position.Right : Position.Left
  return { id, type, position, x: x - 0.5, y: y - 0.5, width: 1, height: 1 }
}

function toGroup({ place, title, color, bounds, isCollapsed }: GroupView, graph: Graph): GroupNode {
  const group = graph.groups.items[place]
  const size = Math.min(200, Math.max(10, asDouble(group?.raw.get('font_size')) ?? 24))
  const { x, y, width } = bounds
  const height = isCollapsed ? size * GROUP_TITLE_LINE : bounds.height
  const middle = (size * GROUP_TITLE_LINE) / 2
  return {
    id: groupName(place),
    type: 'box',
    position: { x, y },
    width,
    height,
    measured: { width, height },
    handles: [slotHandle('target', 'in', 0, middle), slotHandle('source', 'out', width, middle)],
    zIndex: -1,
    dragHandle: '.group-title',
    // Only its title is in the way of the pointer.
    style: { pointerEvents: 'none' },
    ariaLabel: `Group ${title}${isCollapsed ? ', collapsed' : ''}`,
    data: {
      place,
      title,
      color,
      size,
      bounds,
      members: group === undefined ? [] : groupMembers(group, graph.nodes.items),
      isCollapsed,
    },
  }
}

function toBoundary({ id, bounds, slots }: BoundaryView, links: readonly LinkView[]): BoundaryNode {
  const isIn = id === SUBGRAPH_INPUT
  const linked = new Set(
    links.flatMap(({ from, to }) => (isIn ? [from] : [to])).map(({ node, slot }) => `${node} ${slot}`),
  )
  const height = boundaryHeight(slots.length)
  return {
    id,
    type: 'boundary',
    position: { x: bounds.x, y: bounds.y },
    width: BOUNDARY_WIDTH,
    height,
    measured: { width: BOUNDARY_WIDTH, height },
    handles: slots.map((_, row) =>
      isIn
        ? slotHandle('source', outputHandle(row), BOUNDARY_WIDTH, boundarySlotMiddle(row))
        : slotHandle('target', inputHandle(row, ''), 0, boundarySlotMiddle(row)),
    ),
    draggable: false,
    selectable: false,
    // Links are let go on it.
    style: { pointerEvents: 'all' },
    ariaLabel: isIn ? 'Inputs of the subgraph' : 'Outputs of the subgraph',
    data: {
      side: isIn ? 'inputs' : 'outputs',
      slots: slots.map(({ label, type }, row) => ({ name: label, type, isLinked: linked.has(`${id} ${row}`) })),
    },
  }
}

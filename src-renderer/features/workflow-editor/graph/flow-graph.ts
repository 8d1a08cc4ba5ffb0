/** A graph for React Flow; unchanged nodes stay the same objects and are not redrawn. */
import { type NodeHandle, Position } from '@xyflow/react'
import { useMemo, useState } from 'react'
import {
  type GraphNode as DocumentNode,
  type Graph,
  SUBGRAPH_INPUT,
  type WorkflowDocument,
} from '../../../../src-main/features/workflows/rules/document/document.ts'
import { type GraphAddress, graphAt } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import { groupMembers } from '../../../../src-main/features/workflows/rules/edit/groups.ts'
import {
  type BoundaryView,
  createGraphViewer,
  type GroupView,
  type LinkView,
} from '../../../../src-main/features/workflows/rules/graph-view.ts'
import { asDouble } from '../../../../src-main/features/workflows/rules/json/value.ts'
import type { NodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import type { NodeView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import { useEditor } from '../store/editor-store.ts'
import {
  type BoundaryNode,
  type CanvasNode,
  type FlowGraph,
  type FlowLink,
  type FlowNode,
  type GroupNode,
  groupName,
  inputHandle,
  outputHandle,
  WAYPOINT_SIZE,
  type WaypointNode,
  waypointName,
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
    ariaLabel: nodeLabel(view),
    data: { view, own: { ...view, widgets: shownWidgets(view) }, hasRoom: hasRoomBelow(view, height) },
  }
}

// With slot positions, so that nodes are not measured first.
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

function slotHandle(type: 'source' | 'target', id: string, x: number, y: number): NodeHandle {
  const position = type === 'source' ? Position.Right : Position.Left
  return { id, type, position, x: x - 0.5, y: y - 0.5, width: 1, height: 1 }
}

function toGroup({ index, title, color, bounds, isCollapsed }: GroupView, graph: Graph): GroupNode {
  const group = graph.groups.items[index]
  const size = Math.min(200, Math.max(10, asDouble(group?.raw.get('font_size')) ?? 24))
  const { x, y, width } = bounds
  const height = isCollapsed ? size * GROUP_TITLE_LINE : bounds.height
  const middle = (size * GROUP_TITLE_LINE) / 2
  return {
    id: groupName(index),
    type: 'box',
    position: { x, y },
    width,
    height,
    measured: { width, height },
    handles: [slotHandle('target', 'in', 0, middle), slotHandle('source', 'out', width, middle)],
    zIndex: -1,
    dragHandle: '.group-title',
    // Only the title of a group blocks the pointer.
    style: { pointerEvents: 'none' },
    ariaLabel: `Group ${title}${isCollapsed ? ', collapsed' : ''}`,
    data: {
      index,
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
    style: { pointerEvents: 'all' },
    ariaLabel: isIn ? 'Inputs of the subgraph' : 'Outputs of the subgraph',
    data: {
      side: isIn ? 'inputs' : 'outputs',
      slots: slots.map(({ label, type }, row) => ({ name: label, type, isLinked: linked.has(`${id} ${row}`) })),
    },
  }
}

const MODES = { always: '', mute: 'muted', bypass: 'bypassed' } as const
const KINDS: Partial<Record<NodeView['kind'], string>> = {
  unknown: 'of an unknown class',
  subgraph: 'a subgraph',
  note: 'a note',
  markdown: 'a note',
  reroute: 'a reroute',
}

function nodeLabel(view: NodeView): string {
  const linked = view.inputs.filter(({ link }) => link !== undefined).length
  const inputs = shownInputs(view).length
  const parts = [
    view.title === '' ? 'Untitled' : view.title,
    KINDS[view.kind],
    MODES[view.mode],
    view.isCollapsed ? 'collapsed' : '',
    view.isPinned ? 'pinned' : '',
    inputs > 0 ? `${linked} of ${inputs} inputs linked` : '',
  ]
  return parts.filter(Boolean).join(', ')
}

type SlotNames = { readonly title: string; readonly outputs: readonly Named[]; readonly inputs: readonly Named[] }
type Named = { readonly name: string; readonly type: string }

function slotNames(node: FlowNode | BoundaryNode): SlotNames {
  if (node.type !== 'boundary') return node.data.view
  const { side, slots } = node.data
  const isIn = side === 'inputs'
  return { title: isIn ? 'Inputs' : 'Outputs', outputs: isIn ? slots : [], inputs: isIn ? [] : slots }
}

/**
 * Links between existing slots.
 * @param hiddenIn hidden nodes, with the group that stands for them
 */
function flowLinks(
  links: readonly LinkView[],
  nodes: readonly (FlowNode | BoundaryNode)[],
  hiddenIn: ReadonlyMap<string, string>,
): readonly FlowLink[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  return links.flatMap(({ id, from, to, type, waypoints: points }): FlowLink[] => {
    const [source, target] = [byId.get(from.node), byId.get(to.node)]
    if (source === undefined || target === undefined) return []
    const [origin, goal] = [slotNames(source), slotNames(target)]
    const [output, input] = [origin.outputs[from.slot], goal.inputs[to.slot]]
    if (output === undefined || input === undefined) return []
    const [outOf, into] = [hiddenIn.get(from.node), hiddenIn.get(to.node)]
    if (outOf !== undefined && outOf === into) return []
    return [
      {
        id,
        type: 'link',
        source: outOf ?? from.node,
        sourceHandle: outOf === undefined ? outputHandle(from.slot) : 'out',
        target: into ?? to.node,
        targetHandle: into === undefined ? inputHandle(to.slot, input.name) : 'in',
        data: {
          type: output.type === '*' ? type : output.type,
          label: `${output.name} of ${origin.title} to ${input.name} of ${goal.title}`,
          points,
        },
      },
    ]
  })
}

function waypoints(links: readonly FlowLink[]): readonly WaypointNode[] {
  const made = new Map<string, WaypointNode>()
  for (const { data } of links)
    for (const { id, pos } of data?.points ?? []) {
      const half = WAYPOINT_SIZE / 2
      made.set(id, {
        id: waypointName(id),
        type: 'waypoint',
        position: { x: pos[0] - half, y: pos[1] - half },
        width: WAYPOINT_SIZE,
        height: WAYPOINT_SIZE,
        measured: { width: WAYPOINT_SIZE, height: WAYPOINT_SIZE },
        handles: [],
        ariaLabel: `Point of a link of ${data?.type ?? '*'}`,
        data: { id, type: data?.type ?? '*' },
      })
    }
  return [...made.values()]
}

export type Flow = FlowGraph & { readonly address: GraphAddress; readonly byId: ReadonlyMap<string, CanvasNode> }

export function useFlow(address: GraphAddress): Flow {
  const [makeFlow] = useState(createFlowMaker)
  const document = useEditor((state) => state.document)
  const types = useEditor((state) => state.types)
  return useMemo(() => {
    const made = makeFlow(document, address, types)
    return { ...made, address, byId: new Map(made.nodes.map((node) => [node.id, node])) }
  }, [makeFlow, document, address, types])
}

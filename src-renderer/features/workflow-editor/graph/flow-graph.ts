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
import type { NodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import type { NodeView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import { asDouble } from '../../../../src-main/lib/json/value.ts'
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
  type Box,
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
  const { width, height } = box
  return {
    id: view.id,
    type: isBare(view) ? 'reroute' : 'node',
    ...placed(box),
    handles: handlesOf(view, width, height),
    draggable: !view.isPinned,
    ariaLabel: nodeLabel(view),
    data: { view, own: { ...view, widgets: shownWidgets(view) }, hasRoom: hasRoomBelow(view, height) },
  }
}

const placed = ({ x, y, width, height }: Box) => ({ position: { x, y }, width, height, measured: { width, height } })

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

function toGroup(view: GroupView, graph: Graph): GroupNode {
  const { index, title, bounds, isCollapsed } = view
  const group = graph.groups.items[index]
  const size = Math.min(200, Math.max(10, asDouble(group?.raw.get('font_size')) ?? 24))
  const height = isCollapsed ? size * GROUP_TITLE_LINE : bounds.height
  const middle = (size * GROUP_TITLE_LINE) / 2
  return {
    id: groupName(index),
    type: 'box',
    ...placed({ ...bounds, height }),
    handles: [slotHandle('target', 'in', 0, middle), slotHandle('source', 'out', bounds.width, middle)],
    zIndex: -1,
    dragHandle: '.group-title',
    style: { pointerEvents: 'none' },
    ariaLabel: `Group ${title}${isCollapsed ? ', collapsed' : ''}`,
    data: { ...view, size, members: group === undefined ? [] : groupMembers(group, graph.nodes.items) },
  }
}

function toBoundary({ id, bounds, slots }: BoundaryView, links: readonly LinkView[]): BoundaryNode {
  const isIn = id === SUBGRAPH_INPUT
  const linked = new Set(
    links.flatMap(({ from, to }) => (isIn ? [from] : [to])).map(({ node, slot }) => `${node} ${slot}`),
  )
  return {
    id,
    type: 'boundary',
    ...placed({ ...bounds, width: BOUNDARY_WIDTH, height: boundaryHeight(slots.length) }),
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
  elsewhere: 'of a class that is not on this endpoint',
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
      const [width, height] = [WAYPOINT_SIZE, WAYPOINT_SIZE]
      made.set(id, {
        id: waypointName(id),
        type: 'waypoint',
        ...placed({ x: pos[0] - width / 2, y: pos[1] - height / 2, width, height }),
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

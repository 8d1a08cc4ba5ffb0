/** The links of a graph, and the points that they are led through, in the form in which React Flow takes them. */
import type { LinkView } from '../../../../src-main/domain/workflow/view/graph-view.ts'
import {
  type BoundaryNode,
  type FlowLink,
  type FlowNode,
  inputHandle,
  outputHandle,
  WAYPOINT_SIZE,
  type WaypointNode,
  waypointName,
} from './flow-types.ts'

type SlotNames = { readonly title: string; readonly outputs: readonly Named[]; readonly inputs: readonly Named[] }
type Named = { readonly name: string; readonly type: string }

function slotNames(node: FlowNode | BoundaryNode): SlotNames {
  if (node.type !== 'boundary') return node.data.view
  const { side, slots } = node.data
  const isIn = side === 'inputs'
  return { title: isIn ? 'Inputs' : 'Outputs', outputs: isIn ? slots : [], inputs: isIn ? [] : slots }
}

/** The links, between slots that are there. @param hiddenIn nodes that are not shown, with the group that stands for them */
export function flowLinks(
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
          words: `${output.name} of ${origin.title} to ${input.name} of ${goal.title}`,
          points,
        },
      },
    ]
  })
}

/** The points of links, each of them once: links of one output may share them. */
export function waypoints(links: readonly FlowLink[]): readonly WaypointNode[] {
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

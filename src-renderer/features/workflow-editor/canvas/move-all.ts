import type { XYPosition } from '@xyflow/react'
import type { WorkflowDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import type { Pair } from '../../../../src-main/domain/workflow/document/values.ts'
import type { GraphAddress } from '../../../../src-main/domain/workflow/edit/graph-at.ts'
import { setGroup } from '../../../../src-main/domain/workflow/edit/groups.ts'
import { moveNodes } from '../../../../src-main/domain/workflow/edit/node-fields.ts'
import { moveReroutes } from '../../../../src-main/domain/workflow/edit/reroutes.ts'
import { waypointId, waypointPlace } from './flow-types.ts'
import { TITLE } from './geometry.ts'
import type { Flow } from './use-flow.ts'

/** Moves nodes, groups and points of links to where they were let go. @param places of what stands on the canvas, by its name */
export function moveAll(
  document: WorkflowDocument,
  at: GraphAddress,
  flow: Flow,
  places: ReadonlyMap<string, XYPosition>,
): WorkflowDocument {
  const nodes = new Map<string, Pair>()
  const points = new Map<string, Pair>()
  let moved = document
  for (const [id, { x, y }] of places) {
    const one = flow.byId.get(id)
    const point = waypointId(id)
    if (one?.type === 'node') nodes.set(id, [x, y + TITLE])
    else if (one?.type === 'reroute') nodes.set(id, [x, y])
    else if (one?.type === 'waypoint' && point !== undefined) points.set(point, waypointPlace(x, y))
    else if (one?.type === 'box') {
      const { bounds } = one.data
      moved = setGroup(moved, at, one.data.place, { bounds: { ...bounds, x, y } })
    }
  }
  if (nodes.size > 0) moved = moveNodes(moved, at, nodes)
  return points.size > 0 ? moveReroutes(moved, at, points) : moved
}

import type { Edge, Node } from '@xyflow/react'
import type { Waypoint } from '../../../../src-main/features/workflows/rules/edit/reroutes.ts'
import type { GroupView } from '../../../../src-main/features/workflows/rules/graph-view.ts'
import type { NodeView } from '../../../../src-main/features/workflows/rules/node-view.ts'

export type FlowNode = Node<
  { readonly view: NodeView; readonly own: NodeView; readonly hasRoom: boolean },
  'node' | 'reroute'
>

/** `size`: of its title, px. */
export type GroupNode = Node<GroupView & { readonly size: number; readonly members: readonly string[] }, 'box'>

export type WaypointNode = Node<{ readonly id: string; readonly type: string }, 'waypoint'>

type BoundarySlotView = { readonly name: string; readonly type: string; readonly isLinked: boolean }

export type BoundaryNode = Node<
  { readonly side: 'inputs' | 'outputs'; readonly slots: readonly BoundarySlotView[] },
  'boundary'
>

export type CanvasNode = FlowNode | GroupNode | WaypointNode | BoundaryNode

export const isDocumentNode = (node: CanvasNode | undefined): node is FlowNode =>
  node?.type === 'node' || node?.type === 'reroute'

export type FlowLink = Edge<
  { readonly type: string; readonly label: string; readonly points: readonly Waypoint[] },
  'link'
>

export type FlowGraph = { readonly nodes: readonly CanvasNode[]; readonly links: readonly FlowLink[] }

const GROUP = 'group:'
const WAYPOINT = 'point:'

/** Link end of an input: its index, or its name before it has one. */
export const inputHandle = (at: number | undefined, name: string): string => (at === undefined ? `+${name}` : `i${at}`)

export const outputHandle = (at: number): string => `o${at}`

export const groupIndex = (id: string): number | undefined =>
  id.startsWith(GROUP) ? Number(id.slice(GROUP.length)) : undefined

export const waypointId = (id: string): string | undefined =>
  id.startsWith(WAYPOINT) ? id.slice(WAYPOINT.length) : undefined

export const groupName = (index: number): string => `${GROUP}${index}`

export const waypointName = (id: string): string => `${WAYPOINT}${id}`

/** Width and height, px of the canvas. */
export const WAYPOINT_SIZE = 12

export const waypointPosition = (x: number, y: number) => [x + WAYPOINT_SIZE / 2, y + WAYPOINT_SIZE / 2] as const

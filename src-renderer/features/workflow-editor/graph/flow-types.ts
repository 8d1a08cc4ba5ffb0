/** What stands on the canvas, in the form in which React Flow takes it, and what it is called there. */
import type { Edge, Node } from '@xyflow/react'
import type { Rectangle } from '../../../../src-main/domain/workflow/edit/groups.ts'
import type { Waypoint } from '../../../../src-main/domain/workflow/edit/reroutes.ts'
import type { NodeView } from '../../../../src-main/domain/workflow/node-view.ts'

/** A node. `own`: with the widgets that stand on it alone; `hasRoom`: pictures fit below them. */
export type FlowNode = Node<
  { readonly view: NodeView; readonly own: NodeView; readonly hasRoom: boolean },
  'node' | 'reroute'
>

/** A box around nodes. `place`: in the list of the document; `size`: of its title, px. */
export type GroupNode = Node<
  {
    readonly index: number
    readonly title: string
    readonly color: string | undefined
    readonly size: number
    readonly members: readonly string[]
    readonly bounds: Rectangle
    readonly isCollapsed: boolean
  },
  'box'
>

/** A point that links are led through. */
export type WaypointNode = Node<{ readonly id: string; readonly type: string }, 'waypoint'>

/** A slot of a subgraph, as its inside sees it. */
type BoundarySlotView = { readonly name: string; readonly type: string; readonly isLinked: boolean }

/** Where links come into a subgraph, or leave it. */
export type BoundaryNode = Node<
  { readonly side: 'inputs' | 'outputs'; readonly slots: readonly BoundarySlotView[] },
  'boundary'
>

/** Whatever stands on the canvas. */
export type CanvasNode = FlowNode | GroupNode | WaypointNode | BoundaryNode

/** Whether it is a node of the document, and no group, point of a link or edge of a subgraph. */
export const isDocumentNode = (node: CanvasNode | undefined): node is FlowNode =>
  node?.type === 'node' || node?.type === 'reroute'

/** A link between two slots as React Flow draws it. */
export type FlowLink = Edge<
  { readonly type: string; readonly label: string; readonly points: readonly Waypoint[] },
  'link'
>

/** What is on the canvas. */
export type FlowGraph = { readonly nodes: readonly CanvasNode[]; readonly links: readonly FlowLink[] }

const GROUP = 'group:'
const WAYPOINT = 'point:'

/** The name of an input as an end of links: by its place, or by its name where it has none yet. */
export const inputHandle = (at: number | undefined, name: string): string => (at === undefined ? `+${name}` : `i${at}`)

/** The name of an output as an end of links. */
export const outputHandle = (at: number): string => `o${at}`

/** The place of a group in the document by its name on the canvas; undefined where it is none. */
export const groupIndex = (id: string): number | undefined =>
  id.startsWith(GROUP) ? Number(id.slice(GROUP.length)) : undefined

/** The id of a point by its name on the canvas; undefined where it is none. */
export const waypointId = (id: string): string | undefined =>
  id.startsWith(WAYPOINT) ? id.slice(WAYPOINT.length) : undefined

/** The name of a group on the canvas. @param index in the document */
export const groupName = (index: number): string => `${GROUP}${index}`

/** The name of a point of links on the canvas. */
export const waypointName = (id: string): string => `${WAYPOINT}${id}`

/** Width and height of a point of links, px of the canvas. */
export const WAYPOINT_SIZE = 12

/** Where a point is in the document, by where it stands on the canvas. */
export const waypointPosition = (x: number, y: number) => [x + WAYPOINT_SIZE / 2, y + WAYPOINT_SIZE / 2] as const

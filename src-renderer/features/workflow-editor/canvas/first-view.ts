/** What of a graph is seen when it is opened: what was looked at before, else all of it. */
import { getViewportForBounds, type Viewport } from '@xyflow/react'
import type { Graph } from '../../../../src-main/domain/workflow/document/document.ts'
import { around } from '../../../../src-main/domain/workflow/edit/groups.ts'
import { asDouble, isArray, isObject } from '../../../../src-main/domain/workflow/json/value.ts'
import type { EditorStore } from '../store/editor-store.ts'
import type { CanvasNode } from './flow-types.ts'
import type { Box } from './geometry.ts'
import type { Flow } from './use-flow.ts'

/** How far out one can zoom: fifty thousand nodes are seen at once. */
export const LEAST_ZOOM = 0.005

/** How far in. */
export const MOST_ZOOM = 4

const MOST_FIT_ZOOM = 1
// What stands over the canvas, px: controls and trail above, the run bar below, the edges.
const ROOM = { top: 52, right: 24, bottom: 76, left: 24 } as const
/** Size of the minimap with its distance to the edges, px; it stands below the controls, at the right. */
const MINIMAP = { width: 196, height: 132 } as const

/** The room of a canvas, px. */
export type Size = { readonly width: number; readonly height: number; readonly hasMinimap?: boolean }

// The least width of a window with a minimap, px. Source: `Minimap.tsx`.
const MINIMAP_FROM = 1200

/** Whether the minimap stands over the canvas. */
export const showsMinimap = ({ hasMinimap }: { readonly hasMinimap: boolean }, windowWidth: number): boolean =>
  hasMinimap && windowWidth >= MINIMAP_FROM

// Where each graph of each open document was looked at last; gone with the document.
const views = new WeakMap<EditorStore, Map<string, Viewport>>()

/** Keeps what is looked at, for when the graph is opened again. */
export function keepView(editor: EditorStore, { address }: Flow, view: Viewport): void {
  const kept = views.get(editor) ?? new Map<string, Viewport>()
  kept.set(address ?? '', view)
  views.set(editor, kept)
}

/** What is seen first. */
export function firstView(editor: EditorStore, flow: Flow, size: Size): Viewport {
  const kept = views.get(editor)?.get(flow.address ?? '')
  const saved = flow.address === undefined ? savedView(editor.getState().document) : undefined
  if (kept !== undefined) return kept
  return saved !== undefined && seesOne(flow, saved, size) ? saved : viewOfAll(flow, size)
}

// A document may say that its owner looked at nothing, or in a larger window: of what is left of that here, at least one
// node should be whole.
function seesOne({ nodes }: Flow, { x, y, zoom }: Viewport, size: Size): boolean {
  return nodes.some(({ position, width = 0, height = 0 }) => {
    const [left, top] = [position.x * zoom + x, position.y * zoom + y]
    const [right, bottom] = [left + width * zoom, top + height * zoom]
    return left >= 0 && top >= 0 && right <= size.width && bottom <= size.height
  })
}

function viewOfAll({ nodes }: Flow, size: Size): Viewport {
  return viewportOf(nodes, size) ?? { x: size.width / 3, y: size.height / 3, zoom: 1 }
}

/** The view that shows nodes between the bars, and beside or below the minimap; undefined for none. */
export function viewportOf(
  nodes: readonly CanvasNode[],
  { width, height, hasMinimap = false }: Size,
): Viewport | undefined {
  const bounds = boundsOfNodes(nodes)
  if (bounds === undefined) return undefined
  const fitted = ({ top, right, bottom, left }: Sides) => {
    const [across, down] = [Math.max(1, width - left - right), Math.max(1, height - top - bottom)]
    const view = getViewportForBounds(bounds, across, down, LEAST_ZOOM, MOST_FIT_ZOOM, 0)
    return { ...view, x: view.x + left, y: view.y + top }
  }
  if (!hasMinimap) return fitted(ROOM)
  const beside = fitted({ ...ROOM, right: ROOM.right + MINIMAP.width })
  const below = fitted({ ...ROOM, top: ROOM.top + MINIMAP.height })
  return below.zoom > beside.zoom ? below : beside
}

type Sides = Readonly<Record<'top' | 'right' | 'bottom' | 'left', number>>

/** The rectangle around nodes; undefined for none. */
export function boundsOfNodes(nodes: readonly CanvasNode[]): Box | undefined {
  return around(nodes.map(({ position: { x, y }, width = 0, height = 0 }) => ({ x, y, width, height })))
}

/** Where a document was looked at when it was saved; undefined where it does not say. */
export function savedView({ extra }: Pick<Graph, 'extra'>): Viewport | undefined {
  const ds = isObject(extra) ? extra.get('ds') : undefined
  if (!isObject(ds)) return undefined
  const offset = ds.get('offset')
  const [x, y] = isArray(offset) ? offset.map(asDouble) : []
  const zoom = asDouble(ds.get('scale'))
  if (x === undefined || y === undefined || zoom === undefined || !(zoom > 0)) return undefined
  return { x: x * zoom, y: y * zoom, zoom: Math.min(MOST_ZOOM, zoom) }
}

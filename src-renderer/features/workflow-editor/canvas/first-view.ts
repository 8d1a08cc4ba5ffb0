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

const FIT = { padding: 0.08, maxZoom: 1 } as const

/** The room of a canvas, px. */
export type Size = { readonly width: number; readonly height: number }

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

/** The view that shows nodes; undefined for none. */
export function viewportOf(nodes: readonly CanvasNode[], { width, height }: Size): Viewport | undefined {
  const bounds = boundsOfNodes(nodes)
  return bounds && getViewportForBounds(bounds, width, height, LEAST_ZOOM, FIT.maxZoom, FIT.padding)
}

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

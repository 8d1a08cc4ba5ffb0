import { getViewportForBounds, useReactFlow, useStoreApi, type Viewport } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import type { Graph } from '../../../../src-main/features/workflows/rules/document/document.ts'
import type { Pair } from '../../../../src-main/features/workflows/rules/document/fields.ts'
import { around } from '../../../../src-main/features/workflows/rules/edit/groups.ts'
import { asDouble, isArray, isObject } from '../../../../src-main/lib/json/value.ts'
import { type CanvasState, type Point, useCanvasStore } from '../store/canvas-store.ts'
import { type EditorStore, useEditor, useTab } from '../store/editor-store.ts'
import type { Flow } from './flow-graph.ts'
import type { CanvasNode } from './flow-types.ts'
import type { Box } from './geometry.ts'

/** Minimum zoom, at which fifty thousand nodes are visible at once. */
export const LEAST_ZOOM = 0.005

export const MOST_ZOOM = 4

const MOST_FIT_ZOOM = 1
// Covered by controls over the canvas, px: controls and breadcrumb above, the run bar below.
const ROOM = { top: 52, right: 24, bottom: 30, left: 24 } as const
// How far the slots at its sides stand out of a node, px of the canvas. Source: half a handle in `canvas.css`.
const SLOT_REACH = 10
// Share of the height: a higher run bar covers the graph.
const MOST_OF_BAR = 1 / 3
/** Size of the minimap with its margins, px; it is below the controls, on the right. */
const MINIMAP = { width: 196, height: 132 } as const

/** The size available to a canvas in the window, px. */
export type CanvasSize = {
  readonly width: number
  readonly height: number
  readonly hasMinimap: boolean
  readonly barHeight: number
}

export function roomOf(
  { preferences, barHeight }: Pick<CanvasState, 'preferences' | 'barHeight'>,
  { width, height }: Pick<CanvasSize, 'width' | 'height'>,
): CanvasSize {
  return { width, height, hasMinimap: preferences.hasMinimap && window.innerWidth >= MINIMAP_FROM, barHeight }
}

// Minimum window width for a minimap, px. Source: `Overview.tsx`.
const MINIMAP_FROM = 1200

const views = new WeakMap<EditorStore, Map<string, Viewport | undefined>>()

function storeView(editor: EditorStore, { address }: Flow, view: Viewport | undefined): void {
  const stored = views.get(editor) ?? new Map<string, Viewport | undefined>()
  stored.set(address ?? '', view)
  views.set(editor, stored)
}

export function firstView(editor: EditorStore, flow: Flow, size: CanvasSize): Viewport {
  const stored = views.get(editor)?.get(flow.address ?? '')
  const saved = flow.address === undefined ? savedView(editor.getState().document) : undefined
  if (stored !== undefined) return stored
  if (saved !== undefined && seesHalf(flow, saved, size)) return saved
  return viewportOf(flow.nodes, size) ?? { x: size.width / 3, y: size.height / 3, zoom: 1 }
}

// The saved view may show an empty part or suit a larger window, so half of the nodes must be in sight.
function seesHalf({ nodes }: Flow, { x, y, zoom }: Viewport, size: CanvasSize): boolean {
  const drawn = nodes.filter(({ type }) => type === 'node')
  const seen = drawn.filter(({ position, width = 0, height = 0 }) => {
    const [across, down] = [(position.x + width / 2) * zoom + x, (position.y + height / 2) * zoom + y]
    return across >= 0 && down >= 0 && across <= size.width && down <= size.height
  })
  return seen.length > 0 && seen.length >= drawn.length / 2
}

export function viewportOf(nodes: readonly CanvasNode[], { width, height, hasMinimap, barHeight }: CanvasSize) {
  const ofNodes = boundsOfNodes(nodes)
  if (ofNodes === undefined) return undefined
  const bounds = { ...ofNodes, x: ofNodes.x - SLOT_REACH, width: ofNodes.width + 2 * SLOT_REACH }
  const fitted = ({ top, right, bottom, left }: Readonly<Record<'top' | 'right' | 'bottom' | 'left', number>>) => {
    const [across, down] = [Math.max(1, width - left - right), Math.max(1, height - top - bottom)]
    const view = getViewportForBounds(bounds, across, down, LEAST_ZOOM, MOST_FIT_ZOOM, 0)
    return { ...view, x: view.x + left, y: view.y + top }
  }
  const free = { ...ROOM, bottom: ROOM.bottom + Math.min(barHeight, height * MOST_OF_BAR) }
  if (!hasMinimap) return fitted(free)
  const beside = fitted({ ...free, right: free.right + MINIMAP.width })
  const below = fitted({ ...free, top: free.top + MINIMAP.height })
  return below.zoom > beside.zoom ? below : beside
}

export function boundsOfNodes(nodes: readonly CanvasNode[]): Box | undefined {
  return around(nodes.map(({ position: { x, y }, width = 0, height = 0 }) => ({ x, y, width, height })))
}

export function savedView({ extra }: Pick<Graph, 'extra'>): Viewport | undefined {
  const ds = isObject(extra) ? extra.get('ds') : undefined
  if (!isObject(ds)) return undefined
  const offset = ds.get('offset')
  const [x, y] = isArray(offset) ? offset.map(asDouble) : []
  const zoom = asDouble(ds.get('scale'))
  if (x === undefined || y === undefined || zoom === undefined || !(zoom > 0)) return undefined
  return { x: x * zoom, y: y * zoom, zoom: Math.min(MOST_ZOOM, zoom) }
}

/** Converts a window position to the canvas, px; undefined outside of the canvas. */
export function canvasPoint(at: Point): Pair | undefined {
  const view = document.elementFromPoint(at.x, at.y)?.closest('.react-flow')?.querySelector('.react-flow__viewport')
  if (view === null || view === undefined) return undefined
  // The canvas transforms this element from its upper left corner.
  const { left, top } = view.getBoundingClientRect()
  const { a: scale } = new DOMMatrixReadOnly(getComputedStyle(view).transform)
  return [Math.round((at.x - left) / scale), Math.round((at.y - top) / scale)]
}

/** Converts a canvas position to the window, px; undefined if there is no canvas. */
export function windowPoint([x, y]: Pair): Point | undefined {
  const view = document.querySelector('.workflow-canvas .react-flow__viewport')
  if (view === null) return undefined
  const { left, top } = view.getBoundingClientRect()
  const { a: scale } = new DOMMatrixReadOnly(getComputedStyle(view).transform)
  return { x: left + x * scale, y: top + y * scale }
}

const LEAST_ZOOM_TO_READ = 0.6

// The last handled request of each document: a canvas may be created because of it.
const followed = new WeakMap<EditorStore, number>()

const isSameView = (one: Viewport, other: Viewport | undefined): boolean =>
  other !== undefined &&
  Math.hypot(one.x - other.x, one.y - other.y) < 0.5 &&
  Math.abs(one.zoom / other.zoom - 1) < 1e-3

/** Moves the view on request, and refits it when the space changes unless somebody has moved it. */
export function useView(flow: Flow): void {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  const { getViewport, setViewport, setCenter, getZoom } = useReactFlow()
  const store = useStoreApi()
  const revealed = useEditor((state) => state.revealed)

  const latest = useRef(flow)
  useEffect(() => {
    latest.current = flow
  }, [flow])

  useEffect(() => {
    const { set } = canvas.getState()
    const viewOf = () => viewportOf(latest.current.nodes, roomOf(canvas.getState(), store.getState()))
    const isFitted = () => isSameView(getViewport(), canvas.getState().fitted)
    const all = viewOf()
    set({ fitted: isSameView(getViewport(), all) ? all : undefined })
    const refit = () => {
      const view = isFitted() ? viewOf() : undefined
      if (view === undefined) return
      set({ fitted: view })
      void setViewport(view)
    }
    const endSize = store.subscribe((now, before) => {
      if (now.width !== before.width || now.height !== before.height) refit()
    })
    const endBars = canvas.subscribe((now, before) => {
      const isMinimapSame = now.preferences.hasMinimap === before.preferences.hasMinimap
      if (now.barHeight !== before.barHeight || !isMinimapSame) refit()
    })
    return () => {
      endSize()
      endBars()
      storeView(editor, latest.current, isFitted() ? undefined : getViewport())
    }
  }, [editor, canvas, store, getViewport, setViewport])

  useEffect(() => {
    if ((followed.get(editor) ?? 0) === revealed.at) return
    followed.set(editor, revealed.at)
    const boxes = revealed.ids.flatMap((id) => flow.byId.get(id) ?? [])
    const all = boxes.length > 1 ? viewportOf(boxes, roomOf(canvas.getState(), store.getState())) : undefined
    if (all !== undefined) void setViewport(all)
    const [box] = boxes
    if (boxes.length !== 1 || box === undefined) return
    const { position, width = 0, height = 0 } = box
    const zoom = Math.max(getZoom(), LEAST_ZOOM_TO_READ)
    void setCenter(position.x + width / 2, position.y + height / 2, { zoom })
  }, [editor, canvas, revealed, flow, store, setViewport, setCenter, getZoom])
}

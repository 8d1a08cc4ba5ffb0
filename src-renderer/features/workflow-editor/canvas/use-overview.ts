/**
 * At small zoom nodes are painted; only hovered and selected ones are elements, because five thousand take a second to
 * create.
 */
import { useReactFlow, useStoreApi, type XYPosition } from '@xyflow/react'
import { createContext, type MouseEvent, type PointerEvent, useContext, useMemo, useRef, useState } from 'react'
import { type CanvasNode, isDocumentNode } from '../graph/flow-types.ts'
import { useTab } from '../store/editor-store.ts'

// Larger selections are moved as plain elements, which is slow but correct.
const MOST_SELECTED = 500

export function useOverview(nodes: readonly CanvasNode[], detail: Detail) {
  const { editor } = useTab()
  const { screenToFlowPosition } = useReactFlow()
  const store = useStoreApi()
  const [hovered, setHovered] = useState<string>()
  const boxStart = useRef<XYPosition>(undefined)
  const isZoomedOut = detail === 'bare'

  const shown = useMemo(() => {
    if (!isZoomedOut) return nodes
    const selected = nodes.filter((node) => node.selected === true)
    if (selected.length > MOST_SELECTED) return nodes
    // At least one node is an element, for those who come by keyboard.
    const first = selected.length === 0 ? nodes.find(({ type }) => type === 'node') : undefined
    return nodes.filter((node) => node.selected === true || node.id === hovered || node === first)
  }, [nodes, isZoomedOut, hovered])

  const pointOf = ({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }) =>
    screenToFlowPosition({ x: clientX, y: clientY }, { snapToGrid: false })

  return {
    shown,
    onPointerMove(event: PointerEvent) {
      if (isZoomedOut && event.buttons === 0) setHovered(nodeAt(nodes, pointOf(event))?.id)
    },
    /** A press can come before any pointer move was seen. */
    onPaneClick(event: MouseEvent) {
      const under = isZoomedOut ? nodeAt(nodes, pointOf(event)) : undefined
      if (under !== undefined) editor.getState().select([under.id])
    },
    onBoxStart() {
      const rect = store.getState().userSelectionRect
      boxStart.current = rect === null ? undefined : { x: rect.startX, y: rect.startY }
    },
    onBoxEnd(event: MouseEvent, selectedBefore: ReadonlySet<string>) {
      const start = boxStart.current
      boxStart.current = undefined
      if (!isZoomedOut || start === undefined) return
      const ids = within(nodes, start, pointOf(event)).map(({ id }) => id)
      editor.getState().select([...selectedBefore, ...ids])
    },
  }
}

function nodeAt(nodes: readonly CanvasNode[], { x, y }: XYPosition): CanvasNode | undefined {
  return nodes.findLast(
    (node) =>
      isDocumentNode(node) &&
      x >= node.position.x &&
      y >= node.position.y &&
      x <= node.position.x + (node.width ?? 0) &&
      y <= node.position.y + (node.height ?? 0),
  )
}

function within(nodes: readonly CanvasNode[], one: XYPosition, other: XYPosition): readonly CanvasNode[] {
  const [left, right] = [Math.min(one.x, other.x), Math.max(one.x, other.x)]
  const [top, bottom] = [Math.min(one.y, other.y), Math.max(one.y, other.y)]
  return nodes.filter((node) => {
    const { position, width = 0, height = 0 } = node
    const isAcross = position.x < right && position.x + width > left
    return isDocumentNode(node) && isAcross && position.y < bottom && position.y + height > top
  })
}

// Below this zoom nodes are plain boxes with titles: nothing else is readable, and there may be thousands.
const PLAIN_BELOW = 0.3

const BARE_BELOW = 0.15

// So few nodes are cheap, and are seldom seen zoomed out so far.
const ALWAYS_WHOLE = 20

type Detail = 'all' | 'plain' | 'bare'

export function detailAt(zoom: number, nodes: number): Detail {
  if (nodes <= ALWAYS_WHOLE) return 'all'
  return zoom < BARE_BELOW ? 'bare' : zoom < PLAIN_BELOW ? 'plain' : 'all'
}

/** Shared, so that nodes do not subscribe to the zoom. */
export const DetailContext = createContext<Detail>('all')

export const useDetail = (): Detail => useContext(DetailContext)

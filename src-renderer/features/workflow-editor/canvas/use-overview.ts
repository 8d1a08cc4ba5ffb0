/**
 * The graph from far away. Its nodes are drawn on one canvas, and only those that the pointer is over or that are
 * selected are elements, so that they can be pressed, moved and reached with keys: five thousand elements take a second
 * to make and a tenth of one to move.
 */
import { useReactFlow, useStoreApi, type XYPosition } from '@xyflow/react'
import { createContext, type MouseEvent, type PointerEvent, useContext, useMemo, useRef, useState } from 'react'
import { type CanvasNode, isDocumentNode } from '../graph/flow-types.ts'
import { useTab } from '../store/editor-store.ts'

// More are moved together as they are, which is slow and right.
const MOST_SELECTED = 500

/** Which nodes are elements, and what hears the pointer for the others. */
export function useOverview(nodes: readonly CanvasNode[], detail: Detail) {
  const { editor } = useTab()
  const { screenToFlowPosition } = useReactFlow()
  const store = useStoreApi()
  const [hovered, setHovered] = useState<string>()
  const boxStart = useRef<XYPosition>(undefined)
  const isFar = detail === 'bare'

  const shown = useMemo(() => {
    if (!isFar) return nodes
    const selected = nodes.filter((node) => node.selected === true)
    if (selected.length > MOST_SELECTED) return nodes
    // One of them at least, for who comes with the keyboard.
    const first = selected.length === 0 ? nodes.find(({ type }) => type === 'node') : undefined
    return nodes.filter((node) => node.selected === true || node.id === hovered || node === first)
  }, [nodes, isFar, hovered])

  const pointOf = ({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }) =>
    screenToFlowPosition({ x: clientX, y: clientY }, { snapToGrid: false })

  return {
    shown,
    onPointerMove(event: PointerEvent) {
      if (isFar && event.buttons === 0) setHovered(nodeAt(nodes, pointOf(event))?.id)
    },
    /** A press may come before the pointer was seen to move. */
    onPaneClick(event: MouseEvent) {
      const under = isFar ? nodeAt(nodes, pointOf(event)) : undefined
      if (under !== undefined) editor.getState().select([under.id])
    },
    onBoxStart() {
      const rect = store.getState().userSelectionRect
      boxStart.current = rect === null ? undefined : { x: rect.startX, y: rect.startY }
    },
    /** @param selectedBefore what was selected before, and stays so */
    onBoxEnd(event: MouseEvent, selectedBefore: ReadonlySet<string>) {
      const start = boxStart.current
      boxStart.current = undefined
      if (!isFar || start === undefined) return
      const ids = within(nodes, start, pointOf(event)).map(({ id }) => id)
      editor.getState().select([...selectedBefore, ...ids])
    },
  }
}

/** The node at a place of the canvas, the uppermost one. */
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

// Below this zoom nodes are plain boxes with their titles: nothing else can be read, and there may be thousands.
const PLAIN_BELOW = 0.3

// Below this zoom titles are left out too.
const BARE_BELOW = 0.15

// So few nodes cost little, and are seldom seen from where only large titles could be read.
const ALWAYS_WHOLE = 20

/** How much of a node can be seen. */
type Detail = 'all' | 'plain' | 'bare'

/** How much of the nodes is drawn at a zoom. @param nodes how many the graph has */
export function detailAt(zoom: number, nodes: number): Detail {
  if (nodes <= ALWAYS_WHOLE) return 'all'
  return zoom < BARE_BELOW ? 'bare' : zoom < PLAIN_BELOW ? 'plain' : 'all'
}

/** How much of the nodes is drawn. One value for all of them: none asks for the zoom of its own. */
export const DetailContext = createContext<Detail>('all')

/** How much of a node is drawn. */
export const useDetail = (): Detail => useContext(DetailContext)

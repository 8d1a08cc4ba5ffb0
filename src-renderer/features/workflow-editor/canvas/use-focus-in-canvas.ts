import { useReactFlow, type Viewport } from '@xyflow/react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import type { Flow } from '../graph/flow-graph.ts'
import { type CanvasNode, isDocumentNode } from '../graph/flow-types.ts'
import { type CanvasStore, useCanvasStore } from '../store/canvas-store.ts'
import { type EditorStore, selectNodes, useTab } from '../store/editor-store.ts'
import { moveAll } from './use-moving.ts'

const STEP = 10
const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

export function useFocusInCanvas(flow: Flow) {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  const { getViewport, setCenter } = useReactFlow()
  const spaceAt = useRef<{ readonly id: string; readonly view: Viewport }>(undefined)

  function goToNode(node: CanvasNode | undefined) {
    if (node === undefined) return
    selectNodes({ editor, canvas }, [node.id])
    const { x, y } = middleOf(node)
    if (!isInSight(node, getViewport())) void setCenter(x, y, { zoom: getViewport().zoom })
    // An off-screen node is drawn in the next frame.
    requestAnimationFrame(() => requestAnimationFrame(() => focusNode(node.id)))
  }

  // Includes the focused node, which keyboard users see as selected.
  function moveSelected([x, y]: readonly [number, number], focused: CanvasNode) {
    if (!editor.getState().selection.has(focused.id)) editor.getState().select([focused.id])
    const { selection, edit, document } = editor.getState()
    const nodes = [...selection].flatMap((id) => flow.byId.get(id) ?? []).filter(({ draggable }) => draggable !== false)
    const positions = new Map(
      nodes.map(({ id, position }) => [id, { x: position.x + x * STEP, y: position.y + y * STEP }]),
    )
    if (positions.size === 0) return
    edit('Move', () => moveAll(document, flow, positions), 'move by keys')
  }

  // The focus is lost after clicks on empty space, or when its node vanishes.
  useEffect(() => {
    const onEscape = (event: globalThis.KeyboardEvent) => {
      const isNowhere = event.target === document.body || (event.target as Element).id === 'content'
      if (event.key === 'Escape' && isNowhere && !event.defaultPrevented) letGo({ editor, canvas })
    }
    addEventListener('keydown', onEscape)
    return () => removeEventListener('keydown', onEscape)
  }, [editor, canvas])

  // Space also pans: selection toggles on release, if nothing moved.
  function onKeyUp({ key, target }: KeyboardEvent<HTMLElement>) {
    if (key !== ' ') return
    const pressed = spaceAt.current
    spaceAt.current = undefined
    const id = (target as Element).getAttribute('data-id')
    const { x, y } = getViewport()
    if (pressed?.id === id && pressed.view.x === x && pressed.view.y === y) toggle(pressed.id)
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const element = event.target as Element
    const onNode = element.closest('.react-flow__node')
    const id = onNode?.getAttribute('data-id') ?? undefined
    const node = flow.byId.get(id ?? '')
    if (event.key === 'Escape') {
      if (onNode === null || element === onNode) letGo({ editor, canvas })
      else (onNode as HTMLElement).focus()
      return
    }
    // Elements within a node handle their own keys, so these are ignored.
    if (onNode === null || node === undefined || element !== onNode) return
    const arrow = ARROWS[event.key]
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (arrow !== undefined && isPlain) {
      event.preventDefault()
      if (event.shiftKey) moveSelected(arrow, node)
      else goToNode(nextNode(flow.nodes, node, arrow))
    } else if (event.key === 'Tab' && isPlain) tab(event, node)
    else if (event.key === 'Enter' && isPlain) {
      event.preventDefault()
      editOrOpen(node, onNode)
    } else if (event.key === ' ' && isPlain) {
      event.preventDefault()
      if (!event.repeat) spaceAt.current = { id: node.id, view: getViewport() }
    } else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      event.preventDefault()
      openMenu(node, onNode)
    }
  }

  return { onKeyDown, onKeyUp }

  function tab(event: KeyboardEvent<HTMLElement>, node: CanvasNode) {
    const order = readingOrder(flow.nodes)
    const next = order[order.indexOf(node) + (event.shiftKey ? -1 : 1)]
    // After the last node, Tab leaves the canvas past inner elements.
    const edge = event.shiftKey ? '[data-canvas-start]' : '[data-canvas-end]'
    if (next === undefined) return event.currentTarget.querySelector<HTMLElement>(edge)?.focus()
    event.preventDefault()
    goToNode(next)
  }

  function editOrOpen(node: CanvasNode, element: Element) {
    if (node.type === 'node' && node.data.view.kind === 'subgraph') return editor.getState().enter(node.id)
    element.querySelector<HTMLElement>(FIELDS)?.focus()
  }

  function toggle(id: string) {
    const next = new Set(editor.getState().selection)
    if (!next.delete(id)) next.add(id)
    editor.getState().select(next)
  }

  function openMenu(node: CanvasNode, element: Element) {
    const { left, top } = element.getBoundingClientRect()
    const screen = { x: Math.max(0, left) + 16, y: Math.max(0, top) + 32 }
    if (isDocumentNode(node)) {
      if (!editor.getState().selection.has(node.id)) editor.getState().select([node.id])
      canvas.getState().set({ overlay: { kind: 'menu', screen, target: { kind: 'node', id: node.id } } })
    } else if (node.type === 'box' || node.type === 'waypoint') {
      const kind = node.type === 'box' ? 'group' : 'waypoint'
      canvas.getState().set({ overlay: { kind: 'menu', screen, target: { kind, id: node.id } } })
    }
  }
}

function letGo({ editor, canvas }: { readonly editor: EditorStore; readonly canvas: CanvasStore }): void {
  const { path, selection, enter } = editor.getState()
  const { things, links } = canvas.getState()
  if (selection.size + things.size + links.size > 0) selectNodes({ editor, canvas }, [])
  else if (path.length > 0) enter(undefined)
}

const FIELDS = 'input:not([type="hidden"]), textarea, select, button:not(.react-flow__handle), [contenteditable="true"]'

function isInSight(node: CanvasNode, { x, y, zoom }: Viewport): boolean {
  const area = document.querySelector('.workflow-canvas')?.getBoundingClientRect()
  if (area === undefined) return false
  const { position, width = 0, height = 0 } = node
  const [left, top] = [position.x * zoom + x, position.y * zoom + y]
  return (
    left >= 0 &&
    top >= 0 &&
    left + Math.min(width * zoom, 200) <= area.width &&
    top + Math.min(height * zoom, 100) <= area.height
  )
}

/** Columns from left to right, top to bottom, without groups and points. */
export function readingOrder(nodes: readonly CanvasNode[]): readonly CanvasNode[] {
  return nodes
    .filter(isDocumentNode)
    .sort((one, other) => one.position.x - other.position.x || one.position.y - other.position.y)
}

export function nextNode(nodes: readonly CanvasNode[], from: CanvasNode, [x, y]: readonly [x: number, y: number]) {
  const start = middleOf(from)
  const candidates = nodes.flatMap((node) => {
    if (node.id === from.id || !isDocumentNode(node)) return []
    const middle = middleOf(node)
    const [across, down] = [middle.x - start.x, middle.y - start.y]
    const ahead = across * x + down * y
    const aside = Math.abs(across * y) + Math.abs(down * x)
    return ahead > 0 ? [{ node, away: ahead + 2 * aside }] : []
  })
  return candidates.sort((one, other) => one.away - other.away)[0]?.node
}

const middleOf = ({ position: { x, y }, width = 0, height = 0 }: CanvasNode) => ({
  x: x + width / 2,
  y: y + height / 2,
})

export function focusNode(id: string): boolean {
  const selector = `.workflow-canvas .react-flow__node[data-id="${CSS.escape(id)}"]`
  const element = document.querySelector<HTMLElement>(selector)
  element?.focus({ preventScroll: true })
  return element !== null
}

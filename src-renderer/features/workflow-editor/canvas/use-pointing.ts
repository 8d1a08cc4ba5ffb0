import { type EdgeMouseHandler, type NodeMouseHandler, useReactFlow } from '@xyflow/react'
import { type DragEvent, type MouseEvent, type PointerEvent, useRef } from 'react'
import { addPrimitive } from '../../../../src-main/features/workflows/rules/edit/add-node.ts'
import { connect, disconnect } from '../../../../src-main/features/workflows/rules/edit/connect.ts'
import type { GraphAddress } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import { addReroute } from '../../../../src-main/features/workflows/rules/edit/reroutes.ts'
import type { Flow } from '../graph/flow-graph.ts'
import { type CanvasNode, type FlowLink, groupIndex, waypointId } from '../graph/flow-types.ts'
import { inputEnd, outputEnd, pointOn, viewOf } from '../graph/links.ts'
import { isDraggedNode, readDragged } from '../palette/addable-nodes.ts'
import { useAddNode } from '../palette/use-add-node.ts'
import { type MenuTarget, type Point, useCanvasStore } from '../store/canvas-store.ts'
import { useTab } from '../store/editor-store.ts'

const PRIMITIVE_AWAY = 260

export function usePointing(address: GraphAddress, flow: Flow) {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  const { screenToFlowPosition } = useReactFlow()
  const addNode = useAddNode()
  const pointer = useRef<Point>(undefined)

  function openMenu(event: MouseEvent, target: MenuTarget) {
    event.preventDefault()
    canvas.getState().set({ overlay: { kind: 'menu', screen: pointOf(event), target } })
  }

  const onNodeContextMenu: NodeMouseHandler<CanvasNode> = (event, { id, type }) => {
    if ((event.target as Element).closest('input, textarea, [contenteditable="true"], [data-own-menu]') !== null) return
    if (type === 'node' || type === 'reroute') {
      if (!editor.getState().selection.has(id)) editor.getState().select([id])
      openMenu(event, { kind: 'node', id })
    } else if (groupIndex(id) !== undefined) openMenu(event, { kind: 'group', id })
    else if (waypointId(id) !== undefined) openMenu(event, { kind: 'waypoint', id })
  }

  const onEdgeContextMenu: EdgeMouseHandler<FlowLink> = (event, { id }) =>
    openMenu(event, { kind: 'link', id, at: screenToFlowPosition(pointOf(event)) })

  const onEdgeClick = (event: MouseEvent, link: FlowLink) => {
    if (!event.altKey) return
    const point = pointOn(link, screenToFlowPosition(pointOf(event)), flow)
    editor.getState().edit('Add a point to a link', (document) => addReroute(document, address, point).document)
  }

  const onNodeDoubleClick: NodeMouseHandler<CanvasNode> = (event, node) => {
    if ((event.target as Element).closest('input, textarea, button, .react-flow__handle') !== null) return
    if (viewOf(node)?.kind === 'subgraph') editor.getState().enter(node.id)
    else if (groupIndex(node.id) !== undefined || (event.target as Element).closest('[data-title]') !== null)
      canvas.getState().set({ renaming: node.id })
  }

  function onDoubleClick(event: MouseEvent) {
    const element = event.target as Element
    const handle = element.closest('.react-flow__handle')
    if (handle !== null) return addPrimitiveFor(handle)
    if (!element.classList.contains('react-flow__pane')) return
    const screen = pointOf(event)
    canvas.getState().set({ overlay: { kind: 'add', screen, at: screenToFlowPosition(screen) } })
  }

  function addPrimitiveFor(handle: Element) {
    const node = flow.byId.get(handle.closest('.react-flow__node')?.getAttribute('data-id') ?? '')
    const to = inputEnd(node, handle.getAttribute('data-handleid'))
    if (node === undefined || to === undefined) return
    const { types, edit } = editor.getState()
    const pos = [node.position.x - PRIMITIVE_AWAY, node.position.y] as const
    edit('Add a primitive', (document) => {
      const added = addPrimitive(document, address, { node: to.node, input: to.name, pos, types })
      if (added === undefined) return document
      return connect(added.document, address, { from: { node: added.id, slot: 0 }, to, types })
    })
  }

  // Capture phase, to run before React Flow starts to draw a link.
  function onPointerDownCapture(event: PointerEvent) {
    const handle = (event.target as Element).closest('.react-flow__handle')
    if (handle === null || !event.altKey || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    event.stopPropagation()
    const node = flow.byId.get(handle.closest('.react-flow__node')?.getAttribute('data-id') ?? '')
    const name = handle.getAttribute('data-handleid')
    const [to, from] = [inputEnd(node, name), outputEnd(node, name)]
    const end =
      to?.slot !== undefined
        ? ({ node: to.node, side: 'input', slot: to.slot } as const)
        : from && ({ ...from, side: 'output' } as const)
    if (end === undefined) return
    editor.getState().edit('Disconnect a slot', (document) => disconnect(document, address, end))
    canvas.getState().say('The slot is disconnected.')
  }

  return {
    pointer,
    onPointerMove: (event: PointerEvent) => {
      pointer.current = pointOf(event)
    },
    area: {
      onDoubleClick,
      onPointerDownCapture,
      onDragOver: (event: DragEvent) => {
        if (isDraggedNode(event.dataTransfer)) event.preventDefault()
      },
      onDrop: (event: DragEvent) => {
        const what = readDragged(event.dataTransfer, editor.getState().types)
        if (what === undefined) return
        event.preventDefault()
        addNode(what, screenToFlowPosition(pointOf(event)))
      },
    },
    handlers: {
      onNodeContextMenu,
      onEdgeContextMenu,
      onEdgeClick,
      onNodeDoubleClick,
      onPaneContextMenu: (event: MouseEvent | globalThis.MouseEvent) => {
        event.preventDefault()
        const screen = pointOf(event)
        const target = { kind: 'canvas', at: screenToFlowPosition(screen) } as const
        canvas.getState().set({ overlay: { kind: 'menu', screen, target } })
      },
    },
  }
}

const pointOf = ({ clientX: x, clientY: y }: Pick<globalThis.MouseEvent, 'clientX' | 'clientY'>): Point => ({ x, y })

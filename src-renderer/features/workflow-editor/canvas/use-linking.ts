import {
  type Connection,
  type FinalConnectionState,
  type OnConnectStart,
  type OnEdgesChange,
  useReactFlow,
} from '@xyflow/react'
import { useMemo, useRef } from 'react'
import {
  type LinkEnd,
  SUBGRAPH_INPUT,
  SUBGRAPH_OUTPUT,
} from '../../../../src-main/features/workflows/rules/document/document.ts'
import { addBoundarySlot } from '../../../../src-main/features/workflows/rules/edit/boundary.ts'
import {
  canConnect,
  connect,
  type InputEnd,
  moveLinks,
} from '../../../../src-main/features/workflows/rules/edit/connect.ts'
import type { GraphAddress } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import { removeLinks } from '../../../../src-main/features/workflows/rules/edit/remove.ts'
import { useApp } from '../../../store/app-context.ts'
import type { Flow } from '../graph/flow-graph.ts'
import { type FlowLink, inputHandle } from '../graph/flow-types.ts'
import { inputEnd, inputType, outputEnd, outputType, viewOf, widgetEnd } from '../graph/links.ts'
import { fittingInputs, fittingOutputs, makeLink, refuseLink } from '../graph/make-link.ts'
import { type LooseLink, type Point, useCanvas, useCanvasStore } from '../store/canvas-store.ts'
import { useTab } from '../store/editor-store.ts'

/** `taken`: the detached link; `moves`: all links of the output. */
type Drawing = { readonly loose: LooseLink; readonly taken?: string; readonly moves: boolean }

export function useLinking(address: GraphAddress, flow: Flow) {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  const { store: app } = useApp()
  const { screenToFlowPosition } = useReactFlow()
  const selected = useCanvas((state) => state.links)
  const drawing = useRef<Drawing>(undefined)

  const links = useMemo(
    () =>
      selected.size === 0
        ? flow.links
        : flow.links.map((link) => (selected.has(link.id) ? { ...link, selected: true } : link)),
    [flow.links, selected],
  )

  const ports = { editor, canvas, app }
  const refuse = (why: string) => refuseLink(ports, why)
  const tryConnect = (from: LinkEnd, to: InputEnd, taken?: string) => makeLink(ports, address, { from, to, taken })

  const onConnectStart: OnConnectStart = (event, { nodeId, handleId, handleType }) => {
    const node = flow.byId.get(nodeId ?? '')
    const moves = 'shiftKey' in event && event.shiftKey
    if (handleType === 'source') {
      const from = outputEnd(node, handleId)
      if (from === undefined) return
      drawing.current = { loose: { side: 'output', from, type: outputType(node, from.slot) }, moves }
    } else {
      const to = inputEnd(node, handleId)
      if (to === undefined) return
      const taken = flow.links.find(({ target, targetHandle }) => target === nodeId && targetHandle === handleId)
      const from = outputEnd(flow.byId.get(taken?.source ?? ''), taken?.sourceHandle)
      drawing.current =
        taken === undefined || from === undefined
          ? { loose: { side: 'input', to, type: inputType(node, to) }, moves: false }
          : { loose: { side: 'output', from, type: taken.data?.type ?? '*' }, taken: taken.id, moves: false }
    }
    canvas.getState().set({ loose: drawing.current.loose })
  }

  const endsOf = ({ source, sourceHandle, target, targetHandle }: Connection | FlowLink) => ({
    from: outputEnd(flow.byId.get(source), sourceHandle),
    to: inputEnd(flow.byId.get(target), targetHandle),
  })

  const onConnect = (connection: Connection) => {
    const { from, to } = endsOf(connection)
    if (from !== undefined && to !== undefined && drawing.current?.moves !== true) tryConnect(from, to)
  }

  const onConnectEnd = (event: globalThis.MouseEvent | TouchEvent, state: FinalConnectionState) => {
    const drawn = drawing.current
    drawing.current = undefined
    canvas.getState().set({ loose: undefined })
    if (drawn === undefined || (state.isValid === true && !drawn.moves)) return
    const { clientX = 0, clientY = 0 } = ('clientX' in event ? event : event.changedTouches[0]) ?? {}
    letGo(drawn, { x: clientX, y: clientY })
  }

  function letGo(drawn: Drawing, screen: Point) {
    const { node, handle, widget } = dropTargetAt(screen)
    const onNode = flow.byId.get(node ?? '')
    const { loose } = drawn
    if (onNode === undefined) return letGoOnNothing(drawn, screen)
    if (loose.side === 'output') {
      const to = inputEnd(onNode, handle)
      if (to !== undefined) return isSameInput(drawn, to) ? undefined : tryConnect(loose.from, to, drawn.taken)
      if (onNode.type === 'boundary') return addBoundary(loose, drawn.taken)
      const out = outputEnd(onNode, handle)
      if (out !== undefined && drawn.moves) return moveAllLinks(loose.from, out)
      const ofWidget = widget === undefined ? undefined : widgetEnd(onNode, widget)
      if (ofWidget !== undefined) return tryConnect(loose.from, ofWidget, drawn.taken)
      const [first, ...more] = fittingInputs(onNode, loose.type)
      if (first === undefined) return refuse(`${titleOf(onNode)} has no input for ${loose.type}.`)
      if (more.length === 0) return tryConnect(loose.from, first.end, drawn.taken)
      return canvas.getState().set({ overlay: { kind: 'input', screen, link: loose, node: onNode.id } })
    }
    if (onNode.type === 'boundary' && handle === undefined) return addBoundary(loose)
    const from = outputEnd(onNode, handle) ?? fittingOutputs(onNode, loose.type)[0]?.end
    if (from === undefined)
      return refuse(`${titleOf(onNode)} has no output for ${loose.to.name}, which needs ${loose.type}.`)
    tryConnect(from, loose.to)
  }

  function letGoOnNothing({ loose, taken, moves }: Drawing, screen: Point) {
    if (moves) return
    if (taken === undefined)
      return canvas.getState().set({ overlay: { kind: 'add', screen, at: screenToFlowPosition(screen), link: loose } })
    editor.getState().edit('Remove a link', (document) => removeLinks(document, address, new Set([taken])))
    canvas.getState().say('The link is removed.')
  }

  /** Dropping on a subgraph's edge adds an input or output. */
  function addBoundary(loose: LooseLink, taken?: string) {
    if (address === undefined) return
    const { types, edit } = editor.getState()
    const isOut = loose.side === 'output'
    const node = flow.byId.get(isOut ? loose.from.node : loose.to.node)
    const name = isOut ? (viewOf(node)?.outputs[loose.from.slot]?.name ?? loose.type) : loose.to.name
    const label = isOut ? 'Add an output to the subgraph' : 'Add an input to the subgraph'
    edit(label, (before) => {
      const without = taken === undefined ? before : removeLinks(before, address, new Set([taken]))
      const side = isOut ? 'outputs' : 'inputs'
      const added = addBoundarySlot(without, address, { side, id: crypto.randomUUID(), name, type: loose.type })
      if (added.slot < 0) return before
      const ends = isOut
        ? { from: loose.from, to: { node: SUBGRAPH_OUTPUT, name, slot: added.slot } }
        : { from: { node: SUBGRAPH_INPUT, slot: added.slot }, to: loose.to }
      return connect(added.document, address, { ...ends, types })
    })
    canvas.getState().say(`${label}.`)
  }

  function moveAllLinks(from: LinkEnd, to: LinkEnd) {
    const { types, edit } = editor.getState()
    edit('Move links', (document) => moveLinks(document, address, { from, to, types }))
  }

  function isSameInput({ taken }: Drawing, to: InputEnd): boolean {
    const link = flow.links.find(({ id }) => id === taken)
    return link !== undefined && link.target === to.node && link.targetHandle === inputHandle(to.slot, to.name)
  }

  const isValidConnection = (connection: Connection | FlowLink) => {
    const { from, to } = endsOf(connection)
    if (from === undefined || to === undefined) return false
    const { document, types } = editor.getState()
    return canConnect(document, address, { from, to, types }).can
  }

  const onEdgesChange: OnEdgesChange<FlowLink> = (changes) => {
    const next = new Set(canvas.getState().links)
    for (const change of changes) {
      if (change.type !== 'select') continue
      if (change.selected) next.add(change.id)
      else next.delete(change.id)
    }
    canvas.getState().set({ links: next })
  }

  const handlers = { onConnectStart, onConnect, onConnectEnd, isValidConnection, onEdgesChange }
  return { links, handlers }
}

const titleOf = (node: Parameters<typeof viewOf>[0]) => viewOf(node)?.title ?? 'This'

function dropTargetAt({ x, y }: Point) {
  const element = document.elementFromPoint(x, y)
  const read = (selector: string, attribute: string) => element?.closest(selector)?.getAttribute(attribute) ?? undefined
  return {
    node: read('.react-flow__node', 'data-id'),
    handle: read('.react-flow__handle', 'data-handleid'),
    widget: read('[data-widget]', 'data-widget'),
  }
}

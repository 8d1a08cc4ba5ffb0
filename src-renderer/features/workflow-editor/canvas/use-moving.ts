import type { NodeChange, OnNodeDrag, OnNodesChange, XYPosition } from '@xyflow/react'
import { type MouseEvent, useMemo, useRef, useState } from 'react'
import type { WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import type { Pair } from '../../../../src-main/features/workflows/rules/document/fields.ts'
import { duplicate } from '../../../../src-main/features/workflows/rules/edit/clipboard.ts'
import { insertIntoLink } from '../../../../src-main/features/workflows/rules/edit/connect.ts'
import type { GraphAddress } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import { setGroup } from '../../../../src-main/features/workflows/rules/edit/groups.ts'
import { moveNodes } from '../../../../src-main/features/workflows/rules/edit/node-fields.ts'
import { moveReroutes } from '../../../../src-main/features/workflows/rules/edit/reroutes.ts'
import type { Flow } from '../graph/flow-graph.ts'
import {
  type CanvasNode,
  type FlowLink,
  groupIndex,
  isDocumentNode,
  waypointId,
  waypointPosition,
} from '../graph/flow-types.ts'
import { type Box, TITLE } from '../graph/geometry.ts'
import { endsOfLink, viewOf } from '../graph/links.ts'
import { useCanvas, useCanvasStore } from '../store/canvas-store.ts'
import { selectNodes, useEditor, useTab } from '../store/editor-store.ts'

type Held = { readonly x: number; readonly y: number; readonly width?: number; readonly height?: number }

export function useMoving(address: GraphAddress, flow: Flow) {
  const { editor } = useTab()
  const canvas = useCanvasStore()
  const selection = useEditor((state) => state.selection)
  const things = useCanvas((state) => state.things)
  const [held, setHeld] = useState<ReadonlyMap<string, Held>>(NOTHING)
  // The selection before a Shift box selection, which adds to it.
  const selectedBefore = useRef<ReadonlySet<string>>(NONE)

  const nodes = useMemo(() => {
    if (selection.size + things.size + held.size === 0) return flow.nodes
    return flow.nodes.map((node) => {
      const isSelected = selection.has(node.id) || things.has(node.id)
      const position = held.get(node.id)
      if (!isSelected && position === undefined) return node
      return { ...node, selected: isSelected, ...(position === undefined ? {} : movedTo(position)) } as CanvasNode
    })
  }, [flow.nodes, selection, things, held])

  const onNodesChange: OnNodesChange<CanvasNode> = (changes) => {
    const next = heldAfter(changes, held, flow)
    if (next !== held) setHeld(next)
    const selects = changes.filter((change) => change.type === 'select')
    if (selects.length > 0) selectAll(selects)
  }

  function selectAll(changes: readonly { readonly id: string; readonly selected: boolean }[]) {
    const chosen = new Set(editor.getState().selection)
    const others = new Set(canvas.getState().things)
    for (const { id, selected } of changes) {
      const into = isDocumentNode(flow.byId.get(id)) ? chosen : others
      if (selected || selectedBefore.current.has(id)) into.add(id)
      else into.delete(id)
    }
    if (!isSame(chosen, editor.getState().selection)) editor.getState().select(chosen)
    if (!isSame(others, canvas.getState().things)) canvas.getState().set({ things: others })
  }

  const onNodeDragStop: OnNodeDrag<CanvasNode> = (event, node, dragged) => {
    setHeld(NOTHING)
    const positions = new Map(dragged.map(({ id, position }) => [id, position]))
    const moves = positionsToMove(flow, positions)
    if (moves.size === 0) return
    const { edit, select } = editor.getState()
    if ('altKey' in event && event.altKey) return copyThere(moves)
    edit(moves.size === 1 ? 'Move a node' : `Move ${moves.size} nodes`, (document) => {
      const moved = moveAll(document, flow, moves)
      return dragged.length === 1 ? inserted(moved, node, node.position) : moved
    })
    if (!selection.has(node.id) && flow.byId.get(node.id)?.type === 'node') select([node.id])
  }

  function copyThere(moves: ReadonlyMap<string, XYPosition>) {
    const ids = new Set([...moves.keys()].filter((id) => groupIndex(id) === undefined && waypointId(id) === undefined))
    const groups = new Set([...moves.keys()].flatMap((id) => groupIndex(id) ?? []))
    const positions = [...moves].flatMap(([id, position]) => (waypointId(id) === undefined ? position : []))
    const pos = [Math.min(...positions.map(({ x }) => x)), Math.min(...positions.map(({ y }) => y))] as const
    if (positions.length === 0) return
    let made: readonly string[] = []
    editor.getState().edit(`Copy ${ids.size === 1 ? 'a node' : `${ids.size} nodes`}`, (document) => {
      const newUuid = () => crypto.randomUUID()
      const copy = duplicate(document, address, ids, { groups, pos, keepInbound: true, newUuid })
      made = [...copy.ids.values()]
      return copy.document
    })
    selectNodes({ editor, canvas }, made)
  }

  function inserted(document: WorkflowDocument, node: CanvasNode, position: XYPosition): WorkflowDocument {
    const view = viewOf(node)
    const isLinked =
      view?.inputs.some(({ link }) => link !== undefined) || view?.outputs.some(({ links }) => links.length > 0)
    if (view === undefined || isLinked) return document
    const { types } = editor.getState()
    const under = linksUnder(flow, { ...position, width: node.width ?? 0, height: node.height ?? 0 })
    for (const linkId of under) {
      const changed = insertIntoLink(document, address, { linkId, nodeId: node.id, types })
      if (changed !== document) return changed
    }
    return document
  }

  return {
    nodes,
    handlers: { onNodesChange, onNodeDragStop },
    onBoxStart(event: MouseEvent) {
      selectedBefore.current = event.shiftKey ? new Set([...selection, ...things]) : NONE
      if (event.shiftKey) editor.getState().select(selection)
    },
    onBoxEnd(): ReadonlySet<string> {
      const before = selectedBefore.current
      selectedBefore.current = NONE
      return before
    },
  }
}

const NOTHING: ReadonlyMap<string, Held> = new Map()
const NONE: ReadonlySet<string> = new Set()

function movedTo({ x, y, width, height }: Held): Partial<CanvasNode> {
  if (width === undefined || height === undefined) return { position: { x, y } }
  return { position: { x, y }, width, height, measured: { width, height } }
}

function heldAfter(changes: readonly NodeChange<CanvasNode>[], held: ReadonlyMap<string, Held>, flow: Flow) {
  let next: Map<string, Held> | undefined
  const put = (id: string, position: Held) => {
    next ??= new Map(held)
    next.set(id, { ...next.get(id), ...position })
  }
  for (const change of changes) {
    const node = 'id' in change ? flow.byId.get(change.id) : undefined
    if (node === undefined) continue
    if (change.type === 'position' && change.position !== undefined && change.dragging === true) {
      put(node.id, change.position)
      if (node.type === 'box') for (const [id, position] of membersOf(node, change.position, flow)) put(id, position)
    }
    if (change.type === 'dimensions' && change.dimensions !== undefined && change.resizing === true)
      put(node.id, { ...(held.get(node.id) ?? node.position), ...change.dimensions })
    if (change.type === 'dimensions' && change.resizing === false) {
      next ??= new Map(held)
      next.delete(node.id)
    }
  }
  return next ?? held
}

function membersOf(group: Extract<CanvasNode, { type: 'box' }>, to: XYPosition, { byId }: Flow) {
  const [x, y] = [to.x - group.position.x, to.y - group.position.y]
  return group.data.members.flatMap((id) => {
    const { position } = byId.get(id) ?? {}
    return position === undefined ? [] : [[id, { x: position.x + x, y: position.y + y }] as const]
  })
}

function positionsToMove(flow: Flow, positions: ReadonlyMap<string, XYPosition>): ReadonlyMap<string, XYPosition> {
  const moves = new Map<string, XYPosition>()
  for (const [id, position] of positions) {
    const node = flow.byId.get(id)
    if (node === undefined || (node.position.x === position.x && node.position.y === position.y)) continue
    moves.set(id, position)
    if (node.type === 'box') for (const [member, to] of membersOf(node, position, flow)) moves.set(member, to)
  }
  return moves
}

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>) => one.symmetricDifference(other).size === 0

/** Ids of the links under a dropped node: those whose middle is within its box, nearest first. */
export function linksUnder({ links, byId }: Pick<Flow, 'links' | 'byId'>, box: Box): readonly string[] {
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  return links
    .flatMap((link) => {
      const at = middleOfLink(link, byId)
      const isIn =
        at !== undefined && at.x > box.x && at.x < box.x + box.width && at.y > box.y && at.y < box.y + box.height
      return isIn ? [{ id: link.id, away: Math.hypot(at.x - middle.x, at.y - middle.y) }] : []
    })
    .sort((one, other) => one.away - other.away)
    .map(({ id }) => id)
}

// Curves are symmetric; with points, the middle one counts.
function middleOfLink(link: FlowLink, byId: Flow['byId']) {
  const points = link.data?.points ?? []
  const point = points[Math.floor(points.length / 2)]
  if (point !== undefined) return { x: point.pos[0], y: point.pos[1] }
  const ends = endsOfLink(link, byId)
  return ends && { x: (ends.from.x + ends.to.x) / 2, y: (ends.from.y + ends.to.y) / 2 }
}

export function moveAll(document: WorkflowDocument, flow: Flow, positions: ReadonlyMap<string, XYPosition>) {
  const at = flow.address
  const nodes = new Map<string, Pair>()
  const points = new Map<string, Pair>()
  let moved = document
  for (const [id, { x, y }] of positions) {
    const one = flow.byId.get(id)
    const point = waypointId(id)
    if (one?.type === 'node') nodes.set(id, [x, y + TITLE])
    else if (one?.type === 'reroute') nodes.set(id, [x, y])
    else if (one?.type === 'waypoint' && point !== undefined) points.set(point, waypointPosition(x, y))
    else if (one?.type === 'box') {
      const { bounds } = one.data
      moved = setGroup(moved, at, one.data.index, { bounds: { ...bounds, x, y } })
    }
  }
  if (nodes.size > 0) moved = moveNodes(moved, at, nodes)
  return points.size > 0 ? moveReroutes(moved, at, points) : moved
}

import { isObject, type JsonObject, withKey } from '../../../../lib/json/value.ts'
import { type GraphNode, MODE, type WorkflowDocument } from '../document/document.ts'
import type { Pair } from '../document/fields.ts'
import { changeNodes, type GraphAddress } from './graph-at.ts'

export type NodeMode = 'always' | 'mute' | 'bypass'

const MODES: Readonly<Record<NodeMode, number>> = { always: 0, mute: MODE.mute, bypass: MODE.bypass }

/** @param positions upper left corners by id, in canvas px */
export function moveNodes(
  document: WorkflowDocument,
  at: GraphAddress,
  positions: ReadonlyMap<string, Pair>,
): WorkflowDocument {
  return changeNodes(document, at, new Set(positions.keys()), (node) => {
    const pos = positions.get(node.id ?? '')
    return pos === undefined || (pos[0] === node.pos?.[0] && pos[1] === node.pos[1]) ? node : { ...node, pos }
  })
}

/** @param size in canvas px, without the title bar */
export function resizeNode(document: WorkflowDocument, at: GraphAddress, id: string, size: Pair): WorkflowDocument {
  return changeNodes(document, at, new Set([id]), (node) =>
    node.size?.[0] === size[0] && node.size[1] === size[1] ? node : { ...node, size },
  )
}

export function setTitle(
  document: WorkflowDocument,
  at: GraphAddress,
  id: string,
  title: string | undefined,
): WorkflowDocument {
  return changeNodes(document, at, new Set([id]), (node) => (node.title === title ? node : { ...node, title }))
}

export type NodeColours = { readonly color: string | undefined; readonly bgcolor: string | undefined }

export function setColour(
  document: WorkflowDocument,
  at: GraphAddress,
  ids: ReadonlySet<string>,
  { color, bgcolor }: NodeColours,
): WorkflowDocument {
  return changeNodes(document, at, ids, (node) =>
    node.color === color && node.bgcolor === bgcolor ? node : { ...node, color, bgcolor },
  )
}

export function setMode(
  document: WorkflowDocument,
  at: GraphAddress,
  ids: ReadonlySet<string>,
  mode: NodeMode,
): WorkflowDocument {
  return changeNodes(document, at, ids, (node) => (modeOf(node) === mode ? node : { ...node, mode: MODES[mode] }))
}

export function modeOf({ mode }: GraphNode): NodeMode {
  return mode === MODE.mute ? 'mute' : mode === MODE.bypass ? 'bypass' : 'always'
}

export function setCollapsed(
  document: WorkflowDocument,
  at: GraphAddress,
  ids: ReadonlySet<string>,
  isCollapsed: boolean,
): WorkflowDocument {
  return changeNodes(document, at, ids, (node) => withFlag(node, 'collapsed', isCollapsed))
}

export function setPinned(
  document: WorkflowDocument,
  at: GraphAddress,
  ids: ReadonlySet<string>,
  isPinned: boolean,
): WorkflowDocument {
  return changeNodes(document, at, ids, (node) => withFlag(node, 'pinned', isPinned))
}

// A flag that is off is left out, as in ComfyUI's editor.
function withFlag(node: GraphNode, flag: string, isOn: boolean): GraphNode {
  const flags: JsonObject = isObject(node.flags) ? node.flags : new Map()
  if ((flags.get(flag) === true) === isOn) return node
  return { ...node, flags: withKey(flags, flag, isOn ? true : undefined) }
}

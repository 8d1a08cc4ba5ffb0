/** What the ends of links are called on the canvas, and what they are in the document. */
import type { LinkEnd } from '../../../../src-main/domain/workflow/document/links.ts'
import type { InputEnd } from '../../../../src-main/domain/workflow/edit/connect.ts'
import type { InputView, NodeView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import type { Point } from '../store/canvas-store.ts'
import { type CanvasNode, type FlowLink, isDocumentNode } from './flow-types.ts'

/** An output: by its node and its name on the canvas; undefined where it is none. */
export function outputEnd(node: CanvasNode | undefined, handle: string | null | undefined): LinkEnd | undefined {
  const slot = /^o(\d+)$/.exec(handle ?? '')?.[1]
  return node === undefined || slot === undefined ? undefined : { node: node.id, slot: Number(slot) }
}

/** An input; undefined where it is none. */
export function inputEnd(node: CanvasNode | undefined, handle: string | null | undefined): InputEnd | undefined {
  if (node === undefined || handle == null) return undefined
  if (handle.startsWith('+')) return { node: node.id, name: handle.slice(1) }
  const slot = /^i(\d+)$/.exec(handle)?.[1]
  if (slot === undefined) return undefined
  const at = Number(slot)
  const name =
    node.type === 'boundary' ? node.data.slots[at]?.name : viewOf(node)?.inputs.find((one) => one.at === at)?.name
  return name === undefined ? undefined : { node: node.id, name, slot: at }
}

/** The input that a widget becomes when something is linked to it; undefined where it takes no link. */
export function widgetEnd(node: CanvasNode | undefined, name: string): InputEnd | undefined {
  const view = viewOf(node)
  const slot = view?.inputs.find((one) => one.name === name)
  if (view === undefined || slot !== undefined) return view && slot && endOfInput(view.id, slot)
  const widget = view.widgets.find((one) => one.name === name && one.kind === 'input')
  return widget?.input === undefined ? undefined : { node: view.id, name }
}

/** The type of an output; `*` where nobody knows. */
export function outputType(node: CanvasNode | undefined, slot: number): string {
  if (node?.type === 'boundary') return node.data.slots[slot]?.type ?? '*'
  return viewOf(node)?.outputs[slot]?.type ?? '*'
}

/** The type of an input. */
export function inputType(node: CanvasNode | undefined, { name, slot }: InputEnd): string {
  if (node?.type === 'boundary') return node.data.slots[slot ?? -1]?.type ?? '*'
  return viewOf(node)?.inputs.find((one) => one.name === name)?.type ?? '*'
}

/** The view of a node; undefined for what is none. */
export const viewOf = (node: CanvasNode | undefined): NodeView | undefined =>
  isDocumentNode(node) ? node.data.view : undefined

/**
 * Where a link begins and ends, px of the canvas.
 * @returns undefined where one of its ends is not drawn
 */
export function placesOfLink(
  { source, sourceHandle, target, targetHandle }: FlowLink,
  byId: ReadonlyMap<string, CanvasNode>,
): { readonly from: Point; readonly to: Point } | undefined {
  const [from, to] = [placeOfHandle(byId.get(source), sourceHandle), placeOfHandle(byId.get(target), targetHandle)]
  return from && to && { from, to }
}

function placeOfHandle(node: CanvasNode | undefined, name: string | null | undefined): Point | undefined {
  const handle = node?.handles?.find(({ id }) => id === name)
  return node && handle && { x: node.position.x + handle.x, y: node.position.y + handle.y }
}

/** An input of a view, as the end of a link. */
export const endOfInput = (node: string, { at, name }: InputView): InputEnd =>
  at === undefined ? { node, name } : { node, name, slot: at }

import type { LinkEnd } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { canConnect, connect, type InputEnd } from '../../../../src-main/features/workflows/rules/edit/connect.ts'
import type { GraphAddress } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import { removeLinks } from '../../../../src-main/features/workflows/rules/edit/remove.ts'
import { isAny, typesFit } from '../../../../src-main/features/workflows/rules/input-type.ts'
import type { NodeView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import type { AppStore } from '../../../store/app-store.ts'
import type { CanvasStore } from '../store/canvas-store.ts'
import type { EditorStore } from '../store/editor-store.ts'
import type { CanvasNode } from './flow-types.ts'
import { endOfInput, viewOf } from './links.ts'

export type LinkPorts = {
  readonly editor: EditorStore
  readonly canvas: CanvasStore
  readonly app: Pick<AppStore, 'getState'>
}

/** @param ends.taken id of the link whose end was dragged, which is removed */
export function makeLink(
  ports: LinkPorts,
  address: GraphAddress,
  { from, to, taken }: { readonly from: LinkEnd; readonly to: InputEnd; readonly taken?: string | undefined },
) {
  const { document, types, edit } = ports.editor.getState()
  const result = canConnect(document, address, { from, to, types })
  if (!result.can) return refuseLink(ports, result.why)
  edit('Link', (before) => {
    const without = taken === undefined ? before : removeLinks(before, address, new Set([taken]))
    return connect(without, address, { from, to, types })
  })
  ports.canvas.getState().say(`Linked to ${to.name}.`)
}

export function refuseLink({ canvas, app }: Pick<LinkPorts, 'canvas' | 'app'>, why: string): void {
  canvas.getState().say(why)
  app.getState().notify({ kind: 'error', text: why })
}

type Slot = { readonly name: string; readonly type: string; readonly isLinked: boolean }

export function fittingInputs(node: CanvasNode, type: string) {
  const view = viewOf(node)
  if (view === undefined) return []
  const slots = view.inputs.map((input) => {
    return { end: endOfInput(view.id, input), name: input.label, type: input.type, isLinked: input.link !== undefined }
  })
  return ranked([...slots, ...widgetSlots(view)], type)
}

// A widget without a slot gets one when linked.
function widgetSlots(view: NodeView) {
  const names = new Set(view.inputs.map(({ name }) => name))
  return view.widgets.flatMap(({ name, kind, input }) => {
    if (kind !== 'input' || input === undefined || names.has(name)) return []
    return [{ end: { node: view.id, name }, name, type: input.type, isLinked: false }]
  })
}

export function fittingOutputs(node: CanvasNode, type: string) {
  const view = viewOf(node)
  if (view === undefined) return []
  const slots = view.outputs.map(({ at, label, type: slotType, links }) => {
    return { end: { node: view.id, slot: at }, name: label, type: slotType, isLinked: links.length > 0 }
  })
  return ranked(slots, type)
}

function ranked<Fitting extends Slot>(slots: readonly Fitting[], type: string): readonly Fitting[] {
  const rank = (slot: Slot) => (isAny(slot.type) ? 2 : 0) + (slot.isLinked ? 1 : 0)
  return slots.filter((slot) => typesFit(slot.type, type)).sort((one, other) => rank(one) - rank(other))
}

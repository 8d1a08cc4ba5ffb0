import type { LinkEnd } from '../../../../src-main/domain/workflow/document/links.ts'
import type { InputEnd } from '../../../../src-main/domain/workflow/edit/connect.ts'
import { isAny, typesFit } from '../../../../src-main/domain/workflow/match-types.ts'
import type { NodeView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import type { CanvasNode } from './flow-types.ts'
import { endOfInput, viewOf } from './link-ends.ts'

/** A slot that a link may end at. */
export type FittingSlot<End> = {
  readonly end: End
  readonly name: string
  readonly type: string
  readonly isLinked: boolean
}

/** The inputs of a node that a link of a type fits: those of that very type and free ones first. */
export function fittingInputs(node: CanvasNode, type: string): readonly FittingSlot<InputEnd>[] {
  const view = viewOf(node)
  if (view === undefined) return []
  const slots = view.inputs.map((input) => {
    return { end: endOfInput(view.id, input), name: input.label, type: input.type, isLinked: input.link !== undefined }
  })
  return ranked([...slots, ...widgetSlots(view)], type)
}

// A widget that has no slot yet gets one with its link.
function widgetSlots(view: NodeView): readonly FittingSlot<InputEnd>[] {
  const names = new Set(view.inputs.map(({ name }) => name))
  return view.widgets.flatMap(({ name, kind, input }) =>
    kind !== 'input' || input === undefined || names.has(name)
      ? []
      : [{ end: { node: view.id, name }, name, type: input.type, isLinked: false }],
  )
}

/** The outputs of a node that fit an input of a type. */
export function fittingOutputs(node: CanvasNode, type: string): readonly FittingSlot<LinkEnd>[] {
  const view = viewOf(node)
  if (view === undefined) return []
  const slots = view.outputs.map(({ at, label, type: slotType, links }) => {
    return { end: { node: view.id, slot: at }, name: label, type: slotType, isLinked: links.length > 0 }
  })
  return ranked(slots, type)
}

function ranked<End>(slots: readonly FittingSlot<End>[], type: string): readonly FittingSlot<End>[] {
  // What takes anything is offered after what takes just this.
  const rank = (slot: FittingSlot<End>) => (isAny(slot.type) ? 2 : 0) + (slot.isLinked ? 1 : 0)
  return slots.filter((slot) => typesFit(slot.type, type)).sort((one, other) => rank(one) - rank(other))
}

/** A node on its way from the palette to the canvas. */
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import type { Addable } from './addable.ts'

const TYPE = 'application/x-drydock-node'

// A class by its name: the endpoint of the canvas may know another one under it.
type Dragged = Exclude<Addable, { kind: 'class' }> | { readonly kind: 'class'; readonly name: string }

/** Puts what is dragged into the hand. */
export function writeDragged(into: DataTransfer, what: Addable): void {
  into.setData(TYPE, JSON.stringify(what.kind === 'class' ? { kind: what.kind, name: what.type.name } : what))
  into.effectAllowed = 'copy'
}

/** Whether a node is dragged. */
export const isDraggedNode = ({ types }: DataTransfer): boolean => types.includes(TYPE)

/** What is dragged; undefined where it is none of ours. @param types classes that are known here */
export function readDragged(from: DataTransfer, types: NodeTypes): Addable | undefined {
  const text = from.getData(TYPE)
  if (text === '') return undefined
  const dragged: Dragged = JSON.parse(text)
  if (dragged.kind !== 'class') return dragged
  const type = types.get(dragged.name)
  return type && { kind: 'class', type }
}

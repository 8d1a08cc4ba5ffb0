/** A node on its way from the palette to the canvas. */
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import type { Addable } from './use-add-node.ts'

const TYPE = 'application/x-drydock-node'

/** Puts what is dragged into the hand. */
export function writeDragged(into: DataTransfer, what: Addable): void {
  const name = what.kind === 'class' ? what.type.name : what.kind === 'subgraph' ? what.definition : ''
  into.setData(TYPE, JSON.stringify({ kind: what.kind, name }))
  into.effectAllowed = 'copy'
}

/** Whether a node is dragged. */
export const isDraggedNode = ({ types }: DataTransfer): boolean => types.includes(TYPE)

/** What is dragged; undefined where it is none of ours. @param types classes that are known here */
export function readDragged(from: DataTransfer, types: NodeTypes): Addable | undefined {
  const text = from.getData(TYPE)
  if (text === '') return undefined
  const { kind, name }: { readonly kind: Addable['kind']; readonly name: string } = JSON.parse(text)
  if (kind === 'class') {
    const type = types.get(name)
    return type && { kind, type }
  }
  return kind === 'subgraph' ? { kind, definition: name, name } : { kind }
}

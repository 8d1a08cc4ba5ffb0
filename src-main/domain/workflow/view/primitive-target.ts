import type { Graph, GraphNode } from '../document/document.ts'
import { linkById, nodeById } from '../document/index-of.ts'
import { realTarget } from '../document/real-target.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import type { InputType } from '../input-type.ts'
import type { NodeTypes } from '../node-types.ts'

/** What a primitive gives its value to: the input of the node at the other end of its first link that is known. */
export function primitiveTarget(graph: Graph, primitive: GraphNode, types: NodeTypes): InputType | undefined {
  for (const id of primitive.outputs.items[0]?.links ?? []) {
    const link = linkById(graph, id)
    const node = link && nodeById(graph, link.to.node)
    const slot = link && node?.inputs.items[realTarget(link, node).to.slot]
    const name = slot?.widget ?? slot?.name
    const input = (node && typeOfNode(node, types))?.inputs.find((one) => one.name === name)
    if (input !== undefined) return input
  }
  return undefined
}

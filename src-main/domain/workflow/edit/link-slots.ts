/** Slots of a graph as links see them: what they are called, of what type they are, and where they are. */
import { type GraphNode, SUBGRAPH_INPUT } from '../document/document.ts'
import type { LinkEnd } from '../document/links.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import { type InputType, isWidget } from '../input-type.ts'
import type { NodeTypes } from '../node-types.ts'
import type { GraphDraft } from './draft.ts'

/** A slot as a link sees it. `of`: what it is called, for a person. */
export type LinkSlot = { readonly name: string; readonly type: string; readonly of: string }

/** The slot that a link begins at; undefined where it is not there. */
export function originOf(draft: GraphDraft, { node: id, slot }: LinkEnd, types: NodeTypes): LinkSlot | undefined {
  if (id === SUBGRAPH_INPUT) return boundarySlot(draft, 'inputs', slot)
  const node = draft.nodes.get(id)
  if (node === undefined) return undefined
  const found = node.outputs.items[slot] ?? declaredOutputs(draft, node, types)[slot]
  return found && { name: found.name ?? '', type: found.type, of: called(draft, node, types) }
}

/** The outputs that a node has by its class, or by its subgraph. */
export function declaredOutputs(
  draft: GraphDraft,
  { type = '' }: GraphNode,
  types: NodeTypes,
): readonly { readonly name: string | undefined; readonly type: string }[] {
  return types.get(type)?.outputs ?? draft.definition(type)?.outputs.items ?? []
}

/** A slot of the subgraph that is edited; undefined where it is not there. */
export function boundarySlot(draft: GraphDraft, side: 'inputs' | 'outputs', at: number): LinkSlot | undefined {
  const slot = draft.boundary(side)[at]
  return slot && { name: slot.name ?? '', type: slot.type, of: 'the subgraph' }
}

/** What a node is called. */
export const called = (draft: GraphDraft, { title, type = '' }: GraphNode, types: NodeTypes): string =>
  title ?? draft.definition(type)?.name ?? types.get(type)?.displayName ?? type

/** The place of an input; undefined where the node has no slot for it. */
export function placeOfInput({ inputs }: GraphNode, name: string, slot: number | undefined): number | undefined {
  if (slot !== undefined && inputs.items[slot]?.name === name) return slot
  const at = inputs.items.findIndex((one) => one.name === name)
  return at < 0 ? undefined : at
}

/** What is known of an input without a slot: by the class of the node, or the subgraph that it is an instance of. */
export type Addable = {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
  readonly widget?: string
}

/** An input that a node has no slot for; undefined where neither its class nor its subgraph has it. */
export function inputToAdd(draft: GraphDraft, node: GraphNode, name: string, types: NodeTypes): Addable | undefined {
  const input = typeOfNode(node, types)?.inputs.find((one) => one.name === name)
  if (input !== undefined) return addableInput(input)
  const slot = draft.definition(node.type ?? '')?.inputs.items.find((one) => one.name === name)
  return slot && { name, type: slot.type, isOptional: false }
}

function addableInput(input: InputType): Addable {
  const { name, type, isRequired } = input
  return { name, type, isOptional: !isRequired, ...(isWidget(input) ? { widget: name } : {}) }
}

/** Whether a way of links leads from one node to another. */
export function leadsTo(draft: GraphDraft, start: string, goal: string): boolean {
  const outOf = Map.groupBy(draft.links.all(), ({ from }) => from.node)
  const seen = new Set<string>()
  const waiting = [start]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id === goal) return true
    if (seen.has(id)) continue
    seen.add(id)
    for (const { to } of outOf.get(id) ?? []) waiting.push(to.node)
  }
  return false
}

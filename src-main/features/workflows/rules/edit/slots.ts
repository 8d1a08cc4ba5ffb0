import { isArray, type JsonValue } from '../../../../lib/json/value.ts'
import {
  type GraphNode,
  type InputSlot,
  type Link,
  type LinkEnd,
  type OutputSlot,
  readInputSlot,
  readOutputSlot,
  SUBGRAPH_INPUT,
  SUBGRAPH_OUTPUT,
} from '../document/document.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import { type InputType, isWidget } from '../input-type.ts'
import type { NodeTypes } from '../node-types.ts'
import type { GraphDraft } from './draft.ts'
import { withoutLinkInReroutes } from './reroutes.ts'

export function newInput(input: {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
  readonly widget?: string
}): InputSlot {
  const { name, type, isOptional, widget } = input
  return readInputSlot(
    new Map<string, JsonValue>([
      ['name', name],
      ['type', type],
      ...(isOptional ? [['shape', { number: '7' }] as const] : []),
      ...(widget === undefined ? [] : [['widget', new Map([['name', widget]])] as const]),
      ['link', null],
    ]),
  )
}

export function newOutput({ name, type }: { readonly name: string; readonly type: string }): OutputSlot {
  return readOutputSlot(
    new Map<string, JsonValue>([
      ['name', name],
      ['type', type],
      ['links', null],
    ]),
  )
}

function withInput(node: GraphNode, at: number, change: (slot: InputSlot) => InputSlot): GraphNode {
  const slot = node.inputs.items[at]
  if (slot === undefined) return node
  const changed = change(slot)
  if (changed === slot) return node
  return { ...node, inputs: { ...node.inputs, items: node.inputs.items.with(at, changed) } }
}

function withOutput(node: GraphNode, at: number, change: (slot: OutputSlot) => OutputSlot): GraphNode {
  const slot = node.outputs.items[at]
  if (slot === undefined) return node
  const changed = change(slot)
  if (changed === slot) return node
  return { ...node, outputs: { ...node.outputs, items: node.outputs.items.with(at, changed) } }
}

export function addLink(
  draft: GraphDraft,
  { from, to, type, id }: { readonly from: LinkEnd; readonly to: LinkEnd; readonly type: string; readonly id?: string },
): string {
  const linkId = id ?? draft.newId('link')
  draft.links.put(newLink(draft, { id: linkId, from, to, type }))
  attach(draft, { from, to, id: linkId })
  return linkId
}

function newLink(draft: GraphDraft, link: Omit<Link, 'raw'>): Link {
  const graph = draft.graph()
  const [other] = graph.links.items
  const isVersion1 = 'inputNode' in graph || ('version' in graph && graph.version === 1)
  const isTuple = other === undefined ? !isVersion1 : isArray(other.raw)
  return { ...link, raw: isTuple ? [] : new Map() }
}

type Ends = Pick<Link, 'id' | 'from' | 'to'>

function attach(draft: GraphDraft, { id, from, to }: Ends): void {
  changeOrigin(draft, from, (ids) => (ids.includes(id) ? ids : [...ids, id]))
  if (to.node === SUBGRAPH_OUTPUT) changeBoundary(draft, 'outputs', to.slot, () => [id])
  else changeTarget(draft, to, (slot) => (slot.link === id ? slot : { ...slot, link: id }))
}

export function dropLinks(draft: GraphDraft, ids: Iterable<string>): void {
  for (const id of ids) {
    const link = draft.links.get(id)
    if (link === undefined) continue
    detach(draft, link)
    draft.links.drop(id)
    withoutLinkInReroutes(draft, id)
  }
}

function detach(draft: GraphDraft, { id, from, to }: Ends): void {
  const without = (ids: readonly string[]) => (ids.includes(id) ? ids.filter((one) => one !== id) : ids)
  changeOrigin(draft, from, without)
  if (to.node === SUBGRAPH_OUTPUT) changeBoundary(draft, 'outputs', to.slot, without)
  else leaveTarget(draft, to.node, id)
}

// Found by link, because some files have links that name another index than their slot.
function leaveTarget(draft: GraphDraft, nodeId: string, id: string): void {
  const node = draft.nodes.get(nodeId)
  const at = node?.inputs.items.findIndex(({ link }) => link === id) ?? -1
  if (node !== undefined) draft.nodes.put(withInput(node, at, (slot) => ({ ...slot, link: undefined })))
}

/** Removes the links of a slot that is being removed, and renumbers those of later slots. */
export function closeSlot(draft: GraphDraft, end: 'from' | 'to', { node, slot }: LinkEnd): void {
  const links = draft.links.all().filter((link) => link[end].node === node)
  dropLinks(
    draft,
    links.flatMap((link) => (link[end].slot === slot ? link.id : [])),
  )
  for (const link of links) {
    if (link[end].slot > slot) draft.links.put({ ...link, [end]: { node, slot: link[end].slot - 1 } })
  }
}

export function unlinked(node: GraphNode): GraphNode {
  return {
    ...node,
    inputs: { ...node.inputs, items: node.inputs.items.map((slot) => ({ ...slot, link: undefined })) },
    outputs: { ...node.outputs, items: node.outputs.items.map((slot) => ({ ...slot, links: [] })) },
  }
}

export function moveOrigin(draft: GraphDraft, link: Link, from: LinkEnd): void {
  changeOrigin(draft, link.from, (ids) => ids.filter((one) => one !== link.id))
  draft.links.put({ ...link, from })
  changeOrigin(draft, from, (ids) => [...ids, link.id])
}

type ChangeIds = (ids: readonly string[]) => readonly string[]

function changeOrigin(draft: GraphDraft, from: LinkEnd, change: ChangeIds): void {
  if (from.node === SUBGRAPH_INPUT) {
    changeBoundary(draft, 'inputs', from.slot, change)
    return
  }
  const node = draft.nodes.get(from.node)
  if (node === undefined) return
  draft.nodes.put(
    withOutput(node, from.slot, (slot) => {
      const links = change(slot.links)
      return links === slot.links ? slot : { ...slot, links }
    }),
  )
}

function changeTarget(draft: GraphDraft, to: LinkEnd, change: (slot: InputSlot) => InputSlot): void {
  const node = draft.nodes.get(to.node)
  if (node !== undefined) draft.nodes.put(withInput(node, to.slot, change))
}

function changeBoundary(draft: GraphDraft, side: 'inputs' | 'outputs', at: number, change: ChangeIds): void {
  const slots = draft.boundary(side)
  const slot = slots[at]
  if (slot === undefined) return
  const linkIds = change(slot.linkIds)
  if (linkIds !== slot.linkIds) draft.setBoundary(side, slots.with(at, { ...slot, linkIds }))
}

export type LinkSlot = { readonly name: string; readonly type: string; readonly of: string }

export function originOf(draft: GraphDraft, { node: id, slot }: LinkEnd, types: NodeTypes): LinkSlot | undefined {
  if (id === SUBGRAPH_INPUT) return boundarySlot(draft, 'inputs', slot)
  const node = draft.nodes.get(id)
  if (node === undefined) return undefined
  const found = node.outputs.items[slot] ?? declaredOutputs(draft, node, types)[slot]
  return found && { name: found.name ?? '', type: found.type, of: called(draft, node, types) }
}

export function declaredOutputs(
  draft: GraphDraft,
  { type = '' }: GraphNode,
  types: NodeTypes,
): readonly { readonly name: string | undefined; readonly type: string }[] {
  return types.get(type)?.outputs ?? draft.definition(type)?.outputs.items ?? []
}

export function boundarySlot(draft: GraphDraft, side: 'inputs' | 'outputs', at: number): LinkSlot | undefined {
  const slot = draft.boundary(side)[at]
  return slot && { name: slot.name ?? '', type: slot.type, of: 'the subgraph' }
}

export const called = (draft: GraphDraft, { title, type = '' }: GraphNode, types: NodeTypes): string =>
  title ?? draft.definition(type)?.name ?? types.get(type)?.displayName ?? type

export function slotOfInput({ inputs }: GraphNode, name: string, slot: number | undefined): number | undefined {
  if (slot !== undefined && inputs.items[slot]?.name === name) return slot
  const at = inputs.items.findIndex((one) => one.name === name)
  return at < 0 ? undefined : at
}

type Addable = {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
  readonly widget?: string
}

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

import { isArray, type JsonValue } from '../../../../lib/json/value.ts'
import {
  type BoundarySlot,
  type GraphNode,
  readBoundarySlot,
  SUBGRAPH_INPUT,
  SUBGRAPH_OUTPUT,
  type Subgraph,
  subgraphsOf,
  type WorkflowDocument,
} from '../document/document.ts'
import { promotedWidgets } from '../promoted-widgets.ts'
import { editGraph } from './draft.ts'
import { changeGraph, changeNodes, type GraphAddress } from './graph-at.ts'
import { closeSlot, newInput, newOutput } from './slots.ts'

export type Side = 'inputs' | 'outputs'

export function newBoundarySlot({
  id,
  name,
  type,
}: {
  readonly id: string
  readonly name: string
  readonly type: string
}) {
  return readBoundarySlot(
    new Map<string, JsonValue>([
      ['id', id],
      ['name', name],
      ['type', type],
      ['linkIds', []],
    ]),
  )
}

export function freeName(name: string, slots: readonly { readonly name: string | undefined }[]): string {
  const taken = new Set(slots.map((slot) => slot.name))
  let free = name
  for (let count = 1; taken.has(free); count += 1) free = `${name}_${count}`
  return free
}

export function addBoundarySlot(
  document: WorkflowDocument,
  definition: string,
  slot: { readonly side: Side; readonly id: string; readonly name: string; readonly type: string },
): { readonly document: WorkflowDocument; readonly slot: number } {
  const subgraph = subgraphsOf(document).get(definition)
  if (subgraph === undefined) return { document, slot: -1 }
  const { side, type } = slot
  const name = freeName(slot.name, subgraph[side].items)
  const grown = changeBoundary(document, definition, side, (slots) => [...slots, newBoundarySlot({ ...slot, name })])
  const changed = changeHosts(grown, definition, (host) => {
    if (side === 'inputs') {
      const added = newInput({ name, type, isOptional: false })
      return { ...host, inputs: { ...host.inputs, items: [...host.inputs.items, added] } }
    }
    return { ...host, outputs: { ...host.outputs, items: [...host.outputs.items, newOutput({ name, type })] } }
  })
  return { document: changed, slot: subgraph[side].items.length }
}

/** Changes only the label, as instances are matched by name. */
export function renameBoundarySlot(
  document: WorkflowDocument,
  definition: string,
  { side, slot, label }: { readonly side: Side; readonly slot: number; readonly label: string },
): WorkflowDocument {
  const name = subgraphsOf(document).get(definition)?.[side].items[slot]?.name
  if (name === undefined) return document
  const relabel = <Slot extends { readonly name: string | undefined }>(one: Slot) =>
    one.name === name ? { ...one, label } : one
  const changed = changeBoundary(document, definition, side, (slots) => slots.map(relabel))
  return changeHosts(changed, definition, (host) => {
    if (side === 'inputs') return { ...host, inputs: { ...host.inputs, items: host.inputs.items.map(relabel) } }
    return { ...host, outputs: { ...host.outputs, items: host.outputs.items.map(relabel) } }
  })
}

export function removeBoundarySlot(
  document: WorkflowDocument,
  definition: string,
  { side, slot }: { readonly side: Side; readonly slot: number },
): WorkflowDocument {
  const before = subgraphsOf(document).get(definition)
  const name = before?.[side].items[slot]?.name
  if (before === undefined || name === undefined) return document
  const inside = editGraph(document, definition, (draft) => {
    if (side === 'inputs') closeSlot(draft, 'from', { node: SUBGRAPH_INPUT, slot })
    else closeSlot(draft, 'to', { node: SUBGRAPH_OUTPUT, slot })
    draft.setBoundary(side, draft.boundary(side).toSpliced(slot, 1))
  })
  return graphsWith(inside, definition).reduce(
    (changed, at) => withoutHostSlots(changed, at, { before, side, name }),
    inside,
  )
}

function withoutHostSlots(
  document: WorkflowDocument,
  at: GraphAddress,
  { before, side, name }: { readonly before: Subgraph; readonly side: Side; readonly name: string },
): WorkflowDocument {
  return editGraph(document, at, (draft) => {
    for (const { id = '', type } of draft.nodes.all()) {
      if (type !== before.id) continue
      const index = draft.nodes.get(id)?.[side].items.findIndex((one) => one.name === name) ?? -1
      if (index >= 0) closeSlot(draft, side === 'inputs' ? 'to' : 'from', { node: id, slot: index })
      const host = draft.nodes.get(id)
      if (host === undefined) continue
      const valued = side === 'inputs' ? withoutValue(host, before, name) : host
      draft.nodes.put(index < 0 ? valued : withoutSlot(valued, side, index))
    }
  })
}

function withoutSlot(host: GraphNode, side: Side, index: number): GraphNode {
  if (side === 'outputs')
    return { ...host, outputs: { ...host.outputs, items: host.outputs.items.toSpliced(index, 1) } }
  return { ...host, inputs: { ...host.inputs, items: host.inputs.items.toSpliced(index, 1) } }
}

function withoutValue(host: GraphNode, definition: Subgraph, input: string): GraphNode {
  const { widgetValues } = host
  const at = promotedWidgets(host, definition).find((widget) => widget.at !== undefined && widget.key === input)?.at
  if (at === undefined || !isArray(widgetValues)) return host
  return { ...host, widgetValues: widgetValues.toSpliced(at, 1) }
}

export function setGraphName(document: WorkflowDocument, definition: string, name: string): WorkflowDocument {
  return changeGraph(document, definition, () => ({ name }))
}

export function changeBoundary(
  document: WorkflowDocument,
  definition: string,
  side: Side,
  change: (slots: readonly BoundarySlot[]) => readonly BoundarySlot[],
): WorkflowDocument {
  return changeGraph(document, definition, (graph) => {
    if (!(side in graph)) return {}
    const slots = (graph as Subgraph)[side]
    return { [side]: { ...slots, items: change(slots.items) } }
  })
}

export function changeHosts(
  document: WorkflowDocument,
  definition: string,
  change: (host: GraphNode) => GraphNode,
): WorkflowDocument {
  return graphsWith(document, definition).reduce((changed, at) => {
    const nodes = at === undefined ? changed.nodes : subgraphsOf(changed).get(at)?.nodes
    const ids = new Set(nodes?.items.flatMap(({ id = '', type }) => (type === definition ? id : [])))
    return changeNodes(changed, at, ids, change)
  }, document)
}

function graphsWith(document: WorkflowDocument, definition: string): readonly GraphAddress[] {
  const graphs = [[undefined, document] as const, ...subgraphsOf(document)]
  return graphs.flatMap(([at, { nodes }]) => (nodes.items.some(({ type }) => type === definition) ? [at] : []))
}

import {
  type GraphNode,
  type LinkEnd,
  type OutputSlot,
  SUBGRAPH_OUTPUT,
  type WorkflowDocument,
} from '../document/document.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import { isAny, isWidget, typesFit } from '../input-type.ts'
import type { NodeType, NodeTypes } from '../node-types.ts'
import { editGraph, type GraphDraft } from './draft.ts'
import type { GraphAddress } from './graph-at.ts'
import { addWaypoints } from './graph-parts.ts'
import { reroutesOfLink, shareReroutes, type Waypoint } from './reroutes.ts'
import {
  addLink,
  boundarySlot,
  called,
  declaredOutputs,
  dropLinks,
  inputToAdd,
  type LinkSlot,
  leadsTo,
  moveOrigin,
  newInput,
  newOutput,
  originOf,
  slotOfInput,
} from './slots.ts'

/** `slot` is undefined for an input known only by class; for node -20, subgraph outputs, it decides. */
export type InputEnd = { readonly node: string; readonly name: string; readonly slot?: number | undefined }

export type Connectable = { readonly can: true } | { readonly can: false; readonly why: string }

export function canConnect(
  document: WorkflowDocument,
  at: GraphAddress,
  { from, to, types }: { readonly from: LinkEnd; readonly to: InputEnd; readonly types: NodeTypes },
): Connectable {
  let result: Connectable = no('It no longer exists.')
  editGraph(document, at, (draft) => {
    const [origin, target] = [originOf(draft, from, types), targetOf(draft, to, types)]
    if (origin === undefined || target === undefined) return
    if (!typesFit(origin.type, target.type)) result = no(misfit(origin, target))
    else if (leadsTo(draft, to.node, from.node)) result = no('The links would form a loop.')
    else result = { can: true }
  })
  return result
}

const no = (why: string): Connectable => ({ can: false, why })

function misfit(origin: LinkSlot, target: LinkSlot): string {
  return `Input ${target.name} of ${target.of} needs ${target.type}, but ${origin.name} of ${origin.of} gives ${origin.type}.`
}

function targetOf(draft: GraphDraft, { node: id, name, slot }: InputEnd, types: NodeTypes): LinkSlot | undefined {
  if (id === SUBGRAPH_OUTPUT) return boundarySlot(draft, 'outputs', slot ?? -1)
  const node = draft.nodes.get(id)
  if (node === undefined) return undefined
  const at = slotOfInput(node, name, slot)
  const found = at === undefined ? inputToAdd(draft, node, name, types) : node.inputs.items[at]
  return found && { name, type: found.type, of: called(draft, node, types) }
}

/**
 * Replaces an existing link without checking `canConnect`.
 * @returns the same document if an end is missing
 */
export function connect(
  document: WorkflowDocument,
  at: GraphAddress,
  { from, to, types }: { readonly from: LinkEnd; readonly to: InputEnd; readonly types: NodeTypes },
): WorkflowDocument {
  return editGraph(document, at, (draft) => void link(draft, from, to, types))
}

export function link(draft: GraphDraft, from: LinkEnd, to: InputEnd, types: NodeTypes): string | undefined {
  const [origin, target] = [originOf(draft, from, types), targetOf(draft, to, types)]
  if (origin === undefined || target === undefined) return undefined
  addOutputsUpTo(draft, from, types)
  const slot = to.node === SUBGRAPH_OUTPUT ? (to.slot ?? 0) : slotFor(draft, to, types)
  if (slot === undefined) return undefined
  const before = draft.links.all().filter((one) => one.to.node === to.node && one.to.slot === slot)
  if (before.some((one) => one.from.node === from.node && one.from.slot === from.slot)) return undefined
  dropLinks(
    draft,
    before.map(({ id }) => id),
  )
  const type = isAny(origin.type) ? target.type : origin.type
  const id = addLink(draft, { from, to: { node: to.node, slot }, type })
  typeReroute(draft, to.node, type)
  return id
}

// A class may have more outputs than its node was saved with.
function addOutputsUpTo(draft: GraphDraft, { node: id, slot }: LinkEnd, types: NodeTypes): void {
  const node = draft.nodes.get(id)
  if (node === undefined || slot < node.outputs.items.length) return
  const more = declaredOutputs(draft, node, types).slice(node.outputs.items.length, slot + 1)
  draft.nodes.put({
    ...node,
    outputs: {
      ...node.outputs,
      items: [...node.outputs.items, ...more.map(({ name = '', type }) => newOutput({ name, type }))],
    },
  })
}

function slotFor(draft: GraphDraft, { node: id, name, slot }: InputEnd, types: NodeTypes): number | undefined {
  const node = draft.nodes.get(id)
  if (node === undefined) return undefined
  const at = slotOfInput(node, name, slot)
  if (at !== undefined) return at
  const input = inputToAdd(draft, node, name, types)
  if (input === undefined) return undefined
  draft.nodes.put({ ...node, inputs: { ...node.inputs, items: [...node.inputs.items, newInput(input)] } })
  return node.inputs.items.length
}

function typeReroute(draft: GraphDraft, id: string, type: string): void {
  const node = draft.nodes.get(id)
  const [output] = node?.outputs.items ?? []
  if (node?.type !== 'Reroute' || output === undefined || output.type === type) return
  draft.nodes.put({ ...node, outputs: { ...node.outputs, items: [{ ...output, type }] } })
}

/**
 * Inserts at the first fitting input and output. Reroute points left of the node lead to it, the others on from it.
 * @returns the same document if it does not fit
 */
export function insertIntoLink(
  document: WorkflowDocument,
  at: GraphAddress,
  { linkId, nodeId, types }: { readonly linkId: string; readonly nodeId: string; readonly types: NodeTypes },
): WorkflowDocument {
  return editGraph(document, at, (draft) => {
    const [through, node] = [draft.links.get(linkId), draft.nodes.get(nodeId)]
    if (through === undefined || node === undefined || touches(through, nodeId)) return
    const type = typeOfNode(node, types)
    const input = inputNames(node, type).find((name) => {
      const target = targetOf(draft, { node: nodeId, name }, types)
      return target !== undefined && typesFit(through.type, target.type)
    })
    const wanted = nameAt(draft, through.to)
    const goal = wanted && targetOf(draft, wanted, types)
    const output = outputsOf(node, type).findIndex((one) => goal !== undefined && typesFit(one.type, goal.type))
    if (input === undefined || wanted === undefined || output < 0) return
    if (leadsTo(draft, nodeId, through.from.node) || leadsTo(draft, through.to.node, nodeId)) return
    const [before, after] = splitAtMiddle(node, reroutesOfLink(draft, through))
    const entering = link(draft, through.from, { node: nodeId, name: input }, types)
    if (entering !== undefined) shareReroutes(draft, entering, before)
    const leaving = link(draft, { node: nodeId, slot: output }, wanted, types)
    if (leaving !== undefined && after.length > 0)
      addWaypoints(draft, new Map([[linkId, after]]), new Map([[linkId, leaving]]), [0, 0])
  })
}

function splitAtMiddle({ pos = [0, 0], size = [0, 0] }: GraphNode, points: readonly Waypoint[]) {
  const middle = pos[0] + size[0] / 2
  const first = points.findIndex((point) => point.pos[0] >= middle)
  const count = first < 0 ? points.length : first
  return [points.slice(0, count), points.slice(count)] as const
}

const touches = ({ from, to }: { readonly from: LinkEnd; readonly to: LinkEnd }, id: string): boolean =>
  from.node === id || to.node === id

function inputNames(node: GraphNode, type: NodeType | undefined): readonly string[] {
  const sockets = (type?.inputs ?? []).filter((one) => !isWidget(one)).map(({ name }) => name)
  return [
    ...new Set([
      ...node.inputs.items.filter(({ widget }) => widget === undefined).map(({ name = '' }) => name),
      ...sockets,
    ]),
  ]
}

function outputsOf(node: GraphNode, type: NodeType | undefined): readonly Pick<OutputSlot, 'type'>[] {
  return [...node.outputs.items, ...(type?.outputs ?? []).slice(node.outputs.items.length)]
}

function nameAt(draft: GraphDraft, { node: id, slot }: LinkEnd): InputEnd | undefined {
  if (id === SUBGRAPH_OUTPUT) return { node: id, name: draft.boundary('outputs')[slot]?.name ?? '', slot }
  const name = draft.nodes.get(id)?.inputs.items[slot]?.name
  return name === undefined ? undefined : { node: id, name, slot }
}

export function moveLinks(
  document: WorkflowDocument,
  at: GraphAddress,
  { from, to, types }: { readonly from: LinkEnd; readonly to: LinkEnd; readonly types: NodeTypes },
): WorkflowDocument {
  return editGraph(document, at, (draft) => {
    const origin = originOf(draft, to, types)
    if (origin === undefined) return
    addOutputsUpTo(draft, to, types)
    for (const one of draft.links.all()) {
      if (one.from.node !== from.node || one.from.slot !== from.slot) continue
      const target = nameAt(draft, one.to)
      const goal = target && targetOf(draft, target, types)
      const fits = goal !== undefined && typesFit(origin.type, goal.type) && !leadsTo(draft, one.to.node, to.node)
      if (fits) moveOrigin(draft, one, to)
    }
  })
}

export function disconnect(
  document: WorkflowDocument,
  at: GraphAddress,
  { node, side, slot }: { readonly node: string; readonly side: 'input' | 'output'; readonly slot: number },
): WorkflowDocument {
  return editGraph(document, at, (draft) => {
    const end = side === 'input' ? 'to' : 'from'
    const links = draft.links.all().filter((one) => one[end].node === node && one[end].slot === slot)
    dropLinks(
      draft,
      links.map(({ id }) => id),
    )
  })
}

/**
 * Links that no slot names: the newest page connects those in the list of links, and Use Everywhere stores its own.
 * Source: docs/spec/comfyui.md, 1.5 and 1.6; compared by test/comfy.
 */
import { asId, asIndex, isArray, isObject } from '../../../../lib/json/value.ts'
import {
  type Graph,
  type GraphNode,
  type InputSlot,
  type Link,
  SUBGRAPH_INPUT,
  SUBGRAPH_OUTPUT,
  type Subgraph,
  subgraphsOf,
  type WorkflowDocument,
} from '../document/document.ts'
import { readSlotType } from '../document/fields.ts'
import { linksById, nodesById } from '../document/index-of.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import { newInput } from '../edit/slots.ts'
import { typesFit } from '../input-type.ts'
import type { NodeTypes } from '../node-types.ts'
import { slotsOfClass } from '../to-document.ts'

export type Restored = {
  readonly document: WorkflowDocument
  readonly slots: ReadonlySet<InputSlot>
}

export function restoreLinks(document: WorkflowDocument, types: NodeTypes): Restored {
  const found = new Set<InputSlot>()
  const definitions = subgraphsOf(document)
  const restored = <Whole extends Graph>(graph: Whole): Whole => restoreIn(graph, { definitions, types, found })
  const root = restored(document)
  const { definitions: held } = document
  const items = held?.subgraphs.items.map(restored)
  return {
    document:
      held === undefined || items === undefined
        ? root
        : { ...root, definitions: { ...held, subgraphs: { ...held.subgraphs, items } } },
    slots: found,
  }
}

type Around = {
  readonly definitions: ReadonlyMap<string, Subgraph>
  readonly types: NodeTypes
  readonly found: Set<InputSlot>
}

function restoreIn<Whole extends Graph>(graph: Whole, around: Around): Whole {
  const [nodes, links] = [nodesById(graph), linksById(graph)]
  const named = new Set(graph.nodes.items.flatMap(({ inputs }) => inputs.items.map(({ link }) => link)))
  const hasEnds = ({ from, to }: Link) =>
    to.node !== SUBGRAPH_OUTPUT && nodes.has(to.node) && (from.node === SUBGRAPH_INPUT || nodes.has(from.node))
  const unnamed = graph.links.items.filter((link) => !named.has(link.id) && hasEnds(link))
  const everywhere = everywhereLinks(graph).filter(hasEnds)
  if (unnamed.length + everywhere.length === 0) return graph
  const inputs = new Map<string, InputSlot[]>()
  const isFree = ({ link }: InputSlot) => link === undefined || !links.has(link)
  const connect = (link: Link, slotFor: (node: GraphNode) => InputSlot | undefined): InputSlot | undefined => {
    const node = nodes.get(link.to.node)
    const wanted = node && slotFor(node)
    if (node === undefined || wanted === undefined) return undefined
    const slots = inputs.get(link.to.node) ?? [...node.inputs.items]
    inputs.set(link.to.node, slots)
    const at = slots.findIndex(({ name }) => name === wanted.name)
    const slot = slots[at] ?? wanted
    if (!isFree(slot)) return undefined
    const linked = { ...slot, link: link.id }
    slots[at < 0 ? slots.length : at] = linked
    return linked
  }
  for (const link of unnamed) {
    const slot = connect(link, (node) => slotOf(node, link, around))
    if (slot !== undefined) around.found.add(slot)
  }
  const stored = everywhere.filter((link) => {
    const ofNode = (node: GraphNode) => {
      const own = node.inputs.items[link.to.slot]
      return own !== undefined && typesFit(own.type, link.type) ? own : slotOf(node, link, around)
    }
    return connect(link, ofNode) !== undefined
  })
  const items = graph.nodes.items.map((node) => {
    const slots = inputs.get(node.id ?? '')
    return slots === undefined ? node : { ...node, inputs: { ...node.inputs, items: slots } }
  })
  return {
    ...graph,
    nodes: { ...graph.nodes, items },
    links: { ...graph.links, items: [...graph.links.items, ...stored] },
  }
}

// A link's slot counts all slots of the class or definition, though files may omit some.
function slotOf(node: GraphNode, { to }: Link, { definitions, types }: Around): InputSlot | undefined {
  const ofDefinition = definitions.get(node.type ?? '')?.inputs.items[to.slot]
  if (ofDefinition !== undefined) {
    const { name = '', type } = ofDefinition
    return newInput({ name, type, isOptional: false })
  }
  const type = typeOfNode(node, types)
  const ofClass = type && slotsOfClass(type)[to.slot]
  return ofClass === undefined
    ? node.inputs.items[to.slot]
    : newInput({ ...ofClass, ...(ofClass.isWidget ? { widget: ofClass.name } : {}) })
}

function storedByEverywhere({ extra }: Graph) {
  const links = isObject(extra) ? extra.get('ue_links') : undefined
  return isArray(links) && links.length > 0 ? links : undefined
}

export const hasEverywhereLinks = (graph: Graph): boolean => storedByEverywhere(graph) !== undefined

function everywhereLinks(graph: Graph): readonly Link[] {
  return (storedByEverywhere(graph) ?? []).flatMap((one, at): readonly Link[] => {
    if (!isObject(one)) return []
    const [from, to] = [asId(one.get('upstream')), asId(one.get('downstream'))]
    const [fromSlot, toSlot] = [asIndex(one.get('upstream_slot')), asIndex(one.get('downstream_slot'))]
    if (from === undefined || to === undefined || fromSlot === undefined || toSlot === undefined) return []
    return [
      {
        id: `everywhere ${at}`,
        from: { node: from, slot: fromSlot },
        to: { node: to, slot: toSlot },
        type: readSlotType(one.get('type')),
        raw: one,
      },
    ]
  })
}

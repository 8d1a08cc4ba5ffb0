import { asText } from '../../../../lib/json/plain.ts'
import { isArray, type JsonValue } from '../../../../lib/json/value.ts'
import {
  type Graph,
  type GraphNode,
  type InputSlot,
  type Link,
  SUBGRAPH_INPUT,
  SUBGRAPH_OUTPUT,
  type Subgraph,
} from './document.ts'

function memoized<List extends object, Index>(make: (list: List) => Index): (list: List) => Index {
  const indexes = new WeakMap<List, Index>()
  return (list) => {
    const index = indexes.get(list) ?? make(list)
    indexes.set(list, index)
    return index
  }
}

function byId<Item>(items: readonly Item[], idOf: (item: Item) => string): ReadonlyMap<string, Item> {
  const index = new Map<string, Item>()
  for (const item of items) if (!index.has(idOf(item))) index.set(idOf(item), item)
  return index
}

const nodes = memoized((list: Graph['nodes']) => byId(list.items, ({ id }) => id ?? ''))
const leavingSubgraph = memoized((list: Graph['links']) => {
  const leaving = list.items.filter(({ to }) => to.node === SUBGRAPH_OUTPUT)
  return new Map(leaving.toReversed().map((link) => [link.to.slot, link]))
})

/** The first link that the output names, as files may have several; undefined without one. */
function linkToOutput(graph: Subgraph, slot: number): Link | undefined {
  const named = graph.outputs.items[slot]?.linkIds.flatMap((id) => linkById(graph, id) ?? [])
  return named?.find(({ to }) => to.node === SUBGRAPH_OUTPUT) ?? leavingSubgraph(graph.links).get(slot)
}

/** Host outputs follow the subgraph's order; names identify moved ones. */
export function linkToHostOutput(definition: Subgraph, host: GraphNode, slot: number): Link | undefined {
  const outputs = definition.outputs.items
  const name = host.outputs.items[slot]?.name
  const named = outputs.findIndex((output) => output.name === name)
  return linkToOutput(definition, named < 0 || outputs[slot]?.name === name ? slot : named)
}

const enteringSubgraph = memoized((list: Graph['links']) =>
  Map.groupBy(
    list.items.filter(({ from }) => from.node === SUBGRAPH_INPUT),
    ({ from }) => from.slot,
  ),
)

function linksFromInput(graph: Subgraph, slot: number): readonly Link[] {
  const { linkIds = [] } = graph.inputs.items[slot] ?? {}
  const positions = new Map(linkIds.map((id, at) => [id, at]))
  const position = ({ id }: Link) => positions.get(id) ?? linkIds.length
  return (enteringSubgraph(graph.links).get(slot) ?? []).toSorted((one, other) => position(one) - position(other))
}

/** Setter class by getter class: nodes of scripts that pass on a value by name. */
const SETTERS: ReadonlyMap<string, string> = new Map([
  ['GetNode', 'SetNode'],
  ['easy getNode', 'easy setNode'],
])

const setters = memoized((list: Graph['nodes']) => {
  const classes = new Set(SETTERS.values())
  const all = list.items.filter(({ type = '' }) => classes.has(type))
  return new Map(all.toReversed().map((node) => [keyOfSetter(node.type, node), node]))
})

const keyOfSetter = (setter: string | undefined, node: GraphNode): string => `${setter} ${asText(firstValue(node))}`

export const firstValue = ({ widgetValues }: GraphNode): JsonValue | undefined =>
  isArray(widgetValues) ? widgetValues[0] : undefined

export const setterFor = (graph: Graph, getter: GraphNode): GraphNode | undefined =>
  setters(graph.nodes).get(keyOfSetter(SETTERS.get(getter.type ?? ''), getter))

const links = memoized((list: Graph['links']) => byId(list.items, ({ id }) => id))

export const nodesById = (graph: Graph): ReadonlyMap<string, GraphNode> => nodes(graph.nodes)

export const linksById = (graph: Graph): ReadonlyMap<string, Link> => links(graph.links)

export const nodeById = (graph: Graph, id: string): GraphNode | undefined => nodes(graph.nodes).get(id)

export const linkById = (graph: Graph, id: string): Link | undefined => links(graph.links).get(id)

// Saved links may have wrong slot indexes when slots were omitted; the slot is right. Source: docs/spec/comfyui.md,
// 1.5.

export function realTarget(link: Link, target: GraphNode | undefined): Link {
  const slots = target?.inputs.items
  if (slots === undefined || slots[link.to.slot]?.link === link.id) return link
  const slot = slots.findIndex((one) => one.link === link.id)
  return slot < 0 ? link : { ...link, to: { ...link.to, slot } }
}

export function realLinks(graph: Graph): readonly Link[] {
  const nodes = nodesById(graph)
  return graph.links.items.map((link) => realTarget(link, nodes.get(link.to.node)))
}

type NodeInput = { readonly node: string; readonly slot: InputSlot }

export function innerInputs(definition: Subgraph, input: string): readonly NodeInput[] {
  const nodes = nodesById(definition)
  const index = definition.inputs.items.findIndex(({ name }) => name === input)
  return linksFromInput(definition, index).flatMap((link) => {
    const node = nodes.get(link.to.node)
    const { to } = realTarget(link, node)
    const slot = node?.inputs.items[to.slot]
    return slot === undefined ? [] : [{ node: to.node, slot }]
  })
}

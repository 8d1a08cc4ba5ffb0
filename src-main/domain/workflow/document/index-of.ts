/** Nodes and links of a graph by id. An index is kept as long as the graph has its list of them. */

import { isArray, type JsonValue } from '../json/value.ts'
import { type Graph, type GraphNode, SUBGRAPH_OUTPUT, type Subgraph } from './document.ts'
import type { Link } from './links.ts'

function kept<List extends object, Index>(make: (list: List) => Index): (list: List) => Index {
  // A cache alone: what it gives depends on nothing but the list, which never changes.
  const indexes = new WeakMap<List, Index>()
  return (list) => {
    const index = indexes.get(list) ?? make(list)
    indexes.set(list, index)
    return index
  }
}

function byId<Item>(items: readonly Item[], idOf: (item: Item) => string): ReadonlyMap<string, Item> {
  const index = new Map<string, Item>()
  // The first of those with the same id.
  for (const item of items) if (!index.has(idOf(item))) index.set(idOf(item), item)
  return index
}

const nodes = kept((list: Graph['nodes']) => byId(list.items, ({ id }) => id ?? ''))
const leavingSubgraph = kept((list: Graph['links']) => {
  const leaving = list.items.filter(({ to }) => to.node === SUBGRAPH_OUTPUT)
  // The first, as for ids.
  return new Map(leaving.toReversed().map((link) => [link.to.slot, link]))
})

/**
 * The link to an output of a subgraph, by the place of the output: the first that the output names, where files have
 * several; undefined where nothing leads there.
 */
export function linkToOutput(graph: Subgraph, slot: number): Link | undefined {
  const named = graph.outputs.items[slot]?.linkIds.flatMap((id) => linkById(graph, id) ?? [])
  return named?.find(({ to }) => to.node === SUBGRAPH_OUTPUT) ?? leavingSubgraph(graph.links).get(slot)
}

const setters = kept((list: Graph['nodes']) => {
  const all = list.items.filter(({ type }) => type === 'SetNode')
  return new Map(all.toReversed().map((node) => [firstValue(node), node]))
})

/** The first of the values of a node: of SetNode and GetNode the name by which they find each other. */
export const firstValue = ({ widgetValues }: GraphNode): JsonValue | undefined =>
  isArray(widgetValues) ? widgetValues[0] : undefined

/** The first SetNode of a name; undefined where the graph has none. */
export const setterByName = (graph: Graph, name: JsonValue | undefined): GraphNode | undefined =>
  setters(graph.nodes).get(name)

const links = kept((list: Graph['links']) => byId(list.items, ({ id }) => id))

/** All nodes of a graph by id. */
export const nodesById = (graph: Graph): ReadonlyMap<string, GraphNode> => nodes(graph.nodes)

/** All links of a graph by id. */
export const linksById = (graph: Graph): ReadonlyMap<string, Link> => links(graph.links)

/** A node; undefined where the graph has none of the id. */
export const nodeById = (graph: Graph, id: string): GraphNode | undefined => nodes(graph.nodes).get(id)

/** A link; undefined where the graph has none of the id. */
export const linkById = (graph: Graph, id: string): Link | undefined => links(graph.links).get(id)

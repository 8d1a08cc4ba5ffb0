/**
 * Some nodes of a graph with what belongs to them: links among them, links into them, the points that those go through,
 * and the subgraphs that they are instances of. Copies, pasted files and dissolved subgraphs are made of such parts.
 */
import {
  type Graph,
  type GraphNode,
  type Group,
  type Subgraph,
  subgraphsOf,
  type WorkflowDocument,
} from '../document/document.ts'
import type { Link } from '../document/links.ts'
import { realLinks } from '../document/real-target.ts'
import { type GraphAddress, graphAt } from './graph-at.ts'
import { type Waypoint, waypointsOf } from './reroutes.ts'

/** The parts. Ids are those of the graph that they were taken from. */
export type GraphParts = {
  readonly nodes: readonly GraphNode[]
  readonly links: readonly Link[]
  /** Links from other nodes to these. */
  readonly inbound: readonly Link[]
  readonly waypoints: ReadonlyMap<string, readonly Waypoint[]>
  readonly groups: readonly Group[]
  readonly definitions: readonly Subgraph[]
}

/** Takes nodes out of a graph. @param groups places of groups that are taken too */
export function partsOf(
  document: WorkflowDocument,
  at: GraphAddress,
  ids: ReadonlySet<string>,
  groups: ReadonlySet<number> = new Set(),
): GraphParts {
  const graph = graphAt(document, at)
  if (graph === undefined) return NOTHING
  const nodes = graph.nodes.items.filter(({ id = '' }) => ids.has(id))
  const all = realLinks(graph)
  const links = all.filter(({ from, to }) => ids.has(from.node) && ids.has(to.node))
  return {
    nodes,
    links,
    inbound: all.filter(({ from, to }) => !ids.has(from.node) && ids.has(to.node)),
    waypoints: waysOf(graph, links),
    groups: graph.groups.items.filter((_, place) => groups.has(place)),
    definitions: definitionsFor(document, nodes),
  }
}

const NOTHING: GraphParts = { nodes: [], links: [], inbound: [], waypoints: new Map(), groups: [], definitions: [] }

/** The points of some links of a graph. */
export function waysOf(graph: Graph, links: readonly Link[]): ReadonlyMap<string, readonly Waypoint[]> {
  return waypointsOf({ ...graph, links: { items: links, unread: [] } })
}

/** All of a document, as parts. */
export function allParts(document: WorkflowDocument): GraphParts {
  const ids = new Set(document.nodes.items.map(({ id = '' }) => id))
  return partsOf(document, undefined, ids, new Set(document.groups.items.keys()))
}

/** The definitions that nodes need, themselves or by another one; each after those that it needs. */
function definitionsFor(document: WorkflowDocument, nodes: readonly GraphNode[]): readonly Subgraph[] {
  const definitions = subgraphsOf(document)
  const seen = new Set<string>()
  const ordered: Subgraph[] = []
  // A file may hold them in any order, and thousands within each other: so no recursion. A definition waits to be looked
  // into, then, below what it needs, to be taken.
  const waiting: (string | Subgraph)[] = nodes.map(({ type = '' }) => type)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'string') {
      ordered.push(next)
      continue
    }
    const definition = definitions.get(next)
    if (definition === undefined || seen.has(next)) continue
    seen.add(next)
    waiting.push(definition)
    for (const node of definition.nodes.items) waiting.push(node.type ?? '')
  }
  return ordered
}

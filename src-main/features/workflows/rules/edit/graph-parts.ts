import { type JsonValue, jsonNumber } from '../../../../lib/json/value.ts'
import {
  type Graph,
  type GraphNode,
  type Group,
  type Link,
  type LinkEnd,
  SUBGRAPH_INPUT,
  type Subgraph,
  subgraphsOf,
  type WorkflowDocument,
} from '../document/document.ts'
import { idJson, type Pair } from '../document/fields.ts'
import { realLinks } from '../document/index-of.ts'
import { typesFit } from '../input-type.ts'
import { addDefinitions } from './definitions.ts'
import { editGraph, type GraphDraft } from './draft.ts'
import { type GraphAddress, graphAt } from './graph-at.ts'
import { around, boundsOf, moveGroupBox, nodeBounds } from './groups.ts'
import { reroutesOf, setLastReroute, setReroutes, type Waypoint, waypointsOf } from './reroutes.ts'
import { addLink, unlinked } from './slots.ts'

export type GraphParts = {
  readonly nodes: readonly GraphNode[]
  readonly links: readonly Link[]
  readonly inbound: readonly Link[]
  readonly waypoints: ReadonlyMap<string, readonly Waypoint[]>
  readonly groups: readonly Group[]
  readonly definitions: readonly Subgraph[]
}

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
    groups: graph.groups.items.filter((_, index) => groups.has(index)),
    definitions: definitionsFor(document, nodes),
  }
}

const NOTHING: GraphParts = { nodes: [], links: [], inbound: [], waypoints: new Map(), groups: [], definitions: [] }

export function waysOf(graph: Graph, links: readonly Link[]): ReadonlyMap<string, readonly Waypoint[]> {
  return waypointsOf({ ...graph, links: { items: links, unread: [] } })
}

export function allParts(document: WorkflowDocument): GraphParts {
  const ids = new Set(document.nodes.items.map(({ id = '' }) => id))
  return partsOf(document, undefined, ids, new Set(document.groups.items.keys()))
}

function definitionsFor(document: WorkflowDocument, nodes: readonly GraphNode[]): readonly Subgraph[] {
  const definitions = subgraphsOf(document)
  const seen = new Set<string>()
  const ordered: Subgraph[] = []
  // An explicit stack, as files may nest thousands: a definition is first expanded, then, below its dependencies,
  // taken.
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

type InsertOptions = {
  readonly pos?: Pair
  readonly keepInbound: boolean
  readonly newUuid: () => string
}

export type Inserted = { readonly document: WorkflowDocument; readonly ids: ReadonlyMap<string, string> }

export function insertParts(
  document: WorkflowDocument,
  at: GraphAddress,
  parts: GraphParts,
  { pos, keepInbound, newUuid }: InsertOptions,
): Inserted {
  const added = addDefinitions(document, parts.definitions, newUuid)
  const by = offset(parts, pos)
  const ids = new Map<string, string>()
  const changed = editGraph(added.document, at, (draft) => {
    // Found before nodes are added: one of them may get the id of a source elsewhere.
    const inbound = keepInbound ? parts.inbound.filter((link) => isThere(draft, link)) : []
    for (const node of parts.nodes) {
      const id = draft.newId('node')
      ids.set(node.id ?? '', id)
      draft.nodes.put({ ...bare(added.adapt(node), by), id })
    }
    const linkIds = new Map<string, string>()
    const move = ({ node, slot }: LinkEnd): LinkEnd => ({ node: ids.get(node) ?? node, slot })
    for (const { id, from, to, type } of parts.links)
      linkIds.set(id, addLink(draft, { from: move(from), to: move(to), type }))
    for (const { from, to, type } of inbound) addLink(draft, { from, to: move(to), type })
    addWaypoints(draft, parts.waypoints, linkIds, by)
    const { groups } = draft.graph()
    const moved = parts.groups.map((group) => ({ ...moveGroupBox(group, by), id: draft.newId('group') }))
    if (moved.length > 0) draft.change({ groups: { ...groups, items: [...groups.items, ...moved] } })
  })
  return { document: changed, ids }
}

function offset({ nodes, groups }: GraphParts, pos: Pair | undefined): Pair {
  const corner = around([...nodes.map(nodeBounds), ...groups.flatMap((group) => boundsOf(group) ?? [])])
  return pos === undefined || corner === undefined ? [0, 0] : [pos[0] - corner.x, pos[1] - corner.y]
}

function bare(node: GraphNode, [right, down]: Pair): GraphNode {
  const [x, y] = node.pos ?? [0, 0]
  return { ...unlinked(node), pos: [x + right, y + down] }
}

function isThere(draft: GraphDraft, { from: { node, slot }, type }: Link): boolean {
  const output = node === SUBGRAPH_INPUT ? draft.boundary('inputs')[slot] : draft.nodes.get(node)?.outputs.items[slot]
  return output !== undefined && typesFit(output.type, type)
}

export function addWaypoints(
  draft: GraphDraft,
  ways: ReadonlyMap<string, readonly Waypoint[]>,
  linkIds: ReadonlyMap<string, string>,
  [right, down]: Pair,
): void {
  const added = new Map<string, { id: string; pos: Pair; parent: string | undefined; links: string[] }>()
  for (const [before, way] of ways) {
    const linkId = linkIds.get(before)
    if (linkId === undefined) continue
    let parent: string | undefined
    for (const { id, pos } of way) {
      const known = added.get(id) ?? {
        id: draft.newId('reroute'),
        pos: [pos[0] + right, pos[1] + down],
        parent,
        links: [],
      }
      added.set(id, known)
      known.links.push(linkId)
      parent = known.id
    }
    setLastReroute(draft, linkId, parent)
  }
  if (added.size === 0) return
  const reroutes = [...added.values()].map(({ id, pos, parent, links }) => {
    return new Map<string, JsonValue>([
      ['id', idJson(id) ?? null],
      ...(parent === undefined ? [] : [['parentId', idJson(parent) ?? null] as const]),
      ['pos', [jsonNumber(pos[0]), jsonNumber(pos[1])]],
      ['linkIds', links.map((one) => idJson(one) ?? null)],
    ])
  })
  setReroutes(draft, [...reroutesOf(draft.graph()), ...reroutes])
}

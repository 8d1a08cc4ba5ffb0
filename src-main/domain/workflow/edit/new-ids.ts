import type { Graph, WorkflowDocument } from '../document/document.ts'
import { asId, isArray, isObject, type JsonObject, type JsonValue, withKey } from '../json/value.ts'

/** Kinds of things that have ids of their own. */
export type IdKind = 'node' | 'link' | 'reroute' | 'group'

/** Gives ids that nothing in a document has, and keeps count of them. */
export type NewIds = {
  readonly next: (kind: IdKind) => string
  /** The counters of all, as version 1 writes them. */
  readonly state: () => JsonObject
  /** The graph with its counters raised to the ids that were given. @param isRoot the outermost counts always */
  readonly counted: (graph: Graph, isRoot: boolean) => Partial<Graph>
}

// As version 1 calls them.
const COUNTERS: Readonly<Record<IdKind, string>> = {
  node: 'lastNodeId',
  link: 'lastLinkId',
  reroute: 'lastRerouteId',
  group: 'lastGroupId',
}
const WRITTEN_ORDER = ['group', 'node', 'link', 'reroute'] as const satisfies readonly IdKind[]

/**
 * Ids for new things. They are unique over the outermost graph and all definitions, because readers give others to what
 * is there twice, and links would be lost. Source: editor research, 1, Subgraphs.
 */
export function newIds(document: WorkflowDocument): NewIds {
  const graphs: readonly Graph[] = [document, ...(document.definitions?.subgraphs.items ?? [])]
  const highest = new Map<IdKind, number>()
  const given = new Set<IdKind>()
  const highestSoFar = (kind: IdKind) =>
    highest.get(kind) ?? graphs.reduce((most, graph) => Math.max(most, highestOf(kind, graph)), 0)
  return {
    state: () => new Map(WRITTEN_ORDER.map((kind) => [COUNTERS[kind], { number: String(highestSoFar(kind)) }])),
    next(kind) {
      const next = highestSoFar(kind) + 1
      highest.set(kind, next)
      given.add(kind)
      return String(next)
    },
    counted(graph, isRoot) {
      const count = (kind: IdKind) => (given.has(kind) ? highest.get(kind) : undefined)
      return isObject(graph.state) ? { state: counted(graph.state, count) } : isRoot ? plainCounters(count) : {}
    },
  }
}

function counted(state: JsonObject, count: (kind: IdKind) => number | undefined): JsonObject {
  let changed = state
  for (const kind of WRITTEN_ORDER) {
    const highest = count(kind)
    if (highest !== undefined) changed = withKey(changed, COUNTERS[kind], { number: String(highest) })
  }
  return changed
}

// Version 0.4 counts nodes and links alone.
function plainCounters(count: (kind: IdKind) => number | undefined): Partial<Graph> {
  const [node, link] = [count('node'), count('link')]
  return {
    ...(node === undefined ? {} : { lastNodeId: { number: String(node) } }),
    ...(link === undefined ? {} : { lastLinkId: { number: String(link) } }),
  }
}

function highestOf(kind: IdKind, graph: Graph): number {
  const { state } = graph
  const counters = [
    isObject(state) ? state.get(COUNTERS[kind]) : undefined,
    ...(kind === 'node' ? [graph.lastNodeId] : kind === 'link' ? [graph.lastLinkId] : []),
  ]
  let highest = 0
  for (const counter of counters) highest = Math.max(highest, numberOf(counter))
  for (const id of idsOf(kind, graph)) highest = Math.max(highest, numberOf(id))
  return highest
}

function idsOf(kind: IdKind, graph: Graph): readonly (JsonValue | undefined)[] {
  if (kind === 'node') return graph.nodes.items.map(({ id }) => id)
  if (kind === 'link') return [...graph.links.items.map(({ id }) => id), ...rawIds(graph.floatingLinks)]
  if (kind === 'group') return graph.groups.items.map(({ id }) => id)
  return [...rawIds(graph.reroutes), ...rawIds(isObject(graph.extra) ? graph.extra.get('reroutes') : undefined)]
}

function rawIds(list: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  return isArray(list) ? list.map((one) => (isObject(one) ? one.get('id') : undefined)) : []
}

function numberOf(value: JsonValue | undefined): number {
  const id = asId(value)
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : 0
}

/** A mutable draft of a graph that becomes a new graph, sharing everything untouched. New items get unique ids. */

import { asId, isArray, isObject, type JsonObject, type JsonValue, withKey } from '../../../../lib/json/value.ts'
import type { BoundarySlot, Graph, GraphNode, Link, Subgraph, WorkflowDocument } from '../document/document.ts'
import type { Items } from '../document/fields.ts'
import { realTarget } from '../document/index-of.ts'
import { changeGraph, type GraphAddress } from './graph-at.ts'

export type EditableList<Item> = {
  readonly get: (id: string) => Item | undefined
  readonly put: (item: Item) => void
  readonly drop: (id: string) => void
  readonly all: () => readonly Item[]
}

/** A graph being edited. `inputs` and `outputs` are those of a subgraph; empty for the outermost graph. */
export type GraphDraft = {
  readonly nodes: EditableList<GraphNode>
  readonly links: EditableList<Link>
  readonly graph: () => Graph | Subgraph
  readonly change: (part: Partial<Pick<Graph, 'extra' | 'reroutes' | 'floatingLinks' | 'groups'>>) => void
  readonly boundary: (side: 'inputs' | 'outputs') => readonly BoundarySlot[]
  readonly setBoundary: (side: 'inputs' | 'outputs', slots: readonly BoundarySlot[]) => void
  readonly definition: (id: string) => Subgraph | undefined
  readonly newId: (kind: IdKind) => string
}

export function editGraph(
  document: WorkflowDocument,
  at: GraphAddress,
  edit: (draft: GraphDraft) => void,
): WorkflowDocument {
  const ids = newIds(document)
  const edited = changeGraph(document, at, (graph) => {
    const { draft, finish } = draftOf(graph, document, ids.next)
    edit(draft)
    return { ...finish(), ...ids.counted(graph, at === undefined) }
  })
  if (edited === document || at === undefined) return edited
  return changeGraph(edited, undefined, (root) => ids.counted(root, true))
}

function draftOf(graph: Graph | Subgraph, document: WorkflowDocument, newId: GraphDraft['newId']) {
  let rest = graph
  const nodes = editable(graph.nodes, ({ id }) => id ?? '')
  const links = editable(graph.links, ({ id }) => id)
  const real = (link: Link) => realTarget(link, nodes.get(link.to.node))
  const draft: GraphDraft = {
    nodes,
    links: {
      ...links,
      get(id) {
        const link = links.get(id)
        return link && real(link)
      },
      all: () => links.all().map(real),
    },
    newId,
    definition: (id) => document.definitions?.subgraphs.items.find((one) => one.id === id),
    graph: () => rest,
    change(part) {
      rest = { ...rest, ...part }
    },
    boundary: (side) => (side in rest ? (rest as Subgraph)[side].items : []),
    setBoundary(side, items) {
      if (!(side in rest)) return
      rest = { ...rest, [side]: { ...(rest as Subgraph)[side], items } }
    },
  }
  return { draft, finish: () => ({ ...rest, nodes: nodes.finish(), links: links.finish() }) }
}

function editable<Item>(before: Items<Item>, idOf: (item: Item) => string) {
  const items: (Item | undefined)[] = [...before.items]
  const indexes = new Map<string, number>()
  // The first with an id wins, as for all readers.
  before.items.forEach((item, at) => {
    if (!indexes.has(idOf(item))) indexes.set(idOf(item), at)
  })
  let hasChanged = false
  const all = () => items.filter((item) => item !== undefined)
  return {
    get(id: string) {
      const at = indexes.get(id)
      return at === undefined ? undefined : items[at]
    },
    put(item: Item) {
      const at = indexes.get(idOf(item))
      if (at !== undefined && items[at] === item) return
      hasChanged = true
      if (at === undefined) indexes.set(idOf(item), items.push(item) - 1)
      else items[at] = item
    },
    drop(id: string) {
      const at = indexes.get(id)
      if (at === undefined) return
      hasChanged = true
      items[at] = undefined
      indexes.delete(id)
    },
    all,
    finish: (): Items<Item> => (hasChanged ? { ...before, items: all() } : before),
  }
}

type IdKind = 'node' | 'link' | 'reroute' | 'group'

const COUNTERS: Readonly<Record<IdKind, string>> = {
  node: 'lastNodeId',
  link: 'lastLinkId',
  reroute: 'lastRerouteId',
  group: 'lastGroupId',
}
const WRITTEN_ORDER = ['group', 'node', 'link', 'reroute'] as const satisfies readonly IdKind[]

/**
 * Ids for new parts, unique over the outermost graph and all definitions: readers renumber duplicates, and links would
 * be lost. Source: docs/spec/comfyui.md, 1.1.
 */
export function newIds(document: WorkflowDocument) {
  const graphs: readonly Graph[] = [document, ...(document.definitions?.subgraphs.items ?? [])]
  const highest = new Map<IdKind, number>()
  const given = new Set<IdKind>()
  const highestSoFar = (kind: IdKind) =>
    highest.get(kind) ?? graphs.reduce((most, graph) => Math.max(most, highestOf(kind, graph)), 0)
  return {
    state: (): JsonObject =>
      new Map(WRITTEN_ORDER.map((kind) => [COUNTERS[kind], { number: String(highestSoFar(kind)) }])),
    next(kind: IdKind): string {
      const next = highestSoFar(kind) + 1
      highest.set(kind, next)
      given.add(kind)
      return String(next)
    },
    /**
     * Raises the graph's counters.
     * @param isRoot the outermost graph always counts
     */
    counted(graph: Graph, isRoot: boolean): Partial<Graph> {
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

// Version 0.4 counts only nodes and links.
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

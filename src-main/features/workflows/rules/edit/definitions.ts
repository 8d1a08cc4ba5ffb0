import { asId, isArray, isObject, type JsonValue, sameJson, withKey } from '../../../../lib/json/value.ts'
import {
  type GraphNode,
  type Subgraph,
  subgraphsOf,
  type WorkflowDocument,
  writeSubgraph,
} from '../document/document.ts'
import { idJson } from '../document/fields.ts'
import { newIds } from './draft.ts'

type Ids = ReadonlyMap<string, string>

/**
 * Reuses equal definitions and renames conflicting ones; nodes and links get unique ids.
 * @param definitions each after its dependencies
 */
export function addDefinitions(document: WorkflowDocument, definitions: readonly Subgraph[], newUuid: () => string) {
  const known = subgraphsOf(document)
  const fresh = definitions.filter((one) => !isKnown(known, one))
  const ids = new Map(fresh.map(({ id = '' }) => [id, known.has(id) ? newUuid() : id]))
  const innerIds = new Map<string, Ids>()
  const adapt = (node: GraphNode): GraphNode => {
    const type = node.type ?? ''
    const id = ids.get(type)
    const renamed = id === undefined || id === type ? node : { ...node, type: id }
    return withInnerIds(renamed, innerIds.get(type))
  }
  let grown = document
  for (const one of fresh) {
    const { subgraph, nodeIds } = renumbered(grown, one)
    innerIds.set(one.id ?? '', nodeIds)
    const nodes = { ...subgraph.nodes, items: subgraph.nodes.items.map(adapt) }
    grown = withDefinition(grown, { ...subgraph, id: ids.get(one.id ?? '') ?? one.id, nodes })
  }
  return { document: grown, adapt }
}

function isKnown(known: ReadonlyMap<string, Subgraph>, one: Subgraph): boolean {
  const other = known.get(one.id ?? '')
  return other !== undefined && (other === one || sameJson(writeSubgraph(one), writeSubgraph(other)))
}

function withInnerIds(host: GraphNode, ids: Ids | undefined): GraphNode {
  const { properties } = host
  const list = isObject(properties) ? properties.get('proxyWidgets') : undefined
  if (ids === undefined || ids.size === 0 || !isObject(properties) || !isArray(list)) return host
  const renamed = list.map((entry) => {
    const id = isArray(entry) ? ids.get(asId(entry[0]) ?? '') : undefined
    return isArray(entry) && id !== undefined ? entry.with(0, id) : entry
  })
  return { ...host, properties: withKey(properties, 'proxyWidgets', renamed) }
}

export function withDefinition(document: WorkflowDocument, subgraph: Subgraph, before?: string): WorkflowDocument {
  const { definitions = { subgraphs: { items: [], unread: [] }, raw: new Map() } } = document
  const { items } = definitions.subgraphs
  const index = before === undefined ? -1 : items.findIndex(({ id }) => id === before)
  const grown = items.toSpliced(index < 0 ? items.length : index, 0, subgraph)
  return { ...document, definitions: { ...definitions, subgraphs: { ...definitions.subgraphs, items: grown } } }
}

function renumbered(
  document: WorkflowDocument,
  subgraph: Subgraph,
): { readonly subgraph: Subgraph; readonly nodeIds: Ids } {
  const graphs = [document, ...(document.definitions?.subgraphs.items ?? [])]
  const taken = new Set(graphs.flatMap(({ nodes }) => nodes.items.map(({ id = '' }) => id)))
  const takenLinks = new Set(graphs.flatMap(({ links }) => links.items.map(({ id }) => id)))
  const isFree =
    subgraph.nodes.items.every(({ id = '' }) => !taken.has(id)) &&
    subgraph.links.items.every(({ id }) => !takenLinks.has(id))
  if (isFree) return { subgraph, nodeIds: new Map() }
  const ids = newIds(document)
  const nodeIds = new Map(subgraph.nodes.items.map(({ id = '' }) => [id, ids.next('node')]))
  const linkIds = new Map(subgraph.links.items.map(({ id }) => [id, ids.next('link')]))
  return { subgraph: { ...withIds(subgraph, nodeIds, linkIds), ...ids.counted(subgraph, false) }, nodeIds }
}

function withIds(subgraph: Subgraph, nodeIds: Ids, linkIds: Ids): Subgraph {
  const linkOf = (id: string) => linkIds.get(id) ?? id
  const boundary = (slots: Subgraph['inputs']) => ({
    ...slots,
    items: slots.items.map((slot) => ({ ...slot, linkIds: slot.linkIds.map(linkOf) })),
  })
  const nodes = subgraph.nodes.items.map((node) => renumberedNode(node, nodeIds, linkOf))
  const links = subgraph.links.items.map((link) => ({
    ...link,
    id: linkOf(link.id),
    from: { ...link.from, node: nodeIds.get(link.from.node) ?? link.from.node },
    to: { ...link.to, node: nodeIds.get(link.to.node) ?? link.to.node },
  }))
  return {
    ...subgraph,
    nodes: { ...subgraph.nodes, items: nodes },
    links: { ...subgraph.links, items: links },
    inputs: boundary(subgraph.inputs),
    outputs: boundary(subgraph.outputs),
    reroutes: renumberedReroutes(subgraph.reroutes, linkOf),
  }
}

function renumberedNode(node: GraphNode, nodeIds: Ids, linkOf: (id: string) => string): GraphNode {
  const inputs = node.inputs.items.map((slot) =>
    slot.link === undefined ? slot : { ...slot, link: linkOf(slot.link) },
  )
  const outputs = node.outputs.items.map((slot) => ({ ...slot, links: slot.links.map(linkOf) }))
  return {
    ...node,
    id: nodeIds.get(node.id ?? '') ?? node.id,
    inputs: { ...node.inputs, items: inputs },
    outputs: { ...node.outputs, items: outputs },
  }
}

function renumberedReroutes(reroutes: JsonValue | undefined, linkOf: (id: string) => string): JsonValue | undefined {
  if (!isArray(reroutes)) return reroutes
  return reroutes.map((one) => {
    const ids = isObject(one) ? one.get('linkIds') : undefined
    if (!isObject(one) || !isArray(ids)) return one
    return withKey(
      one,
      'linkIds',
      ids.map((id) => idJson(linkOf(asId(id) ?? '')) ?? null),
    )
  })
}

/**
 * Removes definitions that an edit left without instances.
 * @param before the earlier document; definitions already unused there stay
 */
export function withoutUnused(document: WorkflowDocument, before: WorkflowDocument): WorkflowDocument {
  const { definitions } = document
  if (definitions === undefined) return document
  const [used, usedBefore] = [usedIn(document), usedIn(before)]
  const items = definitions.subgraphs.items.filter(({ id = '' }) => used.has(id) || !usedBefore.has(id))
  if (items.length === definitions.subgraphs.items.length) return document
  return { ...document, definitions: { ...definitions, subgraphs: { ...definitions.subgraphs, items } } }
}

function usedIn(document: WorkflowDocument): ReadonlySet<string> {
  const definitions = new Map(document.definitions?.subgraphs.items.map((one) => [one.id ?? '', one]))
  const used = new Set<string>()
  const waiting = document.nodes.items.map(({ type = '' }) => type)
  for (let type = waiting.pop(); type !== undefined; type = waiting.pop()) {
    const definition = definitions.get(type)
    if (definition === undefined || used.has(type)) continue
    used.add(type)
    for (const node of definition.nodes.items) waiting.push(node.type ?? '')
  }
  return used
}

import { parseJson } from '../../../../lib/json/parse.ts'
import { type GraphNode, readDocument, type WorkflowDocument } from '../document/document.ts'
import type { Pair } from '../document/fields.ts'
import { recognise } from '../recognise.ts'
import type { Added } from './add-node.ts'
import type { GraphAddress } from './graph-at.ts'
import { allParts, insertParts } from './graph-parts.ts'

export type BlueprintOptions = { readonly pos: Pair; readonly newUuid: () => string }

/**
 * Adds the subgraph of a blueprint, a document with one subgraph node. As on ComfyUI's page each one gets definitions of
 * its own, so that a change of one leaves the others alone.
 * @returns undefined if it is no blueprint
 */
export function addBlueprint(
  document: WorkflowDocument,
  at: GraphAddress,
  text: string,
  { pos, newUuid }: BlueprintOptions,
): Added | undefined {
  const parsed = parseJson(text)
  const found = parsed === undefined ? undefined : recognise(parsed)
  if (found?.form !== 'document') return undefined
  const parts = allParts(readDocument(found.raw))
  const [host, ...others] = parts.nodes
  const ids = new Map(parts.definitions.map(({ id = '' }) => [id, newUuid()]))
  if (host === undefined || others.length > 0 || !ids.has(host.type ?? '')) return undefined
  const renamed = (node: GraphNode): GraphNode => ({ ...node, type: ids.get(node.type ?? '') ?? node.type })
  const definitions = parts.definitions.map((one) => ({
    ...one,
    id: ids.get(one.id ?? ''),
    nodes: { ...one.nodes, items: one.nodes.items.map(renamed) },
  }))
  const own = { ...parts, nodes: [renamed(host)], definitions, links: [], inbound: [], groups: [] }
  const { document: changed, ids: added } = insertParts(document, at, own, { pos, keepInbound: false, newUuid })
  return { document: changed, id: added.get(host.id ?? '') ?? '' }
}

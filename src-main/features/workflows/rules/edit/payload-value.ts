/** Sets an input of the payload where its value is held: on the node, or on the outermost host that shows it. */
import type { JsonValue } from '../../../../lib/json/value.ts'
import { SUBGRAPH_INPUT, subgraphsOf, type WorkflowDocument } from '../document/document.ts'
import { linkById, nodeById } from '../document/index-of.ts'
import type { NodeTypes } from '../node-types.ts'
import { whereIs } from '../payload-ids.ts'
import { type GraphAddress, graphAt } from './graph-at.ts'
import { setWidget } from './widgets.ts'

type PayloadValue = {
  readonly node: string
  readonly input: string
  readonly value: JsonValue
  readonly types: NodeTypes
}

export function setPayloadValue(
  document: WorkflowDocument,
  { node: payloadId, input, ...more }: PayloadValue,
): WorkflowDocument {
  const found = whereIs(document, payloadId)
  if (found === undefined) return document
  let place: Place = { path: found.path, node: found.node, name: input }
  for (let host = hostOf(document, place); host !== undefined; host = hostOf(document, place)) place = host
  const set = ({ path, node, name }: Place) => setWidget(document, addressOf(document, path), { ...more, node, name })
  const changed = set(place)
  return changed === document ? set({ ...found, name: input }) : changed
}

type Place = { readonly path: readonly string[]; readonly node: string; readonly name: string }

function hostOf(document: WorkflowDocument, { path, node, name }: Place): Place | undefined {
  const host = path.at(-1)
  const graph = subgraphsOf(document).get(addressOf(document, path) ?? '')
  const slot = graph && nodeById(graph, node)?.inputs.items.find((one) => (one.widget ?? one.name) === name)
  const link = graph && slot?.link !== undefined ? linkById(graph, slot.link) : undefined
  const shown = link?.from.node === SUBGRAPH_INPUT ? graph?.inputs.items[link.from.slot]?.name : undefined
  return host === undefined || shown === undefined ? undefined : { path: path.slice(0, -1), node: host, name: shown }
}

function addressOf(document: WorkflowDocument, path: readonly string[]): GraphAddress {
  let at: GraphAddress
  for (const id of path) at = graphAt(document, at)?.nodes.items.find((one) => one.id === id)?.type
  return at
}

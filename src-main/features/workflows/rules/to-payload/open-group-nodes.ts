/**
 * Converts group nodes (`workflow>NAME`, before 2025) to subgraphs; slots and values map to inner nodes only by order.
 * Source: docs/spec/comfyui.md, 1.3.
 */

import {
  asId,
  asIndex,
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../../../lib/json/value.ts'
import { type GraphNode, readNode, readSubgraph, type Subgraph, type WorkflowDocument } from '../document/document.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import { withDefinition } from '../edit/definitions.ts'
import type { NodeTypes } from '../node-types.ts'
import { valueSlots } from '../widgets.ts'

// Files of 2024 have the older slash.
const GROUP_NODE = /^workflow[>/](.+)$/s

export const isGroupNode = ({ type = '' }: GraphNode): boolean => GROUP_NODE.test(type)

/** Replaces each group node by a subgraph if its slots and values can be matched. */
export function openGroupNodes(document: WorkflowDocument, types: NodeTypes): WorkflowDocument {
  if (!document.nodes.items.some(isGroupNode)) return document
  const groups = isObject(document.extra) ? document.extra.get('groupNodes') : undefined
  if (!isObject(groups)) return document
  let opened = document
  const items = document.nodes.items.map((node) => {
    const group = groups.get(GROUP_NODE.exec(node.type ?? '')?.[1] ?? '')
    const definition = isObject(group) ? definitionOf(node, group, types) : undefined
    if (definition?.id === undefined) return node
    opened = withDefinition(opened, definition)
    return { ...node, type: definition.id }
  })
  return { ...opened, nodes: { ...opened.nodes, items } }
}

type InnerLink = { readonly from: number; readonly slot: number; readonly to: number; readonly toSlot: number }

type Free = { readonly node: number; readonly slot: number; readonly type: string }

function definitionOf(host: GraphNode, group: JsonObject, types: NodeTypes): Subgraph | undefined {
  const links = linksOf(group.get('links'))
  const nodes = nodesOf(group.get('nodes'))
  const filled = nodes && withHostValues(host, nodes, types)
  if (filled === undefined) return undefined
  const inputs = matched(host.inputs.items, freeInputs(filled, links))
  const outputs = matched(host.outputs.items, freeOutputs(filled, links, group.get('external')))
  if (inputs === undefined || outputs === undefined) return undefined
  return readSubgraph(
    new Map<string, JsonValue>([
      ['id', `${host.type}#${host.id}`],
      ['name', host.title ?? host.type ?? ''],
      ['inputs', host.inputs.items.map(boundarySlot)],
      ['outputs', host.outputs.items.map(boundarySlot)],
      ['nodes', filled.map((node, at) => innerNode(node, at, links, inputs))],
      ['links', innerLinks(links, inputs, outputs)],
    ]),
  )
}

function linksOf(raw: JsonValue | undefined): readonly InnerLink[] {
  return (isArray(raw) ? raw : []).flatMap((link) => {
    const [from, slot, to, toSlot] = isArray(link) ? link.map(asIndex) : []
    if (from === undefined || slot === undefined || to === undefined || toSlot === undefined) return []
    return [{ from, slot, to, toSlot }]
  })
}

// A group within a group, or with a primitive, is reported instead of guessed.
function nodesOf(raw: JsonValue | undefined): readonly GraphNode[] | undefined {
  const nodes = (isArray(raw) ? raw : []).flatMap((node) => (isObject(node) ? readNode(node) : []))
  return nodes.some((node) => isGroupNode(node) || node.type === 'PrimitiveNode') ? undefined : nodes
}

/** Distributes the host's values in order; undefined if the counts differ. */
function withHostValues(
  host: GraphNode,
  nodes: readonly GraphNode[],
  types: NodeTypes,
): readonly GraphNode[] | undefined {
  const given: JsonArray = isArray(host.widgetValues) ? host.widgetValues : []
  const counts = [countsOfParts(nodes), countsOfClasses(nodes, types)].find((one) => {
    return one?.reduce((sum, count) => sum + count, 0) === given.length
  })
  if (counts === undefined) return undefined
  let at = 0
  return nodes.map((node, index) => {
    const count = counts[index] ?? 0
    at += count
    return count === 0 ? node : { ...node, widgetValues: given.slice(at - count, at) }
  })
}

// Each part has as many values as when it was folded, whatever its class has gained since.
const countsOfParts = (nodes: readonly GraphNode[]): readonly number[] =>
  nodes.map(({ widgetValues }) => (isArray(widgetValues) ? widgetValues.length : 0))

function countsOfClasses(nodes: readonly GraphNode[], types: NodeTypes): readonly number[] | undefined {
  const counts = nodes.map((node) => {
    const type = typeOfNode(node, types)
    return node.type === 'Reroute' ? 0 : type && valueSlots(type).length
  })
  return counts.every((count) => count !== undefined) ? counts : undefined
}

function freeInputs(nodes: readonly GraphNode[], links: readonly InnerLink[]): readonly Free[] {
  const linked = new Set(links.map(({ to, toSlot }) => `${to} ${toSlot}`))
  const all = nodes.flatMap(({ inputs }, node) => {
    return inputs.items.map(({ type, widget }, slot) => ({ node, slot, type, isWidget: widget !== undefined }))
  })
  const free = all.filter(({ node, slot }) => !linked.has(`${node} ${slot}`))
  return [...free.filter(({ isWidget }) => !isWidget), ...free.filter(({ isWidget }) => isWidget)]
}

function freeOutputs(
  nodes: readonly GraphNode[],
  links: readonly InnerLink[],
  external: JsonValue | undefined,
): readonly Free[] {
  const hidden = new Set(links.map(({ from, slot }) => `${from} ${slot}`))
  for (const one of isArray(external) ? external : [])
    if (isArray(one)) hidden.delete(`${asId(one[0])} ${asId(one[1])}`)
  const all = nodes.flatMap(({ outputs }, node) => outputs.items.map(({ type }, slot) => ({ node, slot, type })))
  return all.filter(({ node, slot }) => !hidden.has(`${node} ${slot}`))
}

function matched(slots: readonly { readonly type: string }[], free: readonly Free[]): readonly Free[] | undefined {
  const found: Free[] = []
  let next = 0
  for (const { type } of slots) {
    while (next < free.length && free[next]?.type !== type) next += 1
    const one = free[next]
    if (one === undefined) return undefined
    found.push(one)
    next += 1
  }
  return found
}

const boundarySlot = ({ name = '', type }: { readonly name: string | undefined; readonly type: string }): JsonObject =>
  new Map([
    ['name', name],
    ['type', type],
  ])

function innerNode(node: GraphNode, at: number, links: readonly InnerLink[], entering: readonly Free[]): JsonObject {
  const linkInto = (slot: number): JsonValue => {
    const inside = links.findIndex(({ to, toSlot }) => to === at && toSlot === slot)
    const outside = entering.findIndex((one) => one.node === at && one.slot === slot)
    if (inside >= 0) return { number: String(inside) }
    return outside < 0 ? null : { number: String(links.length + outside) }
  }
  const inputs = node.inputs.items.map(({ raw }, slot) => new Map([...raw, ['link', linkInto(slot)]]))
  const values = node.widgetValues
  return new Map<string, JsonValue>([
    ...node.raw,
    ['id', { number: String(at) }],
    ['inputs', inputs],
    ...(values === undefined ? [] : [['widgets_values', values] as const]),
  ])
}

function innerLinks(
  links: readonly InnerLink[],
  inputs: readonly Free[],
  outputs: readonly Free[],
): readonly JsonValue[] {
  const all: (readonly number[])[] = [
    ...links.map(({ from, slot, to, toSlot }) => [from, slot, to, toSlot]),
    ...inputs.map(({ node, slot }, at) => [-10, at, node, slot]),
    ...outputs.map(({ node, slot }, at) => [node, slot, -20, at]),
  ]
  return all.map((ends, id) => [...[id, ...ends].map((value) => ({ number: String(value) })), '*'])
}

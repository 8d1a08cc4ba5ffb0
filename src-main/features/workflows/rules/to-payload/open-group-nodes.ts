/**
 * Converts group nodes (`workflow>NAME`, before 2025) to subgraphs. Source: docs/spec/comfyui.md, 1.3; ComfyUI's page
 * up to 1.36, compared by test/comfy.
 */

import {
  arrayAt,
  asIndex,
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  jsonNumber,
} from '../../../../lib/json/value.ts'
import { defaultAt } from '../default-values.ts'
import {
  type GraphNode,
  readNode,
  readSubgraph,
  SUBGRAPH_INPUT,
  SUBGRAPH_OUTPUT,
  type Subgraph,
  type WorkflowDocument,
} from '../document/document.ts'
import { readSlotType } from '../document/fields.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import { withDefinition } from '../edit/definitions.ts'
import { newInput } from '../edit/slots.ts'
import type { ValueSlot } from '../input-type.ts'
import type { NodeType, NodeTypes } from '../node-types.ts'
import { storedSlots, valueSlots } from '../widgets.ts'
import { type GroupLink, type GroupSlots, groupSlots, type InputEnd, type Part } from './group-slots.ts'
import { groupName, isGroupNode, virtualKind } from './virtual-nodes.ts'

export type OpenedGroups = {
  readonly document: WorkflowDocument
  /** Why a group node stays closed, by its id. */
  readonly reasons: ReadonlyMap<string, string>
}

export function openGroupNodes(document: WorkflowDocument, types: NodeTypes): OpenedGroups {
  const reasons = new Map<string, string>()
  if (!document.nodes.items.some(isGroupNode)) return { document, reasons }
  const groups = isObject(document.extra) ? document.extra.get('groupNodes') : undefined
  let opened = document
  const items = document.nodes.items.map((node) => {
    const name = groupName(node)
    if (name === undefined) return node
    const definition = definitionOf(node, isObject(groups) ? groups.get(name) : undefined, types)
    if (typeof definition === 'string') {
      reasons.set(node.id ?? '', definition)
      return node
    }
    opened = withDefinition(opened, definition)
    return { ...node, type: definition.id, widgetValues: undefined }
  })
  return { document: { ...opened, nodes: { ...opened.nodes, items } }, reasons }
}

function definitionOf(host: GraphNode, group: JsonValue | undefined, types: NodeTypes): Subgraph | string {
  if (!isObject(group) || !isArray(group.get('nodes'))) return 'the file does not define it'
  const nodes = arrayAt(group, 'nodes').flatMap((node) => (isObject(node) ? readNode(node) : []))
  const links = linksOf(group)
  const nested = nodes.find(isGroupNode)
  if (nested !== undefined) return `it contains another group node, ${nested.type}`
  const parts = nodes.map((node, at) => partOf(node, typeOfNode(node, types), { at, nodes, links }))
  const given = arrayOf(host.widgetValues)
  const slots = slotsFor(given.length, group, parts, links)
  const inputs = host.inputs.items.flatMap(({ name, type, link }) => (link === undefined ? [] : { name, type }))
  const unknown = inputs.find(({ name }) => slots.inputs.every((one) => one.name !== name))
  if (unknown !== undefined) return `none of its nodes has the input ${unknown.name}`
  const outputs = host.outputs.items.map(({ name, type }, at) => ({ name, type, end: outputNamed(slots, name, at) }))
  if (outputs.some(({ end }) => end === undefined)) return 'its nodes do not have its outputs'
  const entering = inputs.flatMap(({ name }) => slots.inputs.find((one) => one.name === name) ?? [])
  const inner = parts.map((one, part) => withSlots(withValues(one, part, { slots, given, types }), part, entering))
  const ends = entering.map(({ part, input }) => ({ part, slot: slotIndex(inner[part], input) }))
  return readSubgraph(
    new Map<string, JsonValue>([
      ['id', `${host.type}#${host.id}`],
      ['name', host.title ?? host.type ?? ''],
      ['inputs', inputs.map(boundarySlot)],
      ['outputs', outputs.map(boundarySlot)],
      ['nodes', inner.map((node, at) => innerNode(node, at, links, ends))],
      ['links', writeLinks(links, ends, outputs)],
    ]),
  )
}

const arrayOf = (value: JsonValue | undefined): JsonArray => (isArray(value) ? value : [])

// Links to nodes outside the group have null ends.
function linksOf(group: JsonObject): readonly GroupLink[] {
  return arrayAt(group, 'links').flatMap((link) => {
    const [from, slot, to, toSlot] = isArray(link) ? link.map(asIndex) : []
    if (from === undefined || slot === undefined || to === undefined || toSlot === undefined) return []
    return [{ from, slot, to, toSlot, type: isArray(link) ? readSlotType(link[TYPE_AT]) : '*' }]
  })
}

const TYPE_AT = 5

type Among = { readonly at: number; readonly nodes: readonly GraphNode[]; readonly links: readonly GroupLink[] }

function partOf(node: GraphNode, type: NodeType | undefined, among: Among): Part {
  const kind = virtualKind(node)
  if (kind === 'pass') {
    const passed = passedType(among)
    return { node, inputs: [node.inputs.items[0]?.name ?? ''], values: [], outputs: [passed], shownAs: passed }
  }
  if (kind === 'value') {
    const link = among.links.find(({ from }) => from === among.at)
    const values = link === undefined ? [] : valuesOfPrimitive(link.type)
    return {
      node,
      inputs: values.length === 0 ? [] : ['value'],
      values,
      outputs: node.outputs.items.map(() => 'value'),
    }
  }
  if (kind !== undefined) return { node, inputs: [], values: [], outputs: [] }
  const inputs = type?.inputs ?? node.inputs.items
  const outputs = type?.outputs ?? node.outputs.items
  return {
    node,
    inputs: inputs.map(({ name = '' }) => name),
    values: type === undefined ? (storedSlots(node, undefined) ?? []) : valueSlots(type),
    outputs: outputs.map(({ name = '' }) => name),
  }
}

function valuesOfPrimitive(type: string): readonly ValueSlot[] {
  const value: ValueSlot = { name: 'value', kind: 'input' }
  const control: ValueSlot = { name: 'value', kind: 'control' }
  if (type === 'COMBO') return [value, control, { name: 'value', kind: 'filter' }]
  return type === 'INT' || type === 'FLOAT' ? [value, control] : [value]
}

/** The type of a reroute: its target's, else its source's. */
function passedType({ at, nodes, links }: Among): string {
  const ends = [
    ...links.map(({ from, to, toSlot }) => (from === at ? nodes[to]?.inputs.items[toSlot]?.type : undefined)),
    ...links.map(({ from, slot, to }) => (to === at ? nodes[from]?.outputs.items[slot]?.type : undefined)),
  ]
  return ends.find((type) => type !== undefined && type !== '*') ?? '*'
}

/** If classes have gained inputs since, each part has only the values that were stored when it was grouped. */
function slotsFor(count: number, group: JsonObject, parts: readonly Part[], links: readonly GroupLink[]): GroupSlots {
  const slots = groupSlots(group, parts, links)
  const folded = parts.map((part) => ({
    ...part,
    values: part.values.slice(0, arrayOf(part.node.widgetValues).length),
  }))
  const foldedCount = folded.reduce((sum, { values }) => sum + values.length, 0)
  return count === slots.values.length || count !== foldedCount ? slots : groupSlots(group, folded, links)
}

const outputNamed = ({ outputs }: GroupSlots, name: string | undefined, at: number) =>
  outputs.find((one) => one.name === name) ?? outputs[at]

type Given = { readonly slots: GroupSlots; readonly given: JsonArray; readonly types: NodeTypes }

// A value missing in the group node is the class's default.
function withValues({ node, values }: Part, part: number, { slots, given, types }: Given): GraphNode {
  const type = typeOfNode(node, types)
  const own = storedSlots(node, type) ?? []
  const stored = arrayOf(node.widgetValues)
  const shown = slots.values.flatMap((slot, at) => (slot.part === part ? [{ ...slot, given: given[at] }] : []))
  const widgetValues = (type === undefined ? values : valueSlots(type)).map((slot): JsonValue => {
    const isSame = ({ name, kind }: ValueSlot) => name === slot.name && kind === slot.kind
    const held = shown.find(isSame)
    const before = held === undefined ? own.find(isSame)?.at : undefined
    const input = type?.inputs.find(({ name }) => name === slot.name)
    return held?.given ?? (before === undefined ? undefined : stored[before]) ?? defaultAt(slot, input)
  })
  return widgetValues.length === 0 ? node : { ...node, widgetValues }
}

// Parts of older files list no slot for a widget.
function withSlots(node: GraphNode, part: number, entering: readonly InputEnd[]): GraphNode {
  const missing = entering.filter((end) => end.part === part && slotIndex(node, end.input) < 0)
  if (missing.length === 0) return node
  const added = missing.map(({ input }) => newInput({ name: input, type: '*', isOptional: false, widget: input }))
  return { ...node, inputs: { ...node.inputs, items: [...node.inputs.items, ...added] } }
}

const slotIndex = (node: GraphNode | undefined, input: string): number =>
  node?.inputs.items.findIndex(({ name = '' }) => name === input) ?? -1

const boundarySlot = ({ name = '', type }: { readonly name: string | undefined; readonly type: string }): JsonObject =>
  new Map([
    ['name', name],
    ['type', type],
  ])

type End = { readonly part: number; readonly slot: number }

function innerNode(node: GraphNode, at: number, links: readonly GroupLink[], entering: readonly End[]): JsonObject {
  const linkInto = (slot: number): JsonValue => {
    const inside = links.findIndex(({ to, toSlot }) => to === at && toSlot === slot)
    const outside = entering.findIndex((end) => end.part === at && end.slot === slot)
    if (inside >= 0) return jsonNumber(inside)
    return outside < 0 ? null : jsonNumber(links.length + outside)
  }
  const inputs = node.inputs.items.map(({ raw }, slot) => new Map([...raw, ['link', linkInto(slot)]]))
  const values = node.widgetValues
  return new Map<string, JsonValue>([
    ...node.raw,
    ['id', jsonNumber(at)],
    ['inputs', inputs],
    ...(values === undefined ? [] : [['widgets_values', values] as const]),
  ])
}

function writeLinks(
  links: readonly GroupLink[],
  inputs: readonly End[],
  outputs: readonly { readonly end: End | undefined }[],
): readonly JsonValue[] {
  const all: (readonly number[])[] = [
    ...links.map(({ from, slot, to, toSlot }) => [from, slot, to, toSlot]),
    ...inputs.map(({ part, slot }, at) => [Number(SUBGRAPH_INPUT), at, part, slot]),
    ...outputs.flatMap(({ end }, at) => (end === undefined ? [] : [[end.part, end.slot, Number(SUBGRAPH_OUTPUT), at]])),
  ]
  return all.map((ends, id) => [...[id, ...ends].map(jsonNumber), '*'])
}

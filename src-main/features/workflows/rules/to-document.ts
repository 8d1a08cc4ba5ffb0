/**
 * Converts a payload to a laid-out document, reversibly: data without a field goes into node properties. Source:
 * docs/spec/image-workflows.md, 2.4; docs/spec/comfyui.md, 3.
 */

import { isArray, isObject, type JsonObject, type JsonValue, jsonNumber } from '../../../lib/json/value.ts'
import { layOut, type Position } from './arrange/lay-out.ts'
import { defaultAt } from './default-values.ts'
import type { Pair } from './document/fields.ts'
import { nodeSize, TITLE_PX } from './document/node-size.ts'
import { isChoice, typeOfPayloadNode } from './dynamic-inputs.ts'
import { type InputType, isWidget } from './input-type.ts'
import type { NodeType, NodeTypes } from './node-types.ts'
import { linksInto, type PayloadNode, readPayloadNodes } from './payload.ts'
import { isPrompt, plainPrompt } from './resolve/dynamic-prompts.ts'
import { VIRTUAL_KINDS } from './to-payload/virtual-nodes.ts'
import { isPagePart, isSent, isStored, LEFT_OUT, OTHER_INPUTS, valueSlots } from './widgets.ts'

type NewLink = {
  readonly id: number
  readonly from: string
  readonly slot: number
  readonly to: string
  readonly toSlot: number
  readonly type: string
}
type Slot = { readonly name: string; readonly type: string; readonly isWidget: boolean; readonly isOptional: boolean }

// An unknown class has as many outputs as its links need. Higher indexes are a mistake and stored as values: a payload
// could ask for millions.
const SLOTS_MAX = 100

export function toDocument(payload: JsonObject, types: NodeTypes): JsonObject {
  const parts = partsOf(readPayloadNodes(payload), types)
  const links = newLinks(parts)
  const outOf = Map.groupBy(links, ({ from }) => from)
  const drawn = parts.map((part): Drawn => {
    const leaving = outOf.get(part.node.id) ?? []
    const outputs = outputSlots(part.type, leaving)
    return { ...part, outputs, leaving, size: nodeSize(part.inputs.length, outputs.length, part.type) }
  })
  const positions = layOut(
    drawn.map(({ node: { id }, into, size: [width, height] }) => {
      return { id, width, height: height + TITLE_PX, from: into.map((link) => link.node) }
    }),
  )
  const highest = parts.reduce((most, { node }) => Math.max(most, /^\d{1,9}$/.test(node.id) ? Number(node.id) : 0), 0)
  return new Map<string, JsonValue>([
    ['last_node_id', jsonNumber(highest)],
    ['last_link_id', jsonNumber(links.length)],
    ['nodes', drawn.map((part, order) => documentNode(part, order, positions.get(part.node.id) ?? { x: 0, y: 0 }))],
    ['links', links.map(writeLink)],
    ['groups', []],
    ['config', new Map()],
    ['extra', new Map()],
    ['version', { number: '0.4' }],
  ])
}

type Part = {
  readonly node: PayloadNode
  readonly type: NodeType | undefined
  readonly into: ReturnType<typeof linksInto>
  readonly inputs: readonly Slot[]
  readonly entering: number[]
}

type Drawn = Part & {
  readonly outputs: readonly OutputSlot[]
  readonly leaving: readonly NewLink[]
  readonly size: Pair
}

function partsOf(nodes: readonly PayloadNode[], types: NodeTypes): readonly Part[] {
  return nodes.map((node) => {
    const type = typeOfPayloadNode(node, types)
    const into = linksInto(node).filter(({ slot }) => slot < SLOTS_MAX)
    return { node, type, into, inputs: inputSlots(node, into, type), entering: [] }
  })
}

function writeLink({ id, from, slot, to, toSlot, type }: NewLink): JsonValue {
  return [jsonNumber(id), idOf(from), jsonNumber(slot), idOf(to), jsonNumber(toSlot), type]
}

const idOf = (id: string): JsonValue => (/^(0|[1-9]\d{0,8})$/.test(id) ? { number: id } : id)

/**
 * Orders slots as ComfyUI's page does: class sockets, linked widgets, choices with their inputs, then extras. Other
 * orders may lose links of growing lists.
 */
function inputSlots(node: PayloadNode, into: Part['into'], type: NodeType | undefined): readonly Slot[] {
  const linked = new Set(into.map(({ input }) => input))
  const declared = type === undefined ? [] : factsOf(type).slots
  const slots = declared.filter(({ name, isAlwaysShown }) => isAlwaysShown || linked.has(name))
  const known = new Set(slots.map(({ name }) => name))
  const others = [...linked].filter((name) => !known.has(name))
  // For an unknown class, only the slots name the values.
  const unnamed = [...(type === undefined ? node.inputs : [])].filter(
    ([name, value]) => !linked.has(name) && !isChanged(name, value),
  )
  return [
    ...slots,
    ...others.map((name): Slot => ({ name, type: '*', isWidget: false, isOptional: false })),
    ...unnamed.map(([name]): Slot => ({ name, type: '*', isWidget: true, isOptional: false })),
  ]
}

type ClassFacts = {
  readonly slots: readonly (Slot & { readonly isAlwaysShown: boolean })[]
  readonly widgets: ReadonlySet<string>
  readonly inputs: ReadonlyMap<string, InputType>
}

const factsOfTypes = new WeakMap<NodeType, ClassFacts>()

function factsOf(type: NodeType): ClassFacts {
  const facts = factsOfTypes.get(type) ?? readFacts(type)
  factsOfTypes.set(type, facts)
  return facts
}

export const slotsOfClass = (type: NodeType): readonly Slot[] => factsOf(type).slots

function readFacts({ inputs }: NodeType): ClassFacts {
  const choices = inputs.filter(isChoice).map(({ name }) => `${name}.`)
  const isSocket = (input: InputType) => !isWidget(input) && !choices.some((start) => input.name.startsWith(start))
  const ordered = [...inputs.filter(isSocket), ...inputs.filter((input) => !isSocket(input))]
  const widgets = inputs.filter((input) => isWidget(input) && isStored(input) && isSent(input))
  return {
    slots: ordered.map((input) => {
      const { name, type, isRequired, page } = input
      const isAlwaysShown = page === undefined && !isWidget(input)
      return { name, type, isWidget: isWidget(input), isOptional: !isRequired, isAlwaysShown }
    }),
    widgets: new Set(widgets.map(({ name }) => name)),
    inputs: new Map(inputs.map((input) => [input.name, input])),
  }
}

function newLinks(parts: readonly Part[]): readonly NewLink[] {
  const typeOf = new Map(parts.map(({ node, type }) => [node.id, type]))
  const links: NewLink[] = []
  for (const { node, into, inputs, entering } of parts) {
    const linkTo = new Map(into.map((link) => [link.input, link]))
    for (const [toSlot, { name }] of inputs.entries()) {
      const link = linkTo.get(name)
      if (link === undefined) continue
      const { node: from, slot } = link
      const type = typeOf.get(from)?.outputs[slot]?.type ?? '*'
      links.push({ id: links.length + 1, from, slot, to: node.id, toSlot, type })
      entering[toSlot] = links.length
    }
  }
  return links
}

type OutputSlot = { readonly name: string; readonly type: string }

function outputSlots(type: NodeType | undefined, leaving: readonly NewLink[]): readonly OutputSlot[] {
  if (type !== undefined) return type.outputs
  const most = leaving.reduce((sum, { slot }) => Math.max(sum, slot), -1)
  return Array.from({ length: most + 1 }, (_, at) => ({ name: `output ${at}`, type: '*' }))
}

function documentNode(part: Drawn, order: number, { x, y }: Position): JsonObject {
  const { node, type, inputs, outputs, leaving, entering, size } = part
  const { id, classType, title } = node
  const { values, others } = valuesOf(part)
  const written = outputs.map((slot, at) =>
    writeOutput(
      slot,
      leaving.filter((link) => link.slot === at),
    ),
  )
  const drawn = new Map<string, JsonValue>()
    .set('id', idOf(id))
    .set('type', classType)
    .set('pos', [jsonNumber(x), jsonNumber(y)])
    .set('size', [jsonNumber(size[0]), jsonNumber(size[1])])
    .set('flags', new Map())
    .set('order', jsonNumber(order))
    .set('mode', { number: '0' })
    .set(
      'inputs',
      inputs.map((slot, at) => writeInput(slot, entering[at])),
    )
    .set('outputs', written)
  if (title !== undefined && title !== (type?.displayName ?? classType)) drawn.set('title', title)
  return drawn
    .set('properties', new Map<string, JsonValue>([['Node name for S&R', classType], ...others]))
    .set('widgets_values', values)
}

// Uses set instead of a list of pairs, which would double the garbage for tens of thousands of slots.
function writeOutput({ name, type }: OutputSlot, links: readonly NewLink[]): JsonObject {
  return new Map<string, JsonValue>()
    .set('name', name)
    .set('type', type)
    .set(
      'links',
      links.map(({ id }) => jsonNumber(id)),
    )
}

function writeInput({ name, type, isWidget, isOptional }: Slot, link: number | undefined): JsonObject {
  const input = new Map<string, JsonValue>().set('name', name).set('type', type)
  if (isOptional) input.set('shape', { number: '7' })
  if (isWidget) input.set('widget', new Map([['name', name]]))
  return input.set('link', link === undefined ? null : jsonNumber(link))
}

/** One value per widget slot, or its default; other values and omitted names go into a property. */
function valuesOf({ node, type, into }: Part) {
  const linked = new Set(into.map(({ input }) => input))
  const { widgets, inputs } =
    type === undefined ? { widgets: new Set(node.inputs.keys()), inputs: NO_INPUTS } : factsOf(type)
  const others: [string, JsonValue][] = []
  const held = new Map<string, JsonValue>()
  for (const [name, value] of node.inputs) {
    if (linked.has(name)) continue
    if (widgets.has(name) && !isChanged(name, value)) held.set(name, value)
    else others.push([name, value])
  }
  const leftOut = [...widgets].filter((name) => !node.inputs.has(name))
  const places =
    type === undefined ? [...held.keys()].map((name) => ({ name, kind: 'input' }) as const) : valueSlots(type)
  const values = places.map((valueSlot): JsonValue => {
    if (valueSlot.kind === 'control') return 'fixed'
    const value = valueSlot.kind === 'input' ? held.get(valueSlot.name) : undefined
    const input = inputs.get(valueSlot.name)
    if (value === undefined) return defaultAt(valueSlot, input)
    return isPrompt(input) && typeof value === 'string' ? plainPrompt(value) : unwrapped(value)
  })
  return {
    values,
    others: [
      ...(others.length === 0 && !VIRTUAL_KINDS.has(node.classType) ? [] : [[OTHER_INPUTS, new Map(others)] as const]),
      ...(leftOut.length === 0 ? [] : [[LEFT_OUT, leftOut] as const]),
    ],
  }
}

const NO_INPUTS: ClassFacts['inputs'] = new Map()

/** A payload wraps an array, which would otherwise be read as a link. */
function unwrapped(value: JsonValue): JsonValue {
  const inner = isObject(value) && value.size === 1 ? value.get('__value__') : undefined
  return inner !== undefined && isArray(inner) ? inner : value
}

// A widget would wrap an array, and widgets that exist only in the page are not sent.
const isChanged = (name: string, value: JsonValue): boolean =>
  isArray(value) || (isObject(value) && value.has('__value__') && unwrapped(value) === value) || isPagePart(name, value)

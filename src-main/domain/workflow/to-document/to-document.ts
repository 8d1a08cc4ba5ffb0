/**
 * From a payload to a document: nodes laid out, with every link and value. Converting back gives the payload again: what
 * a document has no place for stays in the properties of its node. Source: image-workflows, rule 4; editor research, 3.
 */

import { layOut, type Place } from '../arrange/lay-out.ts'
import { nodeSize, TITLE_PX } from '../document/node-size.ts'
import type { Pair } from '../document/values.ts'
import { typeOfPayloadNode } from '../dynamic-inputs.ts'
import { isArray, isObject, type JsonObject, type JsonValue, jsonNumber } from '../json/value.ts'
import type { NodeType, NodeTypes } from '../node-types.ts'
import { linksInto, type PayloadNode, readPayloadNodes } from '../payload.ts'
import { isWidget, OTHER_INPUTS, widgetPlaces } from '../widgets.ts'

type NewLink = {
  readonly id: number
  readonly from: string
  readonly slot: number
  readonly to: string
  readonly place: number
  readonly type: string
}
type Slot = { readonly name: string; readonly type: string; readonly isWidget: boolean; readonly isOptional: boolean }

// A class that nobody knows has as many outputs as links ask for. More than this is no link but a mistake, and is kept as
// a value is: a payload could ask for millions.
const SLOTS_MAX = 100

/** Makes a document of a payload. @param types classes whose slots and values are known */
export function toDocument(payload: JsonObject, types: NodeTypes): JsonObject {
  const parts = partsOf(readPayloadNodes(payload), types)
  const links = newLinks(parts)
  const outOf = Map.groupBy(links, ({ from }) => from)
  const drawn = parts.map((part): Drawn => {
    const leaving = outOf.get(part.node.id) ?? []
    const outputs = outputSlots(part.type, leaving)
    return { ...part, outputs, leaving, size: nodeSize(part.inputs.length, outputs.length, part.type) }
  })
  const places = layOut(
    drawn.map(({ node: { id }, into, size: [width, height] }) => {
      return { id, width, height: height + TITLE_PX, from: into.map((link) => link.node) }
    }),
  )
  const highest = parts.reduce((most, { node }) => Math.max(most, /^\d{1,9}$/.test(node.id) ? Number(node.id) : 0), 0)
  return new Map<string, JsonValue>([
    ['last_node_id', jsonNumber(highest)],
    ['last_link_id', jsonNumber(links.length)],
    ['nodes', drawn.map((part, order) => documentNode(part, order, places.get(part.node.id) ?? { x: 0, y: 0 }))],
    ['links', links.map(writeLink)],
    ['groups', []],
    ['config', new Map()],
    ['extra', new Map()],
    ['version', { number: '0.4' }],
  ])
}

/** A node with its class, its slots, and the links into it. `entering`: ids of links by the place of the slot. */
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
    return { node, type, into, inputs: inputSlots(into, type), entering: [] }
  })
}

function writeLink({ id, from, slot, to, place, type }: NewLink): JsonValue {
  return [jsonNumber(id), idOf(from), jsonNumber(slot), idOf(to), jsonNumber(place), type]
}

const idOf = (id: string): JsonValue => (/^(0|[1-9]\d{0,8})$/.test(id) ? { number: id } : id)

/** The slots of a node: sockets of its class, then widgets that something is linked to, then what only the payload has. */
function inputSlots(into: Part['into'], type: NodeType | undefined): readonly Slot[] {
  const linked = new Set(into.map(({ input }) => input))
  const slots: Slot[] = []
  for (const input of type?.inputs ?? []) {
    const isOfWidget = isWidget(input)
    if (isOfWidget && !linked.has(input.name)) continue
    linked.delete(input.name)
    slots.push({ name: input.name, type: input.type, isWidget: isOfWidget, isOptional: !input.isRequired })
  }
  for (const name of linked) slots.push({ name, type: '*', isWidget: false, isOptional: false })
  return slots
}

function newLinks(parts: readonly Part[]): readonly NewLink[] {
  const typeOf = new Map(parts.map(({ node, type }) => [node.id, type]))
  const links: NewLink[] = []
  for (const { node, into, inputs, entering } of parts) {
    const linkTo = new Map(into.map((link) => [link.input, link]))
    for (const [place, { name }] of inputs.entries()) {
      const link = linkTo.get(name)
      if (link === undefined) continue
      const { node: from, slot } = link
      const type = typeOf.get(from)?.outputs[slot]?.type ?? '*'
      links.push({ id: links.length + 1, from, slot, to: node.id, place, type })
      entering[place] = links.length
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

function documentNode(part: Drawn, order: number, { x, y }: Place): JsonObject {
  const { node, type, inputs, outputs, leaving, entering, size } = part
  const { id, classType, title } = node
  const { values, others } = valuesOf(part)
  return new Map<string, JsonValue>([
    ['id', idOf(id)],
    ['type', classType],
    ['pos', [jsonNumber(x), jsonNumber(y)]],
    ['size', [jsonNumber(size[0]), jsonNumber(size[1])]],
    ['flags', new Map()],
    ['order', jsonNumber(order)],
    ['mode', { number: '0' }],
    ['inputs', inputs.map((slot, at) => writeInput(slot, entering[at]))],
    [
      'outputs',
      outputs.map((slot, at) =>
        writeOutput(
          slot,
          leaving.filter((link) => link.slot === at),
        ),
      ),
    ],
    ...(title === undefined || title === (type?.displayName ?? classType) ? [] : [['title', title] as const]),
    ['properties', new Map<string, JsonValue>([['Node name for S&R', classType], ...others])],
    ['widgets_values', values],
  ])
}

function writeOutput({ name, type }: OutputSlot, links: readonly NewLink[]): JsonObject {
  const ids = links.map(({ id }) => jsonNumber(id))
  return new Map<string, JsonValue>([
    ['name', name],
    ['type', type],
    ['links', ids],
  ])
}

function writeInput({ name, type, isWidget, isOptional }: Slot, link: number | undefined): JsonObject {
  return new Map<string, JsonValue>([
    ['name', name],
    ['type', type],
    ...(isOptional ? [['shape', { number: '7' }] as const] : []),
    ...(isWidget ? [['widget', new Map([['name', name]])] as const] : []),
    ['link', link === undefined ? null : jsonNumber(link)],
  ])
}

/**
 * The values of a node as a document holds them. By place where each has one, else by name, which readers of files know
 * too; what a document could not give back as it was goes into a property.
 */
function valuesOf({ node, type, into }: Part) {
  const linked = new Set(into.map(({ input }) => input))
  const values = new Map<string, JsonValue>()
  const others = new Map<string, JsonValue>()
  for (const [name, value] of node.inputs) {
    if (linked.has(name)) continue
    const isWrapped = isArray(value) || (isObject(value) && value.has('__value__'))
    const isOther = isWrapped || (type !== undefined && !hasWidget(type, name))
    ;(isOther ? others : values).set(name, value)
  }
  return {
    values: type === undefined ? values : (byPlace(values, node, type) ?? values),
    others: others.size === 0 ? [] : [[OTHER_INPUTS, others] as const],
  }
}

const hasWidget = ({ inputs }: NodeType, name: string): boolean =>
  inputs.some((input) => input.name === name && isWidget(input))

/** Undefined where one has no value: it would be given one. */
function byPlace(values: JsonObject, { inputs }: PayloadNode, type: NodeType): JsonValue | undefined {
  const places = widgetPlaces(type)
  if (places.some(({ name, kind }) => kind === 'input' && !inputs.has(name))) return undefined
  return places.map(({ name, kind }) => {
    if (kind === 'control') return 'fixed'
    if (kind === 'filter') return ''
    return kind === 'upload' ? 'image' : (values.get(name) ?? null)
  })
}

/**
 * From a payload to a document: nodes laid out, with every link and value. Converting back gives the payload again: what
 * a document has no place for stays in the properties of its node. Source: image-workflows, rule 4; editor research, 3.
 */

import { layOut, type Place } from '../arrange/lay-out.ts'
import { defaultAt } from '../default-values.ts'
import { nodeSize, TITLE_PX } from '../document/node-size.ts'
import type { Pair } from '../document/values.ts'
import { typeOfPayloadNode } from '../dynamic-inputs.ts'
import { isWidget } from '../input-type.ts'
import { isArray, isObject, type JsonObject, type JsonValue, jsonNumber } from '../json/value.ts'
import type { NodeType, NodeTypes } from '../node-types.ts'
import { linksInto, type PayloadNode, readPayloadNodes } from '../payload.ts'
import { isSent, isStored, LEFT_OUT, OTHER_INPUTS, widgetPlaces } from '../widgets.ts'

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
    return { node, type, into, inputs: inputSlots(node, into, type), entering: [] }
  })
}

function writeLink({ id, from, slot, to, place, type }: NewLink): JsonValue {
  return [jsonNumber(id), idOf(from), jsonNumber(slot), idOf(to), jsonNumber(place), type]
}

const idOf = (id: string): JsonValue => (/^(0|[1-9]\d{0,8})$/.test(id) ? { number: id } : id)

/**
 * The slots of a node: sockets of its class, then its widgets, then what only the payload has. Editors of the field have a
 * slot for every widget, and find links by it.
 */
function inputSlots(node: PayloadNode, into: Part['into'], type: NodeType | undefined): readonly Slot[] {
  const linked = new Set(into.map(({ input }) => input))
  const declared = (type?.inputs ?? []).filter(({ name, page }) => page === undefined || linked.has(name))
  const [widgets, sockets] = [declared.filter(isWidget), declared.filter((input) => !isWidget(input))]
  const slots = [...sockets, ...widgets].map((input): Slot => {
    return { name: input.name, type: input.type, isWidget: isWidget(input), isOptional: !input.isRequired }
  })
  const known = new Set(slots.map(({ name }) => name))
  const others = [...linked].filter((name) => !known.has(name))
  // Of a class that nobody knows the slots alone name the values.
  const unnamed = [...(type === undefined ? node.inputs : [])].filter(
    ([name, value]) => !linked.has(name) && !isKept(value),
  )
  return [
    ...slots,
    ...others.map((name): Slot => ({ name, type: '*', isWidget: false, isOptional: false })),
    ...unnamed.map(([name]): Slot => ({ name, type: '*', isWidget: true, isOptional: false })),
  ]
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
 * The values of a node as a document holds them: one for each widget in its place, a default where the payload has none. What
 * a document has no place for goes into a property, and so do the names of what the payload left out.
 */
function valuesOf({ node, type, into }: Part) {
  const linked = new Set(into.map(({ input }) => input))
  const own = [...node.inputs].filter(([name]) => !linked.has(name))
  const widgets = new Set(type === undefined ? node.inputs.keys() : storedWidgets(type))
  const others = own.filter(([name, value]) => !widgets.has(name) || isKept(value))
  const held = new Map(own.filter(([name, value]) => widgets.has(name) && !isKept(value)))
  const leftOut = [...widgets].filter((name) => !node.inputs.has(name))
  const inputs = new Map(type?.inputs.map((input) => [input.name, input]))
  const places =
    type === undefined ? [...held.keys()].map((name) => ({ name, kind: 'input' }) as const) : widgetPlaces(type)
  const values = places.map((place): JsonValue => {
    if (place.kind === 'control') return 'fixed'
    const value = place.kind === 'input' ? held.get(place.name) : undefined
    return value === undefined ? defaultAt(place, inputs.get(place.name)) : unwrapped(value)
  })
  return {
    values,
    others: [
      ...(others.length === 0 ? [] : [[OTHER_INPUTS, new Map(others)] as const]),
      ...(leftOut.length === 0 ? [] : [[LEFT_OUT, leftOut] as const]),
    ],
  }
}

const storedWidgets = ({ inputs }: NodeType): readonly string[] =>
  inputs.flatMap((input) => (isWidget(input) && isStored(input) && isSent(input) ? input.name : []))

/** An array is wrapped in a payload, where it would be read as a link. */
function unwrapped(value: JsonValue): JsonValue {
  const inner = isObject(value) && value.size === 1 ? value.get('__value__') : undefined
  return inner !== undefined && isArray(inner) ? inner : value
}

// A widget would give it another form: an array would be wrapped.
const isKept = (value: JsonValue): boolean =>
  isArray(value) || (isObject(value) && value.has('__value__') && unwrapped(value) === value)

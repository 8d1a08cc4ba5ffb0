/**
 * From a payload to a document: nodes laid out, with every link and value. Converting back gives the payload again: what
 * a document has no place for stays in the properties of its node. Source: image-workflows, rule 4; editor research, 3.
 */
import { isArray, isObject, type JsonObject, type JsonValue, jsonNumber } from '../json/value.ts'
import type { NodeType, NodeTypes } from '../node-types.ts'
import { linksInto, type PayloadNode, readLink, readPayloadNodes } from '../payload.ts'
import { isWidget, OTHER_INPUTS, widgetPlaces } from '../widgets.ts'
import { layOut, type Place } from './layout.ts'

const WIDTH = 315
const TITLE_PX = 30
const SLOT_PX = 20
const WIDGET_PX = 24
const TEXT_PX = 120

type NewLink = {
  readonly id: number
  readonly from: string
  readonly slot: number
  readonly to: string
  readonly place: number
  readonly type: string
}
type Slot = { readonly name: string; readonly type: string; readonly isWidget: boolean; readonly isOptional: boolean }

/** Makes a document of a payload. @param types classes whose slots and values are known */
export function toDocument(payload: JsonObject, types: NodeTypes): JsonObject {
  const nodes = readPayloadNodes(payload)
  const typeOf = new Map(nodes.map(({ id, classType }) => [id, types.get(classType)]))
  const slots = new Map(nodes.map((node) => [node.id, inputSlots(node, typeOf.get(node.id))]))
  const links = newLinks(nodes, slots, typeOf)
  const into = new Map(links.map((link) => [`${link.to} ${link.place}`, link]))
  const outOf = Map.groupBy(links, ({ from }) => from)
  const parts = nodes.map((node, order) => {
    const type = typeOf.get(node.id)
    const leaving = outOf.get(node.id) ?? []
    const inputs = slots.get(node.id) ?? []
    const outputs = outputSlots(type, leaving)
    const height = heightOf(inputs.length, outputs.length, type)
    return { node, order, type, inputs, outputs, leaving, into, height }
  })
  const places = layOut(
    parts.map(({ node, height }) => {
      return { id: node.id, width: WIDTH, height: height + TITLE_PX, from: linksInto(node).map((link) => link.node) }
    }),
  )
  const numbers = nodes.map(({ id }) => (/^\d{1,9}$/.test(id) ? Number(id) : 0))
  return new Map<string, JsonValue>([
    ['last_node_id', jsonNumber(numbers.reduce((most, one) => Math.max(most, one), 0))],
    ['last_link_id', jsonNumber(links.length)],
    ['nodes', parts.map((part) => documentNode(part, places.get(part.node.id) ?? { x: 0, y: 0 }))],
    ['links', links.map(writeLink)],
    ['groups', []],
    ['config', new Map()],
    ['extra', new Map()],
    ['version', { number: '0.4' }],
  ])
}

function writeLink({ id, from, slot, to, place, type }: NewLink): JsonValue {
  return [jsonNumber(id), idOf(from), jsonNumber(slot), idOf(to), jsonNumber(place), type]
}

const idOf = (id: string): JsonValue => (/^(0|[1-9]\d{0,8})$/.test(id) ? { number: id } : id)

/** The slots of a node: sockets of its class, then widgets that something is linked to, then what only the payload has. */
function inputSlots(node: PayloadNode, type: NodeType | undefined): readonly Slot[] {
  const linked = new Set(linksInto(node).map(({ input }) => input))
  const known = (type?.inputs ?? []).filter((input) => !isWidget(input) || linked.has(input.name))
  const names = new Set(known.map(({ name }) => name))
  const more = [...linked].filter((name) => !names.has(name))
  return [
    ...known.map((input) => ({ ...input, isWidget: isWidget(input), isOptional: !input.isRequired })),
    ...more.map((name) => ({ name, type: '*', isWidget: false, isOptional: false })),
  ]
}

function newLinks(
  nodes: readonly PayloadNode[],
  slots: ReadonlyMap<string, readonly Slot[]>,
  typeOf: ReadonlyMap<string, NodeType | undefined>,
): readonly NewLink[] {
  const links: NewLink[] = []
  for (const node of nodes) {
    const places = new Map(slots.get(node.id)?.map(({ name }, at) => [name, at]))
    for (const { input, node: from, slot } of linksInto(node)) {
      const type = typeOf.get(from)?.outputs[slot]?.type ?? '*'
      links.push({ id: links.length + 1, from, slot, to: node.id, place: places.get(input) ?? 0, type })
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

function heightOf(inputs: number, outputs: number, type: NodeType | undefined): number {
  const widgets = (type?.inputs ?? []).filter(isWidget)
  const tall = widgets.filter(({ options }) => options.get('multiline') === true).length
  return (Math.max(inputs, outputs) + 1) * SLOT_PX + (widgets.length - tall) * WIDGET_PX + tall * TEXT_PX
}

type Part = {
  readonly node: PayloadNode
  readonly order: number
  readonly type: NodeType | undefined
  readonly inputs: readonly Slot[]
  readonly outputs: readonly OutputSlot[]
  readonly leaving: readonly NewLink[]
  readonly into: ReadonlyMap<string, NewLink>
  readonly height: number
}

function documentNode(
  { node, order, type, inputs, outputs, leaving, into, height }: Part,
  { x, y }: Place,
): JsonObject {
  const { id, classType, title } = node
  const bySlot = Map.groupBy(leaving, ({ slot }) => slot)
  const { values, others } = valuesOf(node, type)
  return new Map<string, JsonValue>([
    ['id', idOf(id)],
    ['type', classType],
    ['pos', [jsonNumber(x), jsonNumber(y)]],
    ['size', [jsonNumber(WIDTH), jsonNumber(height)]],
    ['flags', new Map()],
    ['order', jsonNumber(order)],
    ['mode', { number: '0' }],
    ['inputs', inputs.map((slot, at) => writeInput(slot, into.get(`${id} ${at}`)?.id))],
    ['outputs', outputs.map((slot, at) => writeOutput(slot, bySlot.get(at) ?? []))],
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
function valuesOf(node: PayloadNode, type: NodeType | undefined) {
  const given = new Map([...node.inputs].filter(([, value]) => readLink(value) === undefined))
  const widgets = new Set(type?.inputs.filter(isWidget).map(({ name }) => name))
  const isOther = ([name, value]: readonly [string, JsonValue]) =>
    isArray(value) || (isObject(value) && value.has('__value__')) || (type !== undefined && !widgets.has(name))
  const others = new Map([...given].filter(isOther))
  const values = new Map([...given].filter((entry) => !isOther(entry)))
  return {
    values: type === undefined ? values : (byPlace(values, node, type) ?? values),
    others: others.size === 0 ? [] : [[OTHER_INPUTS, others] as const],
  }
}

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

/**
 * A workflow document, as people have it on their disks and in their pictures: versions 0.4 and 1, with subgraphs,
 * groups and reroutes. Every part has the JSON it was read from, and what nobody here understands stays in it.
 * Source: docs/spec/image-workflows.md, 1; docs/spec/comfyui.md, 1.
 */
import {
  asId,
  asText,
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  sameJson,
} from '../json/value.ts'
import {
  double,
  type Entity,
  entities,
  type Field,
  type Items,
  id,
  idJson,
  list,
  pair,
  plain,
  readEntity,
  readSlotIndex,
  readSlotType,
  slotType,
  text,
  writeEntity,
} from './fields.ts'

/** Modes of a node that mean something to us; others count as always. Source: docs/spec/comfyui.md, 1. */
export const MODE = { mute: 2, bypass: 4 } as const

/** Where inner links of a subgraph come from that lead in. Source: docs/spec/comfyui.md, 1. */
export const SUBGRAPH_INPUT = '-10'
/** Where those go that lead out. Source: as above. */
export const SUBGRAPH_OUTPUT = '-20'

// Links between nodes: tuples in version 0.4, objects in version 1. Source: docs/spec/comfyui.md, 1.

/** An end of a link: a node, and the index of one of its slots. */
export type LinkEnd = { readonly node: string; readonly slot: number }

/** A link from an output to an input. */
export type Link = {
  readonly id: string
  readonly from: LinkEnd
  readonly to: LinkEnd
  readonly type: string
  readonly raw: JsonArray | JsonObject
}

const json = (key: string): Field<JsonValue | undefined> =>
  plain(
    key,
    (raw) => raw,
    (value) => value,
    sameJson,
  )

// An input without a link says null and not nothing.
const link: Field<string | undefined> = plain('link', asId, (value) => idJson(value) ?? null)

const ids = (key: string): Field<readonly string[]> =>
  plain<readonly string[]>(
    key,
    (raw) => (isArray(raw) ? raw.flatMap((one) => asId(one) ?? []) : []),
    (value) => value.map((one) => idJson(one) ?? null),
    (one, other) => one.length === other.length && one.every((value, at) => value === other[at]),
  )

// An input that stands for a widget names it in an object of its own.
const widget: Field<string | undefined> = plain(
  'widget',
  (raw) => (isObject(raw) ? asText(raw.get('name')) : undefined),
  (value) => (value === undefined ? undefined : new Map([['name', value]])),
)

/** The field of the links of a graph. */
const links = (key: string): Field<Items<Link>> => list(key, readLink, writeLink)

const INPUT = { name: text('name'), label: text('label'), type: slotType('type'), link, widget }
const OUTPUT = { name: text('name'), label: text('label'), type: slotType('type'), links: ids('links') }

/** An input of a node. `link`: id of the link into it. `widget`: name of the widget that it stands for. */
export type InputSlot = Entity<typeof INPUT>

/** An output of a node. */
export type OutputSlot = Entity<typeof OUTPUT>

const NODE = {
  id: id('id'),
  type: text('type'),
  pos: pair('pos'),
  size: pair('size'),
  mode: double('mode'),
  title: text('title'),
  color: text('color'),
  bgcolor: text('bgcolor'),
  inputs: entities('inputs', INPUT),
  outputs: entities('outputs', OUTPUT),
  flags: json('flags'),
  properties: json('properties'),
  widgetValues: json('widgets_values'),
  namedValues: json('widgets_values_named'),
}

/** A node. `type` of an instance of a subgraph is the id of its definition. */
export type GraphNode = Entity<typeof NODE>

const GROUP = {
  id: id('id'),
  title: text('title'),
  bounding: json('bounding'),
  color: text('color'),
  flags: json('flags'),
}

/** A box around nodes. Which ones are in it follows from their positions. */
export type Group = Entity<typeof GROUP>

const GRAPH = {
  nodes: entities('nodes', NODE, (node) => node.id !== undefined && node.type !== undefined),
  links: links('links'),
  groups: entities('groups', GROUP),
  extra: json('extra'),
  reroutes: json('reroutes'),
  floatingLinks: json('floatingLinks'),
  // Highest ids given so far: two numbers in version 0.4, one object in version 1 and within subgraphs.
  lastNodeId: json('last_node_id'),
  lastLinkId: json('last_link_id'),
  state: json('state'),
}

const BOUNDARY = {
  id: text('id'),
  name: text('name'),
  label: text('label'),
  type: slotType('type'),
  linkIds: ids('linkIds'),
}

/** An input or output of a subgraph. `linkIds`: the links within that begin or end there. */
export type BoundarySlot = Entity<typeof BOUNDARY>

const SUBGRAPH = {
  ...GRAPH,
  id: text('id'),
  name: text('name'),
  inputs: entities('inputs', BOUNDARY),
  outputs: entities('outputs', BOUNDARY),
  inputNode: json('inputNode'),
  outputNode: json('outputNode'),
}

/** The definition of a subgraph: a graph with inputs and outputs. */
export type Subgraph = Entity<typeof SUBGRAPH>

const DEFINITIONS = { subgraphs: entities('subgraphs', SUBGRAPH, ({ id }) => id !== undefined) }

const definitions: Field<Entity<typeof DEFINITIONS> | undefined> = {
  key: 'definitions',
  read: (raw) => (isObject(raw) ? readEntity(DEFINITIONS, raw) : undefined),
  write: (value, before) => (value === undefined ? before : writeEntity(DEFINITIONS, value)),
}

const DOCUMENT = { ...GRAPH, id: text('id'), version: double('version'), definitions }

/** A document: its outermost graph, and the subgraphs that nodes are instances of. */
export type WorkflowDocument = Entity<typeof DOCUMENT>

/** What documents and subgraphs have in common. */
export type Graph = Pick<WorkflowDocument, keyof typeof GRAPH | 'raw'>

/** Reads a document. @param raw an object that has nodes */
export const readDocument = (raw: JsonObject): WorkflowDocument => readEntity(DOCUMENT, raw)

/** The JSON of a document: the object it was read from, with what has changed. */
export const writeDocument = (document: WorkflowDocument): JsonObject => writeEntity(DOCUMENT, document)

/** The definitions of subgraphs by id. */
export function subgraphsOf({ definitions }: WorkflowDocument): ReadonlyMap<string, Subgraph> {
  return new Map(definitions?.subgraphs.items.map((subgraph) => [subgraph.id ?? '', subgraph]))
}

/** A node of its JSON, which has `id` and `type`. */
export const readNode = (raw: JsonObject): GraphNode => readEntity(NODE, raw)

/** The JSON of a node. */
export const writeNode = (node: GraphNode): JsonObject => writeEntity(NODE, node)

/** An input of a node of its JSON. */
export const readInputSlot = (raw: JsonObject): InputSlot => readEntity(INPUT, raw)

/** An output of a node of its JSON. */
export const readOutputSlot = (raw: JsonObject): OutputSlot => readEntity(OUTPUT, raw)

/** A group of its JSON. */
export const readGroup = (raw: JsonObject): Group => readEntity(GROUP, raw)

/** A definition of its JSON, which has `id`. */
export const readSubgraph = (raw: JsonObject): Subgraph => readEntity(SUBGRAPH, raw)

/** The JSON of a definition. */
export const writeSubgraph = (subgraph: Subgraph): JsonObject => writeEntity(SUBGRAPH, subgraph)

/** An input or output of a subgraph of its JSON. */
export const readBoundarySlot = (raw: JsonObject): BoundarySlot => readEntity(BOUNDARY, raw)

/** Reads links of an array; what is none is left out. */
export const readLinks = (raw: JsonValue | undefined): readonly Link[] =>
  isArray(raw) ? raw.flatMap((one) => readLink(one) ?? []) : []

const KEYS = ['id', 'origin_id', 'origin_slot', 'target_id', 'target_slot', 'type'] as const

function readLink(raw: JsonValue): Link | undefined {
  if (!isArray(raw) && !isObject(raw)) return undefined
  const [id, fromNode, fromSlot, toNode, toSlot, type] = KEYS.map((key, at) => (isArray(raw) ? raw[at] : raw.get(key)))
  const [linkId, from, to] = [asId(id), asId(fromNode), asId(toNode)]
  if (linkId === undefined || from === undefined || to === undefined) return undefined
  return {
    id: linkId,
    from: { node: from, slot: readSlotIndex(fromSlot) },
    to: { node: to, slot: readSlotIndex(toSlot) },
    type: readSlotType(type),
    raw,
  }
}

function writeLink(link: Link): JsonValue {
  const before = readLink(link.raw)
  if (before !== undefined && sameLink(before, link)) return link.raw
  const values: readonly JsonValue[] = [
    idJson(link.id) ?? null,
    idJson(link.from.node) ?? null,
    { number: String(link.from.slot) },
    idJson(link.to.node) ?? null,
    { number: String(link.to.slot) },
    link.type,
  ]
  if (isArray(link.raw)) return [...values, ...link.raw.slice(KEYS.length)]
  return new Map([...link.raw, ...KEYS.map((key, at) => [key, values[at] ?? null] as const)])
}

function sameLink(one: Link, other: Link): boolean {
  return one.id === other.id && one.type === other.type && sameEnd(one.from, other.from) && sameEnd(one.to, other.to)
}

const sameEnd = (one: LinkEnd, other: LinkEnd) => one.node === other.node && one.slot === other.slot

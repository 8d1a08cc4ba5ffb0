/**
 * Document versions 0.4 and 1 with subgraphs, groups and reroutes; unknown JSON is preserved. Source:
 * docs/spec/image-workflows.md, 1; docs/spec/comfyui.md, 1.
 */
import { asText } from '../../../../lib/json/plain.ts'
import {
  asId,
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  sameJson,
} from '../../../../lib/json/value.ts'
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

/** Node modes that we act on; others count as always. Source: docs/spec/comfyui.md, 1. */
export const MODE = { mute: 2, bypass: 4 } as const

/** Origin id of inner links from a subgraph's inputs. Source: docs/spec/comfyui.md, 1. */
export const SUBGRAPH_INPUT = '-10'
/** Target id of inner links to a subgraph's outputs. Source: as above. */
export const SUBGRAPH_OUTPUT = '-20'

// Links are tuples in version 0.4, objects in version 1. Source: docs/spec/comfyui.md, 1.

export type LinkEnd = { readonly node: string; readonly slot: number }

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

// An input without a link has null, not a missing key.
const link: Field<string | undefined> = plain('link', asId, (value) => idJson(value) ?? null)

const ids = (key: string): Field<readonly string[]> =>
  plain<readonly string[]>(
    key,
    (raw) => (isArray(raw) ? raw.flatMap((one) => asId(one) ?? []) : []),
    (value) => value.map((one) => idJson(one) ?? null),
    (one, other) => one.length === other.length && one.every((value, at) => value === other[at]),
  )

const widget: Field<string | undefined> = plain(
  'widget',
  (raw) => (isObject(raw) ? asText(raw.get('name')) : undefined),
  (value) => (value === undefined ? undefined : new Map([['name', value]])),
)

const links = (key: string): Field<Items<Link>> => list(key, readLink, writeLink)

const INPUT = { name: text('name'), label: text('label'), type: slotType('type'), link, widget }
const OUTPUT = { name: text('name'), label: text('label'), type: slotType('type'), links: ids('links') }

/** `link`: id of the incoming link. `widget`: name of the widget it replaces. */
export type InputSlot = Entity<typeof INPUT>

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

/** For a subgraph instance, `type` is the definition's id. */
export type GraphNode = Entity<typeof NODE>

const GROUP = {
  id: id('id'),
  title: text('title'),
  bounding: json('bounding'),
  color: text('color'),
  flags: json('flags'),
}

export type Group = Entity<typeof GROUP>

const GRAPH = {
  nodes: entities('nodes', NODE, (node) => node.id !== undefined && node.type !== undefined),
  links: links('links'),
  groups: entities('groups', GROUP),
  extra: json('extra'),
  reroutes: json('reroutes'),
  floatingLinks: json('floatingLinks'),
  // Highest ids given so far: two numbers in version 0.4, one object in version 1 and in subgraphs.
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

export type Subgraph = Entity<typeof SUBGRAPH>

const DEFINITIONS = { subgraphs: entities('subgraphs', SUBGRAPH, ({ id }) => id !== undefined) }

const definitions: Field<Entity<typeof DEFINITIONS> | undefined> = {
  key: 'definitions',
  read: (raw) => (isObject(raw) ? readEntity(DEFINITIONS, raw) : undefined),
  write: (value, before) => (value === undefined ? before : writeEntity(DEFINITIONS, value)),
}

const DOCUMENT = { ...GRAPH, id: text('id'), version: double('version'), definitions }

export type WorkflowDocument = Entity<typeof DOCUMENT>

export type Graph = Pick<WorkflowDocument, keyof typeof GRAPH | 'raw'>

export const readDocument = (raw: JsonObject): WorkflowDocument => readEntity(DOCUMENT, raw)

export const writeDocument = (document: WorkflowDocument): JsonObject => writeEntity(DOCUMENT, document)

export function subgraphsOf({ definitions }: WorkflowDocument): ReadonlyMap<string, Subgraph> {
  return new Map(definitions?.subgraphs.items.map((subgraph) => [subgraph.id ?? '', subgraph]))
}

export const readNode = (raw: JsonObject): GraphNode => readEntity(NODE, raw)

export const writeNode = (node: GraphNode): JsonObject => writeEntity(NODE, node)

export const readInputSlot = (raw: JsonObject): InputSlot => readEntity(INPUT, raw)

export const readOutputSlot = (raw: JsonObject): OutputSlot => readEntity(OUTPUT, raw)

export const readGroup = (raw: JsonObject): Group => readEntity(GROUP, raw)

export const readSubgraph = (raw: JsonObject): Subgraph => readEntity(SUBGRAPH, raw)

export const writeSubgraph = (subgraph: Subgraph): JsonObject => writeEntity(SUBGRAPH, subgraph)

export const readBoundarySlot = (raw: JsonObject): BoundarySlot => readEntity(BOUNDARY, raw)

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

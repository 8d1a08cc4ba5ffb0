/**
 * A workflow document, as people have it on their disks and in their pictures: versions 0.4 and 1, with subgraphs,
 * groups and reroutes. Every part keeps the JSON it was read from, and what nobody here understands stays in it.
 * Source: image-workflows, Three forms; editor research, 1.
 */
import { asId, asText, isArray, isObject, type JsonObject, type JsonValue, sameJson } from '../json/value.ts'
import { type Entity, entities, type Field, plain, readEntity, writeEntity } from './fields.ts'
import { links } from './links.ts'
import { double, id, idJson, pair, slotType, text } from './values.ts'

/** Modes of a node that mean something to us; others count as always. Source: editor research, 1. */
export const MODE = { mute: 2, bypass: 4 } as const

/** Where inner links of a subgraph come from that lead in. Source: editor research, 1. */
export const SUBGRAPH_INPUT = '-10'
/** Where those go that lead out. Source: as above. */
export const SUBGRAPH_OUTPUT = '-20'

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

const INPUT = { name: text('name'), label: text('label'), type: slotType('type'), link, widget }
const OUTPUT = { name: text('name'), label: text('label'), type: slotType('type'), links: ids('links') }

/** An output of a node. */
export type OutputSlot = Entity<typeof OUTPUT>

/** An input of a node. `link`: id of the link into it. `widget`: name of the widget that it stands for. */
export type InputSlot = Entity<typeof INPUT>

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

/** A box around nodes. Which ones are in it, their places tell. */
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

/** Reads a document. @param raw an object that has nodes */
export const readDocument = (raw: JsonObject): WorkflowDocument => readEntity(DOCUMENT, raw)

/** The JSON of a document: the object it was read from, with what has changed. */
export const writeDocument = (document: WorkflowDocument): JsonObject => writeEntity(DOCUMENT, document)

/** The definitions of subgraphs by id. */
export function subgraphsOf({ definitions }: WorkflowDocument): ReadonlyMap<string, Subgraph> {
  return new Map(definitions?.subgraphs.items.map((subgraph) => [subgraph.id ?? '', subgraph]))
}

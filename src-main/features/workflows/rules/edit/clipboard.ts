/**
 * Nodes as text for the system clipboard, so that they can be pasted into another document, window or machine. Source:
 * ours.
 */

import { parseJson } from '../../../../lib/json/parse.ts'
import {
  arrayAt,
  asId,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonNumber,
  writeJson,
} from '../../../../lib/json/value.ts'
import {
  type Link,
  readDocument,
  readGroup,
  readLinks,
  readNode,
  readSubgraph,
  type WorkflowDocument,
  writeNode,
  writeSubgraph,
} from '../document/document.ts'
import { idJson, type Pair, readPair } from '../document/fields.ts'
import type { NodeTypes } from '../node-types.ts'
import { recognise } from '../recognise.ts'
import { toDocument } from '../to-document.ts'
import type { GraphAddress } from './graph-at.ts'
import { allParts, type GraphParts, type Inserted, insertParts, partsOf } from './graph-parts.ts'
import type { Waypoint } from './reroutes.ts'

const KIND = 'drydock.nodes'

/**
 * Includes inner and incoming links and subgraphs.
 * @param groups indexes of groups
 */
export function copyNodes(
  document: WorkflowDocument,
  at: GraphAddress,
  ids: ReadonlySet<string>,
  groups: ReadonlySet<number> = new Set(),
): string {
  return writeJson(writeParts(partsOf(document, at, ids, groups)))
}

export type Pasted = Inserted | { readonly problem: string }

export type PasteOptions = {
  readonly pos: Pair
  readonly keepInbound: boolean
  readonly types: NodeTypes
  readonly newUuid: () => string
}

export function paste(document: WorkflowDocument, at: GraphAddress, text: string, options: PasteOptions): Pasted {
  const parsed = parseJson(text)
  if (parsed === undefined) return { problem: 'The clipboard holds no nodes and no workflow.' }
  const parts = readAny(parsed, options.types)
  if (typeof parts === 'string') return { problem: `The clipboard holds no nodes but ${parts}.` }
  if (leadsInto(parts, at)) return { problem: 'A subgraph cannot be put into itself. Leave it first.' }
  return insertParts(document, at, parts, options)
}

const leadsInto = ({ definitions }: GraphParts, at: GraphAddress): boolean =>
  at !== undefined && definitions.some(({ id }) => id === at)

export function duplicate(
  document: WorkflowDocument,
  at: GraphAddress,
  ids: ReadonlySet<string>,
  options: Pick<PasteOptions, 'keepInbound' | 'newUuid'> & {
    readonly pos?: Pair
    readonly groups?: ReadonlySet<number>
  },
): Inserted {
  return insertParts(document, at, partsOf(document, at, ids, options.groups), options)
}

function readAny(value: JsonValue, types: NodeTypes): GraphParts | string {
  if (isObject(value) && value.get('kind') === KIND) return readParts(value)
  const found = recognise(value)
  if (found.form === 'other') return found.found
  return allParts(readDocument(found.form === 'document' ? found.raw : toDocument(found.raw, types)))
}

function writeParts({ nodes, links, inbound, waypoints, groups, definitions }: GraphParts): JsonObject {
  return new Map<string, JsonValue>([
    ['kind', KIND],
    ['nodes', nodes.map(writeNode)],
    ['links', links.map(tuple)],
    ['inbound', inbound.map(tuple)],
    ['waypoints', new Map([...waypoints].map(([id, way]) => [id, way.map(writeWaypoint)]))],
    ['groups', groups.map(({ raw, bounding }) => new Map([...raw, ['bounding', bounding ?? null]]))],
    ['definitions', definitions.map(writeSubgraph)],
  ])
}

function tuple({ id, from, to, type }: Link): JsonValue {
  const [slot, toSlot] = [jsonNumber(from.slot), jsonNumber(to.slot)]
  return [idJson(id) ?? null, idJson(from.node) ?? null, slot, idJson(to.node) ?? null, toSlot, type]
}

const writeWaypoint = ({ id, pos }: Waypoint): JsonValue => [idJson(id) ?? null, pos.map(jsonNumber)]

function readParts(raw: JsonObject): GraphParts {
  const objects = (key: string) => arrayAt(raw, key).filter(isObject)
  const ways = raw.get('waypoints')
  return {
    nodes: objects('nodes')
      .map(readNode)
      .filter(({ id, type }) => id !== undefined && type !== undefined),
    links: readLinks(raw.get('links')),
    inbound: readLinks(raw.get('inbound')),
    waypoints: new Map([...(isObject(ways) ? ways : [])].map(([id, way]) => [id, readWay(way)])),
    groups: objects('groups').map(readGroup),
    definitions: objects('definitions')
      .map(readSubgraph)
      .filter(({ id }) => id !== undefined),
  }
}

function readWay(raw: JsonValue): readonly Waypoint[] {
  return (isArray(raw) ? raw : []).flatMap((one) => {
    const [id, pos] = isArray(one) ? [asId(one[0]), readPair(one[1])] : []
    return id === undefined || pos === undefined ? [] : [{ id, pos }]
  })
}

/** Links between nodes: tuples in version 0.4, objects in version 1. Source: editor research, 1. */
import { asId, isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from '../json/value.ts'
import { type Field, type Items, list } from './fields.ts'
import { idJson, readSlotPlace, readSlotType } from './values.ts'

/** An end of a link: a node, and the place of one of its slots. */
export type LinkEnd = { readonly node: string; readonly slot: number }

/** A link from an output to an input. */
export type Link = {
  readonly id: string
  readonly from: LinkEnd
  readonly to: LinkEnd
  readonly type: string
  readonly raw: JsonArray | JsonObject
}

const KEYS = ['id', 'origin_id', 'origin_slot', 'target_id', 'target_slot', 'type'] as const

/** The field of the links of a graph. */
export const links = (key: string): Field<Items<Link>> => list(key, readLink, writeLink)

/** Reads links of an array; what is none is left out. */
export const readLinks = (raw: JsonValue | undefined): readonly Link[] =>
  isArray(raw) ? raw.flatMap((one) => readLink(one) ?? []) : []

function readLink(raw: JsonValue): Link | undefined {
  if (!isArray(raw) && !isObject(raw)) return undefined
  const [id, fromNode, fromSlot, toNode, toSlot, type] = KEYS.map((key, at) => (isArray(raw) ? raw[at] : raw.get(key)))
  const [linkId, from, to] = [asId(id), asId(fromNode), asId(toNode)]
  if (linkId === undefined || from === undefined || to === undefined) return undefined
  return {
    id: linkId,
    from: { node: from, slot: readSlotPlace(fromSlot) },
    to: { node: to, slot: readSlotPlace(toSlot) },
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

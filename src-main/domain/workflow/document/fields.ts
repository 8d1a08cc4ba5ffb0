/**
 * Views of JSON objects: named fields read out of an object, and written back into it. What no field reads stays, and
 * so does the form of what did not change, so that a document which was only opened is saved as it was.
 */
import {
  asDouble,
  asId,
  asIndex,
  asText,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonNumber,
  withKey,
} from '../json/value.ts'

/** A field of an object. `write` gives `before` itself where the value is the one that `read` gives of it. */
export type Field<Value> = {
  readonly key: string
  readonly read: (raw: JsonValue | undefined) => Value
  readonly write: (value: Value, before: JsonValue | undefined) => JsonValue | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: a table of fields of any values; each keeps its own type in Entity
type Fields = Readonly<Record<string, Field<any>>>

/** An object by its fields. `raw` is what it was read from. */
export type Entity<Table extends Fields> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]['read']>
} & { readonly raw: JsonObject }

/** Reads the fields of an object. */
export function readEntity<Table extends Fields>(fields: Table, raw: JsonObject): Entity<Table> {
  const values = Object.entries(fields).map(([name, { key, read }]) => [name, read(raw.get(key))])
  return { ...Object.fromEntries(values), raw }
}

/** The object with what has changed; `raw` itself where nothing has. */
export function writeEntity<Table extends Fields>(fields: Table, entity: Entity<Table>): JsonObject {
  let object = entity.raw
  for (const [name, { key, write }] of Object.entries(fields)) {
    const before = entity.raw.get(key)
    const after = write(entity[name], before)
    if (after !== before) object = withKey(object, key, after)
  }
  return object
}

/** A field of a plain value. @param fresh the JSON of a value that has changed; undefined takes the key away */
export function plain<Value>(
  key: string,
  read: (raw: JsonValue | undefined) => Value,
  fresh: (value: Value, before: JsonValue | undefined) => JsonValue | undefined,
  same: (one: Value, other: Value) => boolean = Object.is,
): Field<Value> {
  return { key, read, write: (value, before) => (same(read(before), value) ? before : fresh(value, before)) }
}

/** What of an array could not be read, with its index. */
export type Unread = { readonly at: number; readonly raw: JsonValue }

/** The items of an array, and those that are none. */
export type Items<Item> = { readonly items: readonly Item[]; readonly unread: readonly Unread[] }

/** A field that holds an array of objects or tuples. @param read gives undefined for what is no such item */
export function list<Item>(
  key: string,
  read: (raw: JsonValue) => Item | undefined,
  write: (item: Item) => JsonValue,
): Field<Items<Item>> {
  return {
    key,
    read: (raw) => readItems(raw, read),
    write(value, before) {
      const written = withUnread(value.items.map(write), value.unread)
      const isSame = isArray(before) && before.length === written.length && before.every((v, at) => v === written[at])
      if (isSame || (written.length === 0 && !isArray(before))) return before
      return written
    },
  }
}

// One pass over both: a file may hold a million things that are no items.
function withUnread(written: readonly JsonValue[], unread: readonly Unread[]): readonly JsonValue[] {
  const parts: (readonly JsonValue[])[] = []
  let taken = 0
  for (const [count, { at, raw }] of unread.entries()) {
    const before = written.slice(taken, Math.max(taken, at - count))
    taken += before.length
    parts.push(before, [raw])
  }
  return [...parts, written.slice(taken)].flat()
}

function readItems<Item>(raw: JsonValue | undefined, read: (raw: JsonValue) => Item | undefined): Items<Item> {
  const items: Item[] = []
  const unread: Unread[] = []
  if (isArray(raw)) {
    raw.forEach((value, at) => {
      const item = read(value)
      if (item === undefined) unread.push({ at, raw: value })
      else items.push(item)
    })
  }
  return { items, unread }
}

/** A field that holds an array of objects with fields. @param isOne tells whether an object is such an item */
export function entities<Table extends Fields>(
  key: string,
  fields: Table,
  isOne: (entity: Entity<Table>) => boolean = () => true,
): Field<Items<Entity<Table>>> {
  function read(raw: JsonValue): Entity<Table> | undefined {
    if (!isObject(raw)) return undefined
    const entity = readEntity(fields, raw)
    return isOne(entity) ? entity : undefined
  }
  return list(key, read, (entity) => writeEntity(fields, entity))
}

// The plain fields of documents: ids, positions, sizes, types of slots. Source: docs/spec/comfyui.md, 1.

/** A point or a size, in pixels of the canvas. */
export type Pair = readonly [number, number]

/** A field with a text; undefined where it is missing or no text. */
export const text = (key: string): Field<string | undefined> => plain(key, asText, (value) => value)

/** A field with a whole number or its text: an id. Changed ones are written as numbers where they can be. */
export const id = (key: string): Field<string | undefined> => plain(key, asId, (value) => idJson(value))

/** A field with a number that is shown or compared, never computed with beyond doubles. */
export const double = (key: string): Field<number | undefined> =>
  plain(key, asDouble, (value) => (value === undefined ? undefined : jsonNumber(value)))

/** A field with two numbers: as an array, or as an object with the keys 0 and 1. Its form stays. */
export const pair = (key: string): Field<Pair | undefined> => plain(key, readPair, freshPair, samePair)

/** The JSON of an id: a number where it is a whole one, else a text. */
export function idJson(value: string | undefined): JsonValue | undefined {
  return value !== undefined && /^-?\d{1,15}$/.test(value) ? { number: value } : value
}

/** The type of a slot: `*` for any; the options of a list are `COMBO`. */
export const slotType = (key: string): Field<string> => plain(key, readSlotType, (value) => value)

/** Reads the type of a slot. */
export function readSlotType(raw: JsonValue | undefined): string {
  if (isArray(raw)) return 'COMBO'
  const type = asId(raw) ?? ''
  return type === '' || type === '0' ? '*' : type
}

/** Reads the index of a slot; 0 where there is none. */
export const readSlotIndex = (raw: JsonValue | undefined): number => asIndex(raw) ?? 0

/** Reads a point or size; undefined where the value is none. */
export function readPair(raw: JsonValue | undefined): Pair | undefined {
  const [x, y] = isArray(raw) ? raw : isObject(raw) ? [raw.get('0'), raw.get('1')] : []
  const [a, b] = [asDouble(x), asDouble(y)]
  return a === undefined || b === undefined ? undefined : [a, b]
}

function freshPair(value: Pair | undefined, before: JsonValue | undefined): JsonValue | undefined {
  if (value === undefined) return undefined
  const [x, y] = [jsonNumber(value[0]), jsonNumber(value[1])]
  return isObject(before) ? new Map([...before, ['0', x], ['1', y]]) : [x, y]
}

function samePair(one: Pair | undefined, other: Pair | undefined): boolean {
  return one === other || (one !== undefined && one[0] === other?.[0] && one[1] === other[1])
}

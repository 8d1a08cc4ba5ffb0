/**
 * Typed views of JSON objects that preserve unknown keys and unchanged forms, so that saving an opened document changes
 * nothing.
 */
import { asText } from '../../../../lib/json/plain.ts'
import {
  asDouble,
  asId,
  asIndex,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonNumber,
  withKey,
} from '../../../../lib/json/value.ts'

export type Field<Value> = {
  readonly key: string
  readonly read: (raw: JsonValue | undefined) => Value
  readonly write: (value: Value, before: JsonValue | undefined) => JsonValue | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: a table of fields of any values; each keeps its own type in Entity
type Fields = Readonly<Record<string, Field<any>>>

export type Entity<Table extends Fields> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]['read']>
} & { readonly raw: JsonObject }

export function readEntity<Table extends Fields>(fields: Table, raw: JsonObject): Entity<Table> {
  const values = Object.entries(fields).map(([name, { key, read }]) => [name, read(raw.get(key))])
  return { ...Object.fromEntries(values), raw }
}

export function writeEntity<Table extends Fields>(fields: Table, entity: Entity<Table>): JsonObject {
  let object = entity.raw
  for (const [name, { key, write }] of Object.entries(fields)) {
    const before = entity.raw.get(key)
    const after = write(entity[name], before)
    if (after !== before) object = withKey(object, key, after)
  }
  return object
}

export function plain<Value>(
  key: string,
  read: (raw: JsonValue | undefined) => Value,
  fresh: (value: Value, before: JsonValue | undefined) => JsonValue | undefined,
  same: (one: Value, other: Value) => boolean = Object.is,
): Field<Value> {
  return { key, read, write: (value, before) => (same(read(before), value) ? before : fresh(value, before)) }
}

export type Unread = { readonly at: number; readonly raw: JsonValue }

export type Items<Item> = { readonly items: readonly Item[]; readonly unread: readonly Unread[] }

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

// One pass over both: a file may hold a million invalid items.
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

/** In canvas px. */
export type Pair = readonly [number, number]

export const text = (key: string): Field<string | undefined> => plain(key, asText, (value) => value)

/** An integer or its text; changed ids are written as numbers if possible. */
export const id = (key: string): Field<string | undefined> => plain(key, asId, (value) => idJson(value))

export const double = (key: string): Field<number | undefined> =>
  plain(key, asDouble, (value) => (value === undefined ? undefined : jsonNumber(value)))

/** An array, or an object with keys 0 and 1; the form is kept. */
export const pair = (key: string): Field<Pair | undefined> => plain(key, readPair, freshPair, samePair)

export function idJson(value: string | undefined): JsonValue | undefined {
  return value !== undefined && /^-?\d{1,15}$/.test(value) ? { number: value } : value
}

/** `*` means any; option lists are `COMBO`. */
export const slotType = (key: string): Field<string> => plain(key, readSlotType, (value) => value)

export function readSlotType(raw: JsonValue | undefined): string {
  if (isArray(raw)) return 'COMBO'
  const type = asId(raw) ?? ''
  return type === '' || type === '0' ? '*' : type
}

export const readSlotIndex = (raw: JsonValue | undefined): number => asIndex(raw) ?? 0

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

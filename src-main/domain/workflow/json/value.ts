/**
 * JSON that loses nothing: objects have the order of their keys, numbers the text they came with. A seed of 2^64-1 is
 * no double, `1.0` is not `1` for who compares files, and an object of JavaScript puts keys like "11" first. Source:
 * docs/spec/image-workflows.md, 2.1 and 2.2.
 */

/** A number as it was written, like `1.0`, `18446744073709551615`, `-1e-3`, or `NaN` and `-Infinity` of Python. */
export type JsonNumber = { readonly number: string }

/** An object: its keys in their order. */
export type JsonObject = ReadonlyMap<string, JsonValue>

/** An array of such values, in order. */
export type JsonArray = readonly JsonValue[]

/** Any value of JSON. */
export type JsonValue = null | boolean | string | JsonNumber | JsonArray | JsonObject

/** Whether it is an object. */
export const isObject = (value: JsonValue | undefined): value is JsonObject => value instanceof Map

/** Whether it is an array. */
export const isArray = (value: JsonValue | undefined): value is JsonArray => Array.isArray(value)

/** Whether it is a number. */
export function isNumber(value: JsonValue | undefined): value is JsonNumber {
  return typeof value === 'object' && value !== null && 'number' in value
}

/** A number, written as JavaScript writes it. @param value finite */
export const jsonNumber = (value: number | bigint): JsonNumber => ({ number: String(value) })

/**
 * The double nearest to a number; undefined where the value is no finite one. For positions and sizes, never for seeds.
 */
export function asDouble(value: JsonValue | undefined): number | undefined {
  const double = isNumber(value) ? Number(value.number) : Number.NaN
  return Number.isFinite(double) ? double : undefined
}

/** The list that an object holds under a key; empty where it holds none. */
export function arrayAt(object: JsonObject, key: string): JsonArray {
  const value = object.get(key)
  return isArray(value) ? value : []
}

/** The text of a string; undefined where the value is none. */
export const asText = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

/** An id, which files have as a text or a number: as text. @returns undefined where the value is neither */
export function asId(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  return isNumber(value) ? value.number : undefined
}

/** The index of a slot; undefined where the value is no whole number from 0 on. */
export function asIndex(value: JsonValue | undefined): number | undefined {
  const text = asId(value)
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined
}

/** Whether two values are the same, with the order of keys and the text of numbers. */
export function sameJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true
  if (isArray(one)) return isArray(other) && one.length === other.length && one.every((v, at) => sameJson(v, other[at]))
  if (isObject(one)) return isObject(other) && sameEntries(one, other)
  return isNumber(one) && isNumber(other) && one.number === other.number
}

function sameEntries(one: JsonObject, other: JsonObject): boolean {
  if (one.size !== other.size) return false
  const others = other.entries()
  for (const [key, value] of one) {
    const [otherKey, otherValue] = others.next().value ?? []
    if (key !== otherKey || !sameJson(value, otherValue)) return false
  }
  return true
}

/** An object with one key set to another value, at its old position or at the end; undefined takes the key away. */
export function withKey(object: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  const changed = new Map(object)
  if (value === undefined) changed.delete(key)
  else changed.set(key, value)
  return changed
}

/**
 * Writes JSON, numbers as they came. An empty array or object stays on its line.
 * @param indent spaces of one level; 0 writes one line without spaces
 */
export function writeJson(value: JsonValue, indent = 0): string {
  const parts: string[] = []
  write(value, indent, '\n', parts)
  return parts.join('')
}

function write(value: JsonValue, indent: number, newLine: string, parts: string[]): void {
  if (isArray(value)) writeAll(value, ['[', ']'], (item) => item, { indent, newLine, parts })
  else if (isNumber(value)) parts.push(value.number)
  else if (typeof value === 'object' && value !== null) writeObject(value, indent, newLine, parts)
  else parts.push(JSON.stringify(value))
}

function writeObject(object: JsonObject, indent: number, newLine: string, parts: string[]): void {
  const colon = indent === 0 ? ':' : ': '
  writeAll(
    [...object],
    ['{', '}'],
    ([key, value]) => {
      parts.push(JSON.stringify(key), colon)
      return value
    },
    { indent, newLine, parts },
  )
}

function writeAll<Item>(
  items: readonly Item[],
  [begin, end]: readonly [string, string],
  read: (item: Item) => JsonValue,
  { indent, newLine, parts }: { readonly indent: number; readonly newLine: string; readonly parts: string[] },
): void {
  if (items.length === 0) {
    parts.push(begin, end)
    return
  }
  const inner = newLine + ' '.repeat(indent)
  parts.push(begin)
  items.forEach((item, at) => {
    if (at > 0) parts.push(',')
    if (indent > 0) parts.push(inner)
    write(read(item), indent, inner, parts)
  })
  if (indent > 0) parts.push(newLine)
  parts.push(end)
}

// As much of a value as tells which one it was, in characters; source: ours.
const SHOWN_LENGTH = 60

/** A value in a message: its JSON, cut where it is long. */
export function shownJson(value: JsonValue): string {
  const text = writeJson(value)
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
}

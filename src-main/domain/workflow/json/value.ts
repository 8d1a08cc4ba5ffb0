/**
 * JSON that loses nothing: objects keep the order of their keys, numbers the text they came with. A seed of 2^64-1 is no
 * double, `1.0` is not `1` for who compares files, and an object of JavaScript puts keys like "11" first.
 * Source: image-workflows, rules 1 and 2.
 */

/** A number as it was written, like `1.0`, `18446744073709551615`, `-1e-3`, or `NaN` and `-Infinity` of Python. */
export type JsonNumber = { readonly number: string }

/** An object: its keys in their order. */
export type JsonObject = ReadonlyMap<string, JsonValue>

/** An array. */
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

/** The double nearest to a number; undefined where the value is no finite one. For places and sizes, never for seeds. */
export function asDouble(value: JsonValue | undefined): number | undefined {
  const double = isNumber(value) ? Number(value.number) : Number.NaN
  return Number.isFinite(double) ? double : undefined
}

/** The text of a string; undefined where the value is none. */
export const asText = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

/** An id, which files have as a text or a number: as text. @returns undefined where the value is neither */
export function asId(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  return isNumber(value) ? value.number : undefined
}

/** A place of a slot; undefined where the value is no whole number from 0 on. */
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

/** An object with one key set to another value, at its old place or at the end; undefined takes the key away. */
export function withKey(object: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  const changed = new Map(object)
  if (value === undefined) changed.delete(key)
  else changed.set(key, value)
  return changed
}

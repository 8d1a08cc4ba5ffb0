/**
 * Lossless JSON, for graphs: keeps key order and number text. Seeds reach 2^64-1, `1.0` differs from `1` in diffs, and JS objects
 * reorder keys like "11". Source: docs/spec/image-workflows.md, 2.1, 2.2.
 */
import { keepStart } from '../text.ts'

/** A number as written, like `1.0`, `18446744073709551615`, `-1e-3`, or Python's `NaN` and `-Infinity`. */
export type JsonNumber = { readonly number: string }

export type JsonObject = ReadonlyMap<string, JsonValue>

export type JsonArray = readonly JsonValue[]

export type JsonValue = null | boolean | string | JsonNumber | JsonArray | JsonObject

export const isObject = (value: JsonValue | undefined): value is JsonObject => value instanceof Map

export const isArray = (value: JsonValue | undefined): value is JsonArray => Array.isArray(value)

export function isNumber(value: JsonValue | undefined): value is JsonNumber {
  return typeof value === 'object' && value !== null && 'number' in value
}

export const jsonNumber = (value: number | bigint): JsonNumber => ({ number: String(value) })

/** For positions and sizes, never seeds; undefined if not finite. */
export function asDouble(value: JsonValue | undefined): number | undefined {
  const double = isNumber(value) ? Number(value.number) : Number.NaN
  return Number.isFinite(double) ? double : undefined
}

export function arrayAt(object: JsonObject, key: string): JsonArray {
  const value = object.get(key)
  return isArray(value) ? value : []
}

/**
 * Files store ids as text or numbers.
 * @returns undefined for anything else
 */
export function asId(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  return isNumber(value) ? value.number : undefined
}

export function asIndex(value: JsonValue | undefined): number | undefined {
  const text = asId(value)
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined
}

/** Whether two values are equal, including the order of keys and the text of numbers. */
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

/** An object with one key set, at its position or the end; undefined removes the key. */
export function withKey(object: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  const changed = new Map(object)
  if (value === undefined) changed.delete(key)
  else changed.set(key, value)
  return changed
}

/**
 * Keeps numbers as written.
 * @param indent spaces per level; 0: one line without spaces
 */
export function writeJson(value: JsonValue, indent = 0): string {
  const parts: string[] = []
  const [step, colon] = [' '.repeat(indent), indent === 0 ? ':' : ': ']

  function write(one: JsonValue, newLine: string): void {
    if (isNumber(one)) parts.push(one.number)
    else if (isArray(one) || isObject(one)) {
      const [begin, end] = isArray(one) ? ['[', ']'] : ['{', '}']
      const inner = newLine && newLine + step
      const comma = `,${inner}`
      let before = begin + inner
      for (const [key, item] of one.entries()) {
        parts.push(before)
        if (typeof key === 'string') parts.push(JSON.stringify(key), colon)
        write(item, inner)
        before = comma
      }
      parts.push(before === comma ? newLine + end : begin + end)
    } else parts.push(JSON.stringify(one))
  }

  write(value, indent === 0 ? '' : '\n')
  return parts.join('')
}

// Characters of a value that identify it in a message. Source: ours.
const SHOWN_LENGTH = 60

export function shownJson(value: JsonValue): string {
  return keepStart(writeJson(value), SHOWN_LENGTH)
}

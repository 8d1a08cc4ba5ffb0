/** The plain fields of documents: ids, places, sizes, types of slots. Source: editor research, 1. */
import { asDouble, asId, asIndex, asText, isArray, isObject, type JsonValue, jsonNumber } from '../json/value.ts'
import { type Field, plain } from './fields.ts'

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

/** Reads a place of a slot; 0 where there is none. */
export const readSlotPlace = (raw: JsonValue | undefined): number => asIndex(raw) ?? 0

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

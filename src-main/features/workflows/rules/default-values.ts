import {
  isArray,
  isNumber,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  sameJson,
} from '../../../lib/json/value.ts'
import type { GraphNode } from './document/document.ts'
import { type InputType, isWidget, takesSeveral, type ValueSlot } from './input-type.ts'
import type { NodeType } from './node-types.ts'
import { isControlMode, isSent, LEFT_OUT, valueSlots, widgetValues } from './widgets.ts'

const OF_TYPE: Readonly<Record<string, JsonValue>> = {
  INT: { number: '0' },
  FLOAT: { number: '0' },
  STRING: '',
  BOOLEAN: false,
  COLOR: '#ffffff',
  IMAGECOMPARE: ['', ''],
  LOAD_3D: '',
  AUDIO_RECORD: '',
  WEBCAM: '',
}

/**
 * Uses the class default, else the first option; a default missing from the list, like another machine's file, would be
 * refused.
 * @returns null without either
 */
export function defaultValue(input: InputType): JsonValue {
  const { type, choices, options } = input
  const given = options.get('default')
  if (choices === undefined) return given ?? ofType(type)
  if (takesSeveral(input)) return given ?? []
  const isTaken = choices.length === 0 || choices.some((one) => sameJson(one, given ?? null))
  return given !== undefined && isTaken ? given : (choices[0] ?? null)
}

function ofType(type: string): JsonValue {
  return Object.hasOwn(OF_TYPE, type) ? (OF_TYPE[type] ?? null) : null
}

/**
 * Stored values plus defaults of widgets newer than the file.
 * @returns undefined if values cannot be assigned
 */
export function sentValues(node: GraphNode, type: NodeType | undefined): JsonObject | undefined {
  const held = widgetValues(node, type)
  if (held === undefined || type === undefined) return held
  const unsent = new Set(type.inputs.flatMap((input) => (isSent(input) ? [] : input.name)))
  const leftOut = namesLeftOut(node)
  const inputs = new Map(type.inputs.map((input) => [input.name, input]))
  const isLeftOut = (name: string, value: JsonValue) => {
    const input = leftOut.has(name) ? inputs.get(name) : undefined
    return input !== undefined && isDefault(value, input)
  }
  const sent = [...held].filter(([name, value]) => !unsent.has(name) && !isLeftOut(name, value))
  const missing = type.inputs.filter((input) => {
    return isWidget(input) && isSent(input) && !held.has(input.name) && !leftOut.has(input.name)
  })
  const added = missing.flatMap((input): readonly [string, JsonValue][] => {
    const value = defaultValue(input)
    return value === null ? [] : [[input.name, value]]
  })
  return new Map([...sent, ...added])
}

// Another editor may have written 1.0 as 1.
function isDefault(value: JsonValue, input: InputType): boolean {
  const own = defaultValue(input)
  return isNumber(own) && isNumber(value) ? Number(own.number) === Number(value.number) : sameJson(own, value)
}

function namesLeftOut({ properties }: GraphNode): ReadonlySet<JsonValue> {
  const names = isObject(properties) ? properties.get(LEFT_OUT) : undefined
  return new Set(isArray(names) ? names : [])
}

export function defaultValues(type: NodeType): JsonArray {
  const inputs = new Map(type.inputs.map((input) => [input.name, input]))
  return valueSlots(type).map((slot) => defaultAt(slot, inputs.get(slot.name)))
}

export function defaultAt({ kind }: ValueSlot, input: InputType | undefined): JsonValue {
  if (kind === 'control') return defaultControl(input)
  if (kind === 'filter') return ''
  return input === undefined ? null : defaultValue(input)
}

// A class may define the word; seeds are randomized.
function defaultControl(input: InputType | undefined): JsonValue {
  const named = input?.options.get('control_after_generate')
  return isControlMode(named) ? named : 'randomize'
}

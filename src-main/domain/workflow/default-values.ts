/** Values that widgets have before anybody sets them. Source: editor research, 5 and 2. */
import { type JsonArray, type JsonValue, sameJson } from './json/value.ts'
import { type InputType, type NodeType, takesSeveral } from './node-types.ts'
import { isControlMode, type WidgetPlace, widgetPlaces } from './widgets.ts'

const OF_TYPE: Readonly<Record<string, JsonValue>> = {
  INT: { number: '0' },
  FLOAT: { number: '0' },
  STRING: '',
  BOOLEAN: false,
  COLOR: '#ffffff',
}

/**
 * The value of an input that nobody has set: the default of its class, else the first of its list. A default that is not
 * in the list, like a file of the machine that the class was written on, would only be refused.
 * @returns null where the class names neither
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

/** The values of a new node of a class, as a document stores them. */
export function defaultValues(type: NodeType): JsonArray {
  const inputs = new Map(type.inputs.map((input) => [input.name, input]))
  return widgetPlaces(type).map((place) => defaultAt(place, inputs.get(place.name)))
}

/** The value of one place that nobody has set. @param input what the class says of it */
export function defaultAt({ kind }: WidgetPlace, input: InputType | undefined): JsonValue {
  if (kind === 'control') return defaultControl(input)
  if (kind === 'filter') return ''
  if (kind === 'upload') return 'image'
  return input === undefined ? null : defaultValue(input)
}

// A class may name the word itself; seeds are randomized.
function defaultControl(input: InputType | undefined): JsonValue {
  const named = input?.options.get('control_after_generate')
  return isControlMode(named) ? named : 'randomize'
}

/** The values that a request gives for the parameters of a published graph. Source: image-workflows, Published graphs. */
import type { GraphParameter } from '../../../contract/published.ts'
import { parseJson } from '../json/parse.ts'
import { isNumber, type JsonObject, type JsonValue } from '../json/value.ts'
import { writeJson } from '../json/write.ts'

/** The value of each parameter, or what is wrong with which field. */
export type ParameterValues =
  | { readonly values: ReadonlyMap<string, JsonValue> }
  | { readonly field: string; readonly why: string }

/** Takes the values out of an input, with the defaults for those that it does not give. */
export function parameterValues(parameters: readonly GraphParameter[], input: JsonObject): ParameterValues {
  const values = new Map<string, JsonValue>()
  const names = parameters.map(({ name }) => name)
  const unknown = [...input.keys()].find((key) => !names.includes(key))
  if (unknown !== undefined) {
    const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
    return { field: `input.${unknown.slice(0, SHOWN_LENGTH)}`, why: `is no parameter of this graph; ${known}` }
  }
  for (const parameter of parameters) {
    const field = `input.${parameter.name}`
    const value = input.get(parameter.name) ?? defaultOf(parameter)
    if (value === undefined) return { field, why: `is missing, and has no default; give ${wanted(parameter)}` }
    const why = faultOf(parameter, value)
    if (why !== undefined) return { field, why }
    values.set(parameter.name, value)
  }
  return { values }
}

/** The default of a parameter; undefined where it has none. */
export function defaultOf(parameter: GraphParameter): JsonValue | undefined {
  if (parameter.default === undefined) return undefined
  const parsed = parseJson(parameter.default)
  return parsed.kind === 'fault' ? undefined : parsed.value
}

/** What is wrong with a value for a parameter; undefined where nothing is. */
export function faultOf(parameter: GraphParameter, value: JsonValue): string | undefined {
  if (parameter.type === 'boolean') return typeof value === 'boolean' ? undefined : mustBe(parameter, value)
  if (parameter.type === 'choice') return isChoice(parameter, value) ? undefined : mustBe(parameter, value)
  if (parameter.type === 'string' || parameter.type === 'image')
    return typeof value === 'string' && (parameter.type === 'string' || value !== '')
      ? undefined
      : mustBe(parameter, value)
  if (!isNumber(value) || value.number.length > NUMBER_LENGTH_MAX) return mustBe(parameter, value)
  if (parameter.type === 'integer' && !/^-?\d+$/.test(value.number)) return mustBe(parameter, value)
  return rangeFault(parameter, value.number)
}

// Choices are texts, but those of some classes are numbers or true and false.
const isChoice = ({ choices = [] }: GraphParameter, value: JsonValue) =>
  choices.includes(typeof value === 'string' ? value : writeJson(value))

function rangeFault({ min, max }: GraphParameter, number: string): string | undefined {
  if (min !== undefined && isBelow(number, min)) return `is ${number}, but the least it may be is ${min}`
  if (max !== undefined && isBelow(max, number)) return `is ${number}, but the most it may be is ${max}`
  return undefined
}

const WHOLE = /^-?\d+$/

// Seeds are no doubles.
function isBelow(one: string, other: string): boolean {
  return WHOLE.test(one) && WHOLE.test(other) ? BigInt(one) < BigInt(other) : Number(one) < Number(other)
}

// Source: ours; the largest double has 309 digits. Millions of them would hold up everybody for seconds.
const NUMBER_LENGTH_MAX = 400

const SHOWN_LENGTH = 60

function mustBe(parameter: GraphParameter, value: JsonValue): string {
  const text = writeJson(value)
  const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
  return `is ${shown}, but must be ${wanted(parameter)}`
}

const CHOICES_SHOWN = 8

function wanted({ type, choices = [] }: GraphParameter): string {
  if (type === 'choice') {
    const more = choices.length > CHOICES_SHOWN ? ` and ${choices.length - CHOICES_SHOWN} more` : ''
    return `one of ${choices.slice(0, CHOICES_SHOWN).join(', ')}${more}`
  }
  const names = {
    string: 'a text',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    image: 'a picture, as base64 or a data URI',
  }
  return names[type]
}

import { isArray, isNumber, isObject, type JsonValue, sameJson, shownJson } from '../../../lib/json/value.ts'
import { type InputType, isWidget, takesOthers, takesSeveral } from './input-type.ts'
import type { ProblemCode } from './problem.ts'

export type ValueProblem = { readonly code: ProblemCode; readonly says: string }

export function checkValue(type: InputType, given: JsonValue): ValueProblem | undefined {
  const value = isObject(given) ? (given.get('__value__') ?? given) : given
  if (value === null && needsValue(type)) return { code: 'required_input_missing', says: 'has no value' }
  if (type.choices !== undefined) return checkChoice(type, value)
  if (type.type === 'INT') return checkNumber(type, value, wholeNumber(value))
  if (type.type === 'FLOAT') return checkNumber(type, value, decimal(value))
  if (type.type === 'STRING' && (isArray(value) || isObject(value))) return wrongType(value, 'a string')
  return undefined
}

const PLAIN_TYPES = new Set(['INT', 'FLOAT', 'STRING', 'BOOLEAN', 'COMBO'])

// Other widget types, drawn by extensions, may give null a meaning.
const needsValue = (type: InputType): boolean => type.isRequired && (PLAIN_TYPES.has(type.type) || !isWidget(type))

function checkChoice(type: InputType, value: JsonValue): ValueProblem | undefined {
  if (takesOthers(type)) return undefined
  const { choices = [] } = type
  const chosen = isArray(value) && takesSeveral(type) ? value : [value]
  const wrong = chosen.find((one) => !choices.some((choice) => sameJson(choice, one)))
  if (wrong === undefined) return undefined
  return {
    code: 'value_not_in_list',
    says: `has ${shownJson(wrong)}, which is not one of its choices: ${someOf(choices)}`,
  }
}

function checkNumber(
  { options, type }: InputType,
  value: JsonValue,
  number: Exact | undefined,
): ValueProblem | undefined {
  if (number === undefined) return wrongType(value, type === 'INT' ? 'a whole number' : 'a number')
  const [min, max] = [decimal(options.get('min')), decimal(options.get('max'))]
  if (min !== undefined && isBelow(number, min))
    return { code: 'value_smaller_than_min', says: `is ${shownJson(value)}, but the minimum is ${min.text}` }
  if (max !== undefined && isBelow(max, number))
    return { code: 'value_bigger_than_max', says: `is ${shownJson(value)}, but the maximum is ${max.text}` }
  return undefined
}

function wrongType(value: JsonValue, wanted: string): ValueProblem {
  return { code: 'wrong_value_type', says: `has ${shownJson(value)}, but needs ${wanted}` }
}

type Exact = { readonly text: string; readonly whole: bigint | undefined; readonly double: number }

// As Python converts it: 3.7 becomes 3, and numeric texts numbers.
function wholeNumber(value: JsonValue | undefined): Exact | undefined {
  const text = typeof value === 'boolean' ? String(Number(value)) : numberText(value)
  if (text === undefined || (typeof value === 'string' && !/^\s*[+-]?\d+\s*$/.test(text))) return undefined
  const number = exact(text)
  return number !== undefined && Number.isFinite(number.double) ? number : undefined
}

function decimal(value: JsonValue | undefined): Exact | undefined {
  const text = typeof value === 'boolean' ? String(Number(value)) : numberText(value)
  return text === undefined ? undefined : exact(text)
}

function numberText(value: JsonValue | undefined): string | undefined {
  if (isNumber(value)) return value.number
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

function exact(text: string): Exact | undefined {
  const double = Number(text)
  // Python accepts both texts, and NaN compares with no bound.
  if (Number.isNaN(double) && text !== 'NaN') return undefined
  const isWhole = text.length <= WHOLE_LENGTH_MAX && /^[+-]?\d+$/.test(text)
  return { text, double, whole: isWhole ? BigInt(text.replace('+', '')) : undefined }
}

// Longer ones are compared as doubles: exact comparison of a million digits is too slow.
const WHOLE_LENGTH_MAX = 400

function isBelow(one: Exact, other: Exact): boolean {
  if (one.whole !== undefined && other.whole !== undefined) return one.whole < other.whole
  return one.double < other.double
}

const CHOICES_SHOWN = 5

function someOf(choices: readonly JsonValue[]): string {
  const more = choices.length > CHOICES_SHOWN ? ` and ${choices.length - CHOICES_SHOWN} more` : ''
  return choices.slice(0, CHOICES_SHOWN).map(shownJson).join(', ') + more
}

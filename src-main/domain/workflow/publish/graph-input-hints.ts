/** What the input of a published graph looks like, for who writes one. */
import type { GraphParameter } from '../../../contract/published.ts'
import type { InputHints } from '../../../contract/saved-requests.ts'
import { isNumber, type JsonObject, type JsonValue } from '../json/value.ts'
import { writeJson } from '../json/write.ts'
import { defaultOf } from './parameter-values.ts'

/** The parameters with their values: a default, what is allowed, or the plainest value where there is neither. */
export function graphInputHints(parameters: readonly GraphParameter[]): InputHints {
  const input: JsonObject = new Map(parameters.map((parameter) => [parameter.name, beginningOf(parameter)]))
  return {
    fields: parameters.map((parameter) => ({ path: parameter.name, values: valuesOf(parameter) })),
    example: writeJson(input),
  }
}

function beginningOf(parameter: GraphParameter): JsonValue {
  const { type, min, choices = [] } = parameter
  const given = defaultOf(parameter)
  if (given !== undefined) return given
  if (type === 'integer' || type === 'number') return { number: min ?? '0' }
  if (type === 'boolean') return false
  return choices[0] ?? ''
}

function valuesOf(parameter: GraphParameter): string[] {
  if (parameter.type === 'choice') return (parameter.choices ?? []).map((choice) => JSON.stringify(choice))
  if (parameter.type === 'boolean') return ['true', 'false']
  const given = defaultOf(parameter)
  const isShort = typeof given === 'string' ? given.length <= SHORT : given !== undefined && isNumber(given)
  return given !== undefined && isShort ? [writeJson(given)] : []
}

// A longer text is not offered again: it stands in the example.
const SHORT = 80

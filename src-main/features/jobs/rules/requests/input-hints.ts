import type { GraphParameter } from '../../../../contract/published.ts'
import type { InputHints } from '../../../../contract/requests.ts'
import { writeExact } from '../../../../lib/json/plain.ts'
import { isNumber, type JsonObject, type JsonValue, writeJson } from '../../../../lib/json/value.ts'
import { defaultOf } from '../../../workflows/rules/publish/parameter-values.ts'

// Source: ours. Longer lists do not help, and longer values are not typed again.
const FIELDS = 200
const VALUES = 8
const VALUE_LENGTH = 80
const DEPTH = 6

export function inputHints(inputs: readonly unknown[]): InputHints['fields'] {
  const fields = new Map<string, Set<string>>()

  function visit(value: unknown, path: string, depth: number): void {
    if (depth > DEPTH) return
    if (Array.isArray(value)) {
      for (const item of value.slice(0, 3)) visit(item, path, depth + 1)
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        const at = path === '' ? name : `${path}.${name}`
        const known = fields.get(at)
        if (known === undefined && fields.size >= FIELDS) return
        const values = known ?? new Set()
        fields.set(at, values)
        addValue(values, item)
        visit(item, at, depth + 1)
      }
    }
  }

  for (const input of inputs) visit(input, '', 0)
  return [...fields].map(([path, values]) => ({ path, values: [...values] }))
}

function addValue(values: Set<string>, item: unknown): void {
  if (typeof item === 'object' && item !== null) return
  const text = writeExact(item)
  if (text.length <= VALUE_LENGTH && values.size < VALUES) values.add(text)
}

/** Parameters with a default, an allowed value, or the simplest one. */
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

const SHORT = 80

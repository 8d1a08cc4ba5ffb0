/** Applies a request's parameter values to a payload. Source: docs/spec/image-workflows.md, 7. */
import type { GraphParameter } from '../../../../contract/published.ts'
import { parseJson } from '../../../../lib/json/parse.ts'
import {
  isNumber,
  isObject,
  type JsonObject,
  type JsonValue,
  shownJson,
  withKey,
  writeJson,
} from '../../../../lib/json/value.ts'
import { linksInto, readPayloadNode } from '../payload.ts'

export type ParameterValues =
  | { readonly values: ReadonlyMap<string, JsonValue> }
  | { readonly field: string; readonly why: string }

// Characters shown of an unknown name. Source: ours.
const NAME_SHOWN = 60

export function parameterValues(parameters: readonly GraphParameter[], input: JsonObject): ParameterValues {
  const values = new Map<string, JsonValue>()
  const names = parameters.map(({ name }) => name)
  const unknown = [...input.keys()].find((key) => !names.includes(key))
  if (unknown !== undefined) {
    const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
    return { field: `input.${unknown.slice(0, NAME_SHOWN)}`, why: `is not a parameter of this graph; ${known}` }
  }
  for (const parameter of parameters) {
    const field = `input.${parameter.name}`
    const value = input.get(parameter.name) ?? defaultOf(parameter)
    if (value === undefined) return { field, why: `is missing, and has no default; give ${wanted(parameter)}` }
    const why = valueProblem(parameter, value)
    if (why !== undefined) return { field, why }
    values.set(parameter.name, value)
  }
  return { values }
}

export function defaultOf(parameter: GraphParameter): JsonValue | undefined {
  return parameter.default === undefined ? undefined : parseJson(parameter.default)
}

export function valueProblem(parameter: GraphParameter, value: JsonValue): string | undefined {
  if (parameter.type === 'boolean') return typeof value === 'boolean' ? undefined : mustBe(parameter, value)
  if (parameter.type === 'choice') return isChoice(parameter, value) ? undefined : mustBe(parameter, value)
  if (parameter.type === 'string' || parameter.type === 'image')
    return typeof value === 'string' && (parameter.type === 'string' || value !== '')
      ? undefined
      : mustBe(parameter, value)
  if (!isNumber(value) || value.number.length > NUMBER_LENGTH_MAX) return mustBe(parameter, value)
  if (parameter.type === 'integer' && !/^-?\d+$/.test(value.number)) return mustBe(parameter, value)
  return rangeProblem(parameter, value.number)
}

// Choices are texts, but some classes have numbers or booleans.
const isChoice = ({ choices = [] }: GraphParameter, value: JsonValue) =>
  choices.includes(typeof value === 'string' ? value : writeJson(value))

function rangeProblem({ min, max }: GraphParameter, number: string): string | undefined {
  if (min !== undefined && isBelow(number, min)) return `is ${number}, but the minimum is ${min}`
  if (max !== undefined && isBelow(max, number)) return `is ${number}, but the maximum is ${max}`
  return undefined
}

const WHOLE = /^-?\d+$/

// Compares as text, since seeds exceed doubles.
function isBelow(one: string, other: string): boolean {
  return WHOLE.test(one) && WHOLE.test(other) ? BigInt(one) < BigInt(other) : Number(one) < Number(other)
}

// Source: ours; the largest double has 309 digits. Millions of digits would block the service for seconds.
const NUMBER_LENGTH_MAX = 400

function mustBe(parameter: GraphParameter, value: JsonValue): string {
  return `is ${shownJson(value)}, but must be ${wanted(parameter)}`
}

const CHOICES_SHOWN = 8

function wanted({ type, choices = [] }: GraphParameter): string {
  if (type === 'choice') {
    const more = choices.length > CHOICES_SHOWN ? ` and ${choices.length - CHOICES_SHOWN} more` : ''
    return `one of ${choices.slice(0, CHOICES_SHOWN).join(', ')}${more}`
  }
  const names = {
    string: 'a string',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    image: 'a picture, as base64 or a data URI',
  }
  return names[type]
}

export type SentImage = { readonly name: string; readonly image: string }

type FilledPayload = { readonly payload: JsonObject; readonly images: readonly SentImage[] }

/** Sets the values. A picture is sent next to the payload, under its parameter's name. */
export function fillPayload(
  payload: JsonObject,
  parameters: readonly GraphParameter[],
  values: ReadonlyMap<string, JsonValue>,
): FilledPayload {
  let filled = payload
  const images: SentImage[] = []
  for (const { name, node, input, type } of parameters) {
    const value = values.get(name)
    if (value === undefined) continue
    const isImage = type === 'image' && typeof value === 'string'
    if (isImage) images.push({ name: `${name}.png`, image: value })
    filled = withInput(filled, node, input, isImage ? `${name}.png` : value)
  }
  return { payload: filled, images }
}

export function withInput(payload: JsonObject, nodeId: string, input: string, value: JsonValue): JsonObject {
  const node = payload.get(nodeId)
  const inputs = isObject(node) ? node.get('inputs') : undefined
  if (!isObject(node) || !isObject(inputs)) return payload
  return withKey(payload, nodeId, withKey(node, 'inputs', withKey(inputs, input, value)))
}

export function pruneToOutputs(payload: JsonObject, outputs: readonly string[]): JsonObject {
  const needed = new Set<string>()
  const open = [...outputs]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (needed.has(id)) continue
    const node = readPayloadNode(id, payload.get(id))
    if (node === undefined) continue
    needed.add(id)
    for (const link of linksInto(node)) open.push(link.node)
  }
  return new Map([...payload].filter(([id]) => needed.has(id)))
}

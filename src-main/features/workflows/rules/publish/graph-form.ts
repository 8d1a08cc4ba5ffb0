/**
 * A graph's simple form: shown inputs and results. Stored in the document under our key, which other editors preserve.
 * Source: ours.
 */
import { type GraphParameter, graphParameter, type ParameterType } from '../../../../contract/published.ts'
import {
  isArray,
  isNumber,
  isObject,
  type JsonObject,
  type JsonValue,
  withKey,
  writeJson,
} from '../../../../lib/json/value.ts'
import type { WorkflowDocument } from '../document/document.ts'
import type { InputType } from '../input-type.ts'
import type { NodeTypes } from '../node-types.ts'
import { readLink, readPayloadNode } from '../payload.ts'

/** A form. `results`: payload ids of nodes; none: all results are shown. */
export type GraphForm = { readonly parameters: readonly GraphParameter[]; readonly results: readonly string[] }

const KEY = 'drydock.form'
const EMPTY: GraphForm = { parameters: [], results: [] }
const NOTHING: JsonObject = new Map()

export function readForm({ extra }: Pick<WorkflowDocument, 'extra'>): GraphForm {
  const form = isObject(extra) ? extra.get(KEY) : undefined
  if (!isObject(form)) return EMPTY
  const parameters = form.get('parameters')
  const found = isArray(parameters) ? parameters.map((one) => graphParameter.safeParse(plain(one))) : []
  const results = form.get('results')
  return {
    parameters: found.flatMap(({ data }) => (data === undefined ? [] : [data])),
    results: isArray(results) ? results.filter((one) => typeof one === 'string') : [],
  }
}

export const hasForm = ({ extra }: Pick<WorkflowDocument, 'extra'>): boolean => isObject(extra) && extra.has(KEY)

/** @param isKept whether an empty form is stored too, because it replaces another one */
export function writeForm(
  document: WorkflowDocument,
  { parameters, results }: GraphForm,
  isKept = false,
): WorkflowDocument {
  const extra = isObject(document.extra) ? document.extra : NOTHING
  const isEmpty = parameters.length + results.length === 0 && !isKept
  if (isEmpty && !extra.has(KEY)) return document
  const form = new Map<string, JsonValue>([
    ['parameters', parameters.map(asJson)],
    ['results', results],
  ])
  return { ...document, extra: withKey(extra, KEY, isEmpty ? undefined : form) }
}

export const isSameInput = (one: GraphParameter, other: Pick<GraphParameter, 'node' | 'input'>): boolean =>
  one.node === other.node && one.input === other.input

export function parameterOf({ parameters }: GraphForm, node: string, input: string): GraphParameter | undefined {
  return parameters.find((one) => isSameInput(one, { node, input }))
}

export function freeParameterName(wanted: string, { parameters }: GraphForm): string {
  const base = wanted
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^(?![A-Za-z_])/, '_')
    .slice(0, 60)
  const taken = new Set(parameters.map(({ name }) => name))
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base}_${count}`
    if (!taken.has(name)) return name
  }
}

function plain(value: JsonValue): unknown {
  return isObject(value) ? Object.fromEntries(value) : value
}

function asJson(parameter: GraphParameter): JsonObject {
  const fields = Object.entries(parameter).filter(([, value]) => value !== undefined)
  return new Map(fields as [string, string | string[]][])
}

// Suggests kind, default, range and choices from the node's class.

type Suggestion = { readonly parameter: GraphParameter } | { readonly why: string }

export function suggestParameter(
  payload: JsonObject,
  types: NodeTypes,
  { node: nodeId, input, name = input }: { readonly node: string; readonly input: string; readonly name?: string },
): Suggestion {
  const node = readPayloadNode(nodeId, payload.get(nodeId))
  if (node === undefined) return { why: `There is no node ${nodeId}.` }
  const value = node.inputs.get(input)
  const type = types.get(node.classType)?.inputs.find((one) => one.name === input)
  if (value === undefined && type === undefined)
    return { why: `Node ${nodeId} (${node.classType}) has no input ${input}.` }
  if (readLink(value) !== undefined)
    return { why: `Input ${input} of node ${nodeId} is linked to another node; only values can be parameters.` }
  const kind = kindOf(type, value)
  if (kind === undefined) return { why: `Input ${input} of node ${nodeId} holds ${type?.type ?? 'an object'}.` }
  const given = kind === 'image' ? undefined : value
  return {
    parameter: {
      name,
      node: nodeId,
      input,
      type: kind,
      ...(given === undefined ? {} : { default: writeJson(given) }),
      ...rangeOf(type, kind),
      ...(kind === 'choice' ? { choices: choicesOf(type, value) } : {}),
    },
  }
}

function kindOf(type: InputType | undefined, value: JsonValue | undefined): ParameterType | undefined {
  if (type?.options.get('image_upload') === true) return 'image'
  if (type?.type === 'INT') return 'integer'
  if (type?.type === 'FLOAT') return 'number'
  if (type?.type === 'BOOLEAN' || typeof value === 'boolean') return 'boolean'
  if ((type?.choices?.length ?? 0) > 0) return 'choice'
  if (typeof value === 'string' || type?.type === 'STRING') return 'string'
  if (isNumber(value)) return /^-?\d+$/.test(value.number) ? 'integer' : 'number'
  return undefined
}

function rangeOf(type: InputType | undefined, kind: ParameterType): Pick<GraphParameter, 'min' | 'max'> {
  if (kind !== 'integer' && kind !== 'number') return {}
  const [min, max] = [type?.options.get('min'), type?.options.get('max')]
  return { ...(isNumber(min) ? { min: min.number } : {}), ...(isNumber(max) ? { max: max.number } : {}) }
}

function choicesOf(type: InputType | undefined, value: JsonValue | undefined): string[] {
  const listed = (type?.choices ?? []).map(choiceText)
  const now = value === undefined ? undefined : choiceText(value)
  return now === undefined || listed.includes(now) ? listed : [now, ...listed]
}

const choiceText = (value: JsonValue) => (typeof value === 'string' ? value : writeJson(value))

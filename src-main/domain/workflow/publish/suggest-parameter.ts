/** A parameter made from an input of a node: its kind, default, range and choices come from the class. */
import type { GraphParameter, ParameterType } from '../../../contract/published.ts'
import type { InputType } from '../input-type.ts'
import { isNumber, type JsonObject, type JsonValue } from '../json/value.ts'
import { writeJson } from '../json/write.ts'
import type { NodeTypes } from '../node-types.ts'
import { readLink, readPayloadNode } from '../payload.ts'

/** The parameter, or why there can be none. */
export type Suggestion = { readonly parameter: GraphParameter } | { readonly why: string }

/** Suggests the parameter for an input. @param name what it is called outside; the input's own without it */
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
    return { why: `Input ${input} of node ${nodeId} is linked to another node; only values can be given from outside.` }
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

// What is set now stays possible, also where the class that we know does not list it.
function choicesOf(type: InputType | undefined, value: JsonValue | undefined): string[] {
  const listed = (type?.choices ?? []).map(choiceText)
  const now = value === undefined ? undefined : choiceText(value)
  return now === undefined || listed.includes(now) ? listed : [now, ...listed]
}

const choiceText = (value: JsonValue) => (typeof value === 'string' ? value : writeJson(value))

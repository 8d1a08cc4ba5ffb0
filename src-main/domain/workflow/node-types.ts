/**
 * What is known of classes of nodes: the answer of `GET /object_info`, or a file of that form. Source: image-workflows,
 * Node types; editor research, 5.
 */
import { asText, isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from './json/value.ts'

/** An input of a class. */
export type InputType = {
  readonly name: string
  readonly isRequired: boolean
  /** `INT`, `MODEL`, `*`, `A,B` ...; `COMBO` for a choice. */
  readonly type: string
  /** The values of a choice. Empty where they are files that only the worker knows. */
  readonly choices: JsonArray | undefined
  readonly options: JsonObject
}

/** An output of a class. */
export type OutputType = { readonly name: string; readonly type: string; readonly isList: boolean }

/** A class of nodes. */
export type NodeType = {
  readonly name: string
  readonly displayName: string
  readonly category: string
  readonly description: string
  /** In the order in which they are shown, and their values are stored. */
  readonly inputs: readonly InputType[]
  readonly outputs: readonly OutputType[]
  /** Whether a run of it alone gives something, like a saved picture. */
  readonly isOutput: boolean
  readonly raw: JsonObject
}

/** Classes by name. */
export type NodeTypes = ReadonlyMap<string, NodeType>

/** Reads classes; entries that are none are left out. @param raw class name -> definition */
export function readNodeTypes(raw: JsonObject): NodeTypes {
  return new Map([...raw].flatMap(([name, value]) => (isObject(value) ? [[name, readNodeType(name, value)]] : [])))
}

function readNodeType(name: string, raw: JsonObject): NodeType {
  return {
    name,
    displayName: asText(raw.get('display_name')) ?? name,
    category: asText(raw.get('category')) ?? '',
    description: asText(raw.get('description')) ?? '',
    inputs: inputsOf(raw),
    outputs: readOutputs(raw),
    isOutput: raw.get('output_node') === true,
    raw,
  }
}

const NEEDS = ['required', 'optional'] as const
const NOTHING: JsonObject = new Map()

/** The inputs of a definition, in the order in which they are shown. @param raw with `input` and `input_order` */
export function inputsOf(raw: JsonObject): readonly InputType[] {
  const all = objectAt(raw, 'input')
  const order = objectAt(raw, 'input_order')
  return NEEDS.flatMap((need) => {
    const inputs = objectAt(all, need)
    const ordered = order.get(need)
    const first = isArray(ordered) ? ordered.flatMap((one) => (typeof one === 'string' ? [one] : [])) : []
    const names = new Set([...first.filter((one) => inputs.has(one)), ...inputs.keys()])
    return [...names].map((name) => readInput(name, inputs.get(name), need === 'required'))
  })
}

function readInput(name: string, raw: JsonValue | undefined, isRequired: boolean): InputType {
  const [type, more] = isArray(raw) ? raw : []
  const options = isObject(more) ? more : NOTHING
  const listed = isArray(type) ? type : options.get('options')
  const choices = isArray(type) || type === 'COMBO' ? (isArray(listed) ? listed : []) : undefined
  const typeName = choices === undefined ? plainType(asText(type), options) : 'COMBO'
  return { name, isRequired, type: typeName, choices, options }
}

// Types that follow what is linked elsewhere fit what their template allows.
function plainType(type: string | undefined, options: JsonObject): string {
  if (type !== MATCHING) return type ?? '*'
  const allowed = asText(objectAt(options, 'template').get('allowed_types'))
  return allowed === undefined || allowed === '' ? '*' : allowed
}

const MATCHING = 'COMFY_MATCHTYPE_V3'

function readOutputs(raw: JsonObject): readonly OutputType[] {
  const types = arrayAt(raw, 'output')
  const names = arrayAt(raw, 'output_name')
  const lists = arrayAt(raw, 'output_is_list')
  return types.map((type, at) => {
    const typeName = isArray(type) ? 'COMBO' : type === MATCHING ? '*' : (asText(type) ?? '*')
    return { name: asText(names[at]) ?? typeName, type: typeName, isList: lists[at] === true }
  })
}

function objectAt(raw: JsonObject, key: string): JsonObject {
  const value = raw.get(key)
  return isObject(value) ? value : NOTHING
}

function arrayAt(raw: JsonObject, key: string): JsonArray {
  const value = raw.get(key)
  return isArray(value) ? value : []
}

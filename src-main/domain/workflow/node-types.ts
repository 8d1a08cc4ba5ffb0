/**
 * What is known of classes of nodes: the answer of `GET /object_info`, or a file of that form. Source: image-workflows,
 * Node types; editor research, 5.
 */

import { type InputType, isWidget, OPEN_LIST } from './input-type.ts'
import { asText, isArray, isObject, type JsonArray, type JsonObject, type JsonValue, withKey } from './json/value.ts'
import { withPageWidgets } from './page-widgets.ts'

/** Values that a worker proposes, by class and input. It takes others too. */
export type ProposedLists = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/**
 * Definitions of classes with the lists that a worker proposes, in place of those that are empty.
 * @param raw class name -> definition @param lists their first value is that of new nodes
 */
export function withLists(raw: JsonObject, lists: ProposedLists): JsonObject {
  return new Map([...raw].map(([name, type]) => [name, isObject(type) ? withListsOf(type, lists[name] ?? {}) : type]))
}

function withListsOf(type: JsonObject, lists: Readonly<Record<string, readonly string[]>>): JsonObject {
  const inputs = objectAt(type, 'input')
  const named = NEEDS.flatMap((need) => {
    const group = objectAt(inputs, need)
    const changed = [...group].map(([name, input]): readonly [string, JsonValue] => {
      return [name, withList(readInput(name, input, true), input, lists[name])]
    })
    return group.size === 0 ? [] : [[need, new Map(changed)] as const]
  })
  return withKey(type, 'input', new Map([...inputs, ...named]))
}

function withList({ choices, options }: InputType, raw: JsonValue, list: readonly string[] | undefined): JsonValue {
  if (list === undefined || choices === undefined || choices.length > 0) return raw
  return [[...list], withKey(options, OPEN_LIST, true)]
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
    inputs: withPageWidgets(name, inputsOf(raw), isWidget),
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

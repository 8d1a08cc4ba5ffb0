/**
 * Resolves dynamic inputs of a node: choices with their own inputs, and lists that grow when linked. Source:
 * docs/spec/comfyui.md, 5.
 */

import { asText } from '../../../lib/json/plain.ts'
import { asIndex, isArray, isObject, type JsonObject, type JsonValue } from '../../../lib/json/value.ts'
import type { GraphNode } from './document/document.ts'
import { type InputType, isWidget } from './input-type.ts'
import { customComboWidgets, inputsOf, type NodeType, type NodeTypes } from './node-types.ts'
import { inputOfValue } from './own-inputs.ts'
import type { PayloadNode } from './payload.ts'
import { isStored, ownSlots, slotsOf, widgetValues } from './widgets.ts'

const CHOICE = 'COMFY_DYNAMICCOMBO_V3'

export const isChoice = ({ type }: InputType): boolean => type === CHOICE

const GROWING = 'COMFY_AUTOGROW_V3'
const OWN_LIST = 'CustomCombo'
// Source: docs/spec/comfyui.md, 5.
const GROWS_TO = 100

type Given = {
  readonly valueOf: (name: string, index: number) => JsonValue | undefined
  readonly hasInput: (name: string) => boolean
}

/** The class of a node, with the inputs that its own values need and those that only the node names. */
export function typeOfNode(node: GraphNode, types: NodeTypes): NodeType | undefined {
  const type = types.get(node.type ?? '')
  return type && withOwnInputs(isDynamic(type) ? expandedFor(node, type) : type, node)
}

function expandedFor({ widgetValues: values, inputs }: GraphNode, type: NodeType): NodeType {
  const linked = new Set(inputs.items.flatMap(({ name = '', link }) => (link === undefined ? [] : name)))
  return expanded(type, {
    valueOf: (name, index) => (isArray(values) ? values[index] : isObject(values) ? values.get(name) : undefined),
    hasInput: (name) => linked.has(name),
  })
}

export function typeOfPayloadNode({ classType, inputs }: PayloadNode, types: NodeTypes): NodeType | undefined {
  const type = types.get(classType)
  if (type === undefined || !isDynamic(type)) return type
  return expanded(type, { valueOf: (name) => inputs.get(name), hasInput: (name) => inputs.has(name) })
}

const isDynamic = ({ name, inputs }: NodeType): boolean =>
  name === OWN_LIST || inputs.some(({ type }) => type === CHOICE || type === GROWING)

// A pure cache: nodes with equal inputs share the identical type, by which views are cached.
const variants = new WeakMap<NodeType, Map<string, NodeType>>()

function expanded(type: NodeType, given: Given): NodeType {
  const inputs: InputType[] = []
  let index = 0
  const add = (input: InputType) => {
    inputs.push(input)
    if (isWidget(input) && isStored(input)) index += slotsOf(input).length
  }
  const visit = (input: InputType) => {
    if (input.type === GROWING) members(input, given).forEach(add)
    else if (input.type === CHOICE) {
      const value = given.valueOf(input.name, index)
      const options = optionsOf(input)
      add({ ...input, choices: options.map(({ key }) => key) })
      const option = options.find(({ key }) => key === value) ?? options[0]
      for (const one of option === undefined ? [] : childrenOf(input, option.inputs)) visit(one)
    } else add(input)
  }
  type.inputs.forEach(visit)
  if (type.name === OWN_LIST)
    customComboWidgets((at) => given.valueOf(`option${at}`, index + at) !== undefined).forEach(add)
  const key = inputs.map(({ name }) => name).join('\n')
  const known = variants.get(type) ?? new Map<string, NodeType>()
  variants.set(type, known)
  const variant = known.get(key) ?? { ...type, inputs }
  known.set(key, variant)
  return variant
}

/** A file may be newer than the list of classes; then its own names count. */
function withOwnInputs(type: NodeType, node: GraphNode): NodeType {
  const slots = ownSlots(node)
  const values = slots && widgetValues(node, undefined)
  const known = new Set(type.inputs.map(({ name }) => name))
  const more = [...(values ?? [])].filter(([name]) => !known.has(name))
  const isOther = (input: InputType) => {
    const value = values?.get(input.name)
    return value !== undefined && isChoice(input) && input.choices?.includes(value) === false
  }
  if (slots === undefined || (more.length === 0 && !type.inputs.some(isOther))) return type
  const before = ownTypes.get(node)
  if (before?.of === type) return before.type
  const named = new Set(slots.map(({ name }) => name))
  const isOfOtherChoice = (input: InputType) =>
    isWidget(input) && !named.has(input.name) && type.inputs.some((one) => isWithinChoice(input, one))
  const inputs = [
    ...type.inputs.filter((input) => !isOfOtherChoice(input)),
    ...more.map(([name, value]) => inputOfValue(node, name, value)),
  ]
  const own = { ...type, inputs, storedAs: slots }
  ownTypes.set(node, { of: type, type: own })
  return own
}

// Only a cache: views are cached by the identity of the class.
const ownTypes = new WeakMap<GraphNode, { readonly of: NodeType; readonly type: NodeType }>()

const isWithinChoice = ({ name }: InputType, choice: InputType): boolean =>
  isChoice(choice) && name.startsWith(`${choice.name}.`)

function optionsOf({
  options,
}: InputType): readonly { readonly key: string; readonly inputs: JsonValue | undefined }[] {
  const list = options.get('options')
  return (isArray(list) ? list : []).flatMap((one) => {
    const key = isObject(one) ? asText(one.get('key')) : undefined
    return isObject(one) && key !== undefined ? [{ key, inputs: one.get('inputs') }] : []
  })
}

function childrenOf(parent: InputType, inputs: JsonValue | undefined): readonly InputType[] {
  return inputsOf(new Map([['input', inputs ?? null]])).map((input) => {
    return { ...input, name: `${parent.name}.${input.name}`, isRequired: parent.isRequired && input.isRequired }
  })
}

/** As many as required or linked, plus one; sockets only. */
function members(group: InputType, { hasInput }: Given): readonly InputType[] {
  const template = group.options.get('template')
  if (!isObject(template)) return []
  const [pattern] = inputsOf(new Map([['input', template.get('input') ?? null]]))
  if (pattern === undefined) return []
  const names = memberNames(template).map((name) => `${group.name}.${name}`)
  const least = asIndex(template.get('min')) ?? 0
  const last = names.findLastIndex(hasInput)
  const count = Math.min(names.length, Math.max(least, last + 2, 1))
  const options = new Map([...pattern.options, ['forceInput', true] as const])
  return names.slice(0, count).map((name, at) => {
    return { ...pattern, name, options, isRequired: group.isRequired && at < least }
  })
}

function memberNames(template: JsonObject): readonly string[] {
  const names = template.get('names')
  if (isArray(names)) return names.flatMap((name) => asText(name) ?? []).slice(0, GROWS_TO)
  const prefix = asText(template.get('prefix')) ?? ''
  const most = Math.min(GROWS_TO, asIndex(template.get('max')) ?? GROWS_TO)
  return Array.from({ length: most }, (_, at) => `${prefix}${at}`)
}

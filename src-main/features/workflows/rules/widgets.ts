/**
 * Widgets: inputs whose value is set on the node. A document stores their values only by slot, which follows from the
 * class. Source: docs/spec/comfyui.md, 2.2.
 */

import { asText } from '../../../lib/json/plain.ts'
import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue, withKey } from '../../../lib/json/value.ts'
import type { GraphNode } from './document/document.ts'
import { hasWidgetType, type InputType, isWidget } from './input-type.ts'
import type { NodeType } from './node-types.ts'

/** Inputs that hold a seed. Source: docs/spec/comfyui.md, 2.2. */
export const SEED_NAMES: ReadonlySet<string> = new Set(['seed', 'noise_seed'])

/**
 * Node property for payload inputs without a widget, or whose form a widget would change. Source: ours, because an
 * opened payload must be sent unchanged.
 */
export const OTHER_INPUTS = 'drydock.inputs'

/**
 * Node property naming widgets without a payload value. They are omitted again while they keep their defaults. Source:
 * ours, as for OTHER_INPUTS.
 */
export const LEFT_OUT = 'drydock.left-out'

/**
 * Slot key of a widget that the user made an input, whose socket shows even unlinked. Source: ours; in newer files
 * every widget has a slot.
 */
export const SHOWN_SOCKET = 'drydock.socket'

export type ValueSlot = { readonly name: string; readonly kind: 'input' | 'control' | 'filter' }

export function valueSlots(type: NodeType): readonly StoredSlot[] {
  const slots = slotsOfTypes.get(type) ?? slotsOfType(type)
  slotsOfTypes.set(type, slots)
  return slots
}

// Only a cache: a graph has thousands of nodes of few classes.
const slotsOfTypes = new WeakMap<NodeType, readonly StoredSlot[]>()

function slotsOfType({ inputs }: NodeType): readonly StoredSlot[] {
  return numbered(inputs.filter((input) => isWidget(input) && isStored(input)).flatMap(slotsOf))
}

export const isStored = ({ type, page }: InputType): boolean => type !== 'IMAGECOMPARE' && page?.isStored !== false

export const isSent = ({ page }: InputType): boolean => page?.isSent !== false

export function slotsOf(input: InputType): readonly ValueSlot[] {
  const { name, type } = input
  const own: ValueSlot = { name, kind: 'input' }
  if (!isControlled(input)) return [own]
  const control: ValueSlot = { name, kind: 'control' }
  return type === 'COMBO' ? [own, control, { name, kind: 'filter' }] : [own, control]
}

export function isControlled({ name, type, options }: InputType): boolean {
  const asked = options.get('control_after_generate')
  if (asked === true || typeof asked === 'string') return ['INT', 'FLOAT', 'COMBO'].includes(type)
  return type === 'INT' && SEED_NAMES.has(name) && asked !== false
}

export type StoredSlot = ValueSlot & { readonly at: number }

const EDITOR_SLOTS: Readonly<Record<string, readonly ValueSlot[]>> = {
  Note: [{ name: 'text', kind: 'input' }],
  MarkdownNote: [{ name: 'text', kind: 'input' }],
  PrimitiveNode: [
    { name: 'value', kind: 'input' },
    { name: 'value', kind: 'control' },
    { name: 'value', kind: 'filter' },
  ],
}

/**
 * Node values by input name.
 * @param type its class; without it the names in the file, or its slots, must do
 * @returns undefined if ambiguous
 */
export function widgetValues(node: GraphNode, type: NodeType | undefined): JsonObject | undefined {
  const values = node.widgetValues
  if (isObject(values)) return type === undefined ? withKey(values, VIDEO_PREVIEW, undefined) : onlyInputs(values, type)
  if (!isArray(values) || values.length === 0) return (type === undefined ? namedInputs(node) : undefined) ?? new Map()
  const slots = storedSlots(node, type)
  if (slots === undefined) return namedInputs(node)
  const named = new Map<string, JsonValue>()
  for (const { name, kind, at } of slots) {
    const value = values[at]
    if (kind === 'input' && value !== undefined) named.set(name, value)
  }
  return named
}

export function storedSlots(node: GraphNode, type: NodeType | undefined): readonly StoredSlot[] | undefined {
  const values = isArray(node.widgetValues) ? node.widgetValues : []
  const ofEditor = Object.hasOwn(EDITOR_SLOTS, node.type ?? '') ? EDITOR_SLOTS[node.type ?? ''] : undefined
  if (ofEditor !== undefined) return numbered(ofEditor).slice(0, Math.max(1, values.length))
  if (type === undefined) return namedSlots(node) ?? bySlots(node, values)
  const slots = valueSlots(type)
  return withDummies(type, slots, values.length) ?? slots
}

const numbered = (slots: readonly ValueSlot[]): readonly StoredSlot[] => slots.map((slot, at) => ({ ...slot, at }))

// VideoHelperSuite stores the state of its preview among the values.
const VIDEO_PREVIEW = 'videopreview'

function onlyInputs(values: JsonObject, { inputs }: NodeType): JsonObject {
  const found = inputs.flatMap(({ name }) => {
    const value = values.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return new Map(found)
}

// Files of before 2025 have a value for each socket whose type could be set.
function withDummies({ inputs }: NodeType, slots: readonly StoredSlot[], stored: number) {
  if (stored <= slots.length) return undefined
  const forced = inputs.filter((one) => hasWidgetType(one) && !isWidget(one))
  if (forced.length === 0 || stored !== slots.length + forced.length) return undefined
  const moved: StoredSlot[] = []
  let at = 0
  for (const input of inputs) {
    if (!hasWidgetType(input)) continue
    const own = isWidget(input) ? slotsOf(input) : []
    for (const [offset, slot] of own.entries()) moved.push({ ...slot, at: at + offset })
    at += Math.max(1, own.length)
  }
  return [...moved, ...slots.slice(moved.length).map((slot) => ({ ...slot, at: slot.at + forced.length }))]
}

// Newer files have a slot for each widget, in order. A seed has its control after it.
function bySlots(node: GraphNode, values: JsonArray): readonly StoredSlot[] | undefined {
  const names = node.inputs.items.flatMap(({ widget }) => widget ?? [])
  const slots: ValueSlot[] = []
  for (const name of names) {
    slots.push({ name, kind: 'input' })
    if (isControlMode(values[slots.length]) && values.length > names.length) slots.push({ name, kind: 'control' })
  }
  return slots.length === values.length ? numbered(slots) : undefined
}

// Newer files also name values in `widgets_values_named`, which resolves unknown classes; if both exist, slots win, as
// in ComfyUI's editor. Source: docs/spec/comfyui.md, 1.

type NamedSlot = { readonly name: string; readonly kind: 'input' | 'control' | 'filter'; readonly at: number }

const CONTROLS = new Set(['control_after_generate', 'control_before_generate'])
const FILTER = 'control_filter_list'

function namedSlots({ namedValues, widgetValues }: GraphNode): readonly NamedSlot[] | undefined {
  if (!isObject(namedValues) || !isArray(widgetValues)) return undefined
  const all = widgetValues.map((_value, at) => at)
  // An unsaved widget leaves a hole in the list, and has no name.
  const slots = namedValues.size === all.length ? all : all.filter((at) => widgetValues[at] !== null)
  if (slots.length !== namedValues.size) return undefined
  return namesIn(namedValues).map((one, slot) => ({ ...one, at: slots[slot] ?? 0 }))
}

function namedInputs({ namedValues }: GraphNode): JsonObject | undefined {
  if (!isObject(namedValues)) return undefined
  const values = [...namedValues.values()]
  return new Map(
    namesIn(namedValues).flatMap(({ name, kind }, at): readonly (readonly [string, JsonValue])[] =>
      kind === 'input' ? [[name, values[at] ?? null]] : [],
    ),
  )
}

function namesIn(named: JsonObject): readonly Omit<NamedSlot, 'at'>[] {
  let input = ''
  return [...named].map(([key, value]) => {
    const name = withoutNumber(key, named)
    if (name === FILTER) return { name: input, kind: 'filter' }
    // The key of a control may be the first word of its class's list, like `fixed`.
    if (isControlMode(value) && (CONTROLS.has(name) || isControlMode(name))) return { name: input, kind: 'control' }
    input = name
    return { name, kind: 'input' }
  })
}

// The second `text` of a node is `text#1`.
function withoutNumber(key: string, named: JsonObject): string {
  const [, name] = /^(.+)#\d+$/s.exec(key) ?? []
  return name !== undefined && named.has(name) ? name : key
}

const CONTROL_MODES = ['fixed', 'increment', 'decrement', 'randomize', 'increment-wrap'] as const

export type ControlMode = (typeof CONTROL_MODES)[number]

export function isControlMode(value: JsonValue | undefined): value is ControlMode {
  const text = asText(value)
  return text !== undefined && (CONTROL_MODES as readonly string[]).includes(text)
}

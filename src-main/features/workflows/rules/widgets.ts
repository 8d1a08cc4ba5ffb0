/**
 * Widgets: inputs whose value is set on the node. A document stores their values only by slot, which follows from the
 * class. Source: docs/spec/comfyui.md, 2.2.
 */

import { asText } from '../../../lib/json/plain.ts'
import {
  isArray,
  isNumber,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  sameJson,
} from '../../../lib/json/value.ts'
import type { GraphNode } from './document/document.ts'
import { hasWidgetType, type InputType, isWidget, type StoredSlot, type ValueSlot } from './input-type.ts'
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

export function valueSlots(type: NodeType): readonly StoredSlot[] {
  const slots = type.storedAs ?? slotsOfTypes.get(type) ?? slotsOfType(type)
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
  const named = namedValues(node, type)
  return type === undefined ? named && withoutPageParts(named) : named
}

function namedValues(node: GraphNode, type: NodeType | undefined): JsonObject | undefined {
  const values = node.widgetValues
  if (isObject(values)) return type === undefined ? values : onlyInputs(values, type)
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
  if (type === undefined) return ownSlots(node)
  const slots = valueSlots(type)
  return withDummies(type, slots, values.length) ?? slots
}

/** The slots that the node itself names; undefined if it does not name all of its values. */
export function ownSlots(node: GraphNode): readonly StoredSlot[] | undefined {
  if (slotsOfNodes.has(node)) return slotsOfNodes.get(node)
  const slots = isArray(node.widgetValues) ? (namedSlots(node) ?? bySlots(node, node.widgetValues)) : undefined
  slotsOfNodes.set(node, slots)
  return slots
}

// Only a cache: each view of a node asks.
const slotsOfNodes = new WeakMap<GraphNode, readonly StoredSlot[] | undefined>()

const numbered = (slots: readonly ValueSlot[]): readonly StoredSlot[] => slots.map((slot, at) => ({ ...slot, at }))

// Widgets of the page that any class may save among its values, but that are not sent.
const PAGE_PARTS: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  upload: (value) => value === null || value === '' || value === 'image',
  'Auto-refresh after generation': (value) => typeof value === 'boolean',
  videopreview: () => true,
}

export const isPagePart = (name: string, value: JsonValue): boolean =>
  Object.hasOwn(PAGE_PARTS, name) && PAGE_PARTS[name]?.(value) === true

function withoutPageParts(named: JsonObject): JsonObject {
  let before: JsonValue | undefined
  const sent = [...named].filter(([name, value]) => {
    // The page draws a widget for each side of a bounding box.
    const isSide = isObject(before) && before.has(name) && isNumber(value)
    if (!isSide) before = value
    return !isSide && !isPagePart(name, value)
  })
  return sent.length === named.size ? named : new Map(sent)
}

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
function bySlots({ inputs }: GraphNode, values: JsonArray): readonly StoredSlot[] | undefined {
  const widgets = inputs.items.flatMap(({ widget, type }) => (widget === undefined ? [] : { name: widget, type }))
  const all = values.map((_value, at) => at)
  // An unsaved widget leaves a hole.
  for (const places of [all, all.filter((at) => values[at] !== null)]) {
    const hasControl = places.length > widgets.length
    const slots: StoredSlot[] = []
    const valueAt = () => values[places[slots.length] ?? -1]
    const add = (name: string, kind: ValueSlot['kind']) => slots.push({ name, kind, at: places[slots.length] ?? -1 })
    const isFitting = widgets.every(({ name, type }) => {
      const fits = valueFits(type, valueAt())
      add(name, 'input')
      if (hasControl && mayBeControlled(type) && isControlMode(valueAt())) add(name, 'control')
      if (slots.at(-1)?.kind === 'control' && type === 'COMBO' && valueAt() === '') add(name, 'filter')
      return fits
    })
    if (isFitting && slots.length === places.length) return slots
  }
  return undefined
}

const mayBeControlled = (type: string): boolean => ['INT', 'FLOAT', 'COMBO'].includes(type)

const JAVASCRIPT_TYPES: Readonly<Record<string, (value: JsonValue | undefined) => boolean>> = {
  INT: isNumber,
  FLOAT: isNumber,
  BOOLEAN: (value) => typeof value === 'boolean',
  STRING: (value) => typeof value === 'string',
}

const valueFits = (type: string, value: JsonValue | undefined): boolean =>
  value !== undefined && (JAVASCRIPT_TYPES[type]?.(value) ?? true)

// Newer files also name values in `widgets_values_named`, which resolves unknown classes; if both exist, slots win, as
// in ComfyUI's editor. Source: docs/spec/comfyui.md, 1.

type NamedSlot = { readonly name: string; readonly kind: 'input' | 'control' | 'filter'; readonly at: number }

const CONTROLS = new Set(['control_after_generate', 'control_before_generate'])
const FILTER = 'control_filter_list'

function namedSlots({ namedValues, widgetValues }: GraphNode): readonly NamedSlot[] | undefined {
  if (!isObject(namedValues) || !isArray(widgetValues)) return undefined
  const places = placesOf([...namedValues.values()], widgetValues)
  return places && namesIn(namedValues).map((one, slot) => ({ ...one, at: places[slot] ?? 0 }))
}

/** Unsaved widgets have no name but may have a value; a name may have an older value. */
function placesOf(named: JsonArray, stored: JsonArray): readonly number[] | undefined {
  const all = stored.map((_value, at) => at)
  const saved = all.filter((at) => stored[at] !== null)
  return (
    [all, saved].find((places) => places.length === named.length) ??
    placesWhere(named, stored, sameJson) ??
    placesWhere(named, stored, (one, other) => kindOf(one) === kindOf(other))
  )
}

function placesWhere(named: JsonArray, stored: JsonArray, isSame: (one: JsonValue, other: JsonValue) => boolean) {
  const places: number[] = []
  for (const [at, value] of stored.entries()) {
    const next = named[places.length]
    if (next !== undefined && isSame(next, value)) places.push(at)
  }
  return places.length === named.length ? places : undefined
}

const kindOf = (value: JsonValue): string =>
  value === null ? 'null' : isNumber(value) ? 'number' : isArray(value) ? 'array' : typeof value

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

/**
 * Widgets: inputs whose value is set on the node. A document stores their values by place alone, so the place of each is
 * worked out from its class. Source: editor research, 2, "widgets_values -> names".
 */
import type { GraphNode } from './document/document.ts'
import { asText, isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from './json/value.ts'
import type { InputType, NodeType } from './node-types.ts'

// Types of inputs that are set on the node unless their options say otherwise.
const WIDGET_TYPES = new Set([
  ...['INT', 'FLOAT', 'STRING', 'BOOLEAN', 'COMBO', 'COLOR', 'BOUNDING_BOX', 'CURVE', 'RANGE', 'CHART'],
  ...['PAINTER', 'TEXTAREA', 'MARKDOWN', 'GALLERIA', 'IMAGECOMPARE', 'COMFY_DYNAMICCOMBO_V3'],
])
const SEED_NAMES = new Set(['seed', 'noise_seed'])
const UPLOADS = ['image_upload', 'video_upload', 'animated_image_upload']

/**
 * Property of a node that holds inputs of a payload which its class has no widget for, or whose form a widget would
 * change. Source: ours, because a payload that was opened must be sent as it came.
 */
export const OTHER_INPUTS = 'drydock.inputs'

/** What a control widget may say. */
const CONTROL_MODES = ['fixed', 'increment', 'decrement', 'randomize', 'increment-wrap'] as const

/** A place in the list of values: of an input, or of a widget that only the editor has. */
export type WidgetPlace = { readonly name: string; readonly kind: 'input' | 'control' | 'filter' | 'upload' }

/** Whether an input is set on the node. */
export function isWidget({ type, options }: InputType): boolean {
  return WIDGET_TYPES.has(type) && options.get('forceInput') !== true
}

/** The places of the values of a class, in their order. */
export function widgetPlaces({ inputs }: NodeType): readonly WidgetPlace[] {
  const places = inputs.filter(isWidget).flatMap(placesOf)
  const upload = inputs.find((one) => one.isRequired && UPLOADS.some((key) => one.options.get(key) === true))
  return upload === undefined ? places : [...places, { name: 'upload', kind: 'upload' }]
}

function placesOf(input: InputType): readonly WidgetPlace[] {
  const { name, type } = input
  const own: WidgetPlace = { name, kind: 'input' }
  if (!isControlled(input)) return [own]
  const control: WidgetPlace = { name, kind: 'control' }
  return type === 'COMBO' ? [own, control, { name, kind: 'filter' }] : [own, control]
}

/** Whether a widget beside the input says how its value changes from run to run. */
function isControlled({ name, type, options }: InputType): boolean {
  const asked = options.get('control_after_generate')
  if (asked === true || typeof asked === 'string') return ['INT', 'FLOAT', 'COMBO'].includes(type)
  return type === 'INT' && SEED_NAMES.has(name) && asked !== false
}

/**
 * The values of a node by the names of its inputs.
 * @param type its class; without it the names of its slots must do
 * @returns undefined where the values cannot be told apart
 */
export function widgetValues(node: GraphNode, type: NodeType | undefined): JsonObject | undefined {
  const values = node.widgetValues
  if (isObject(values)) return type === undefined ? values : onlyInputs(values, type)
  if (!isArray(values)) return new Map()
  if (type === undefined) return bySlots(node, values)
  const places = widgetPlaces(type)
  return byPlaces(places, withoutDummies(type, places.length, values))
}

function onlyInputs(values: JsonObject, { inputs }: NodeType): JsonObject {
  const found = inputs.flatMap(({ name }) => {
    const value = values.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return new Map(found)
}

function byPlaces(places: readonly WidgetPlace[], values: JsonArray): JsonObject {
  const named = places.flatMap(({ name, kind }, at): (readonly [string, JsonValue])[] => {
    const value = values[at]
    return kind !== 'input' || value === undefined ? [] : [[name, value]]
  })
  return new Map(named)
}

// Files of before 2025 hold a value for each input that is a socket alone, where one of its type could be set.
function withoutDummies({ inputs }: NodeType, places: number, values: JsonArray): JsonArray {
  const forced = inputs.filter((one) => WIDGET_TYPES.has(one.type) && !isWidget(one))
  if (forced.length === 0 || values.length !== places + forced.length) return values
  const kept: JsonValue[] = []
  let at = 0
  for (const input of inputs) {
    if (!WIDGET_TYPES.has(input.type)) continue
    const count = isWidget(input) ? placesOf(input).length : 1
    if (isWidget(input)) kept.push(...values.slice(at, at + count))
    at += count
  }
  return [...kept, ...values.slice(at)]
}

// Newer files have a slot for each widget, in their order. A seed has its control after it.
function bySlots(node: GraphNode, values: JsonArray): JsonObject | undefined {
  const names = node.inputs.items.flatMap(({ widget }) => widget ?? [])
  if (values.length === 0) return new Map()
  const places: WidgetPlace[] = []
  for (const name of names) {
    places.push({ name, kind: 'input' })
    const next = asText(values[places.length])
    const isControl = next !== undefined && (CONTROL_MODES as readonly string[]).includes(next)
    if (isControl && values.length > names.length) places.push({ name, kind: 'control' })
  }
  return places.length === values.length ? byPlaces(places, values) : undefined
}

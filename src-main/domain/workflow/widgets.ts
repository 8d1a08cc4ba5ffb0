/**
 * Widgets: inputs whose value is set on the node. A document stores their values by place alone, so the place of each is
 * worked out from its class. Source: editor research, 2, "widgets_values -> names".
 */
import { isControlMode } from './control-mode.ts'
import type { GraphNode } from './document/document.ts'
import { hasWidgetType, type InputType, isWidget } from './input-type.ts'
import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from './json/value.ts'
import { namedInputs, namedPlaces } from './named-values.ts'
import type { NodeType } from './node-types.ts'

const SEED_NAMES = new Set(['seed', 'noise_seed'])

/**
 * Property of a node that holds inputs of a payload which its class has no widget for, or whose form a widget would
 * change. Source: ours, because a payload that was opened must be sent as it came.
 */
export const OTHER_INPUTS = 'drydock.inputs'

/**
 * Property of a node with the names of widgets that the payload had no value for. They have their defaults, since every
 * widget has its place; while they do, they are left out again. Source: ours, as for OTHER_INPUTS.
 */
export const LEFT_OUT = 'drydock.left-out'

/**
 * Key of an input slot of a widget that a person made an input: its socket is shown, also while nothing is linked to it.
 * Source: ours; newer files have a slot for every widget, so that a slot alone says nothing.
 */
export const SHOWN_SOCKET = 'drydock.socket'

/** A place in the list of values: of an input, or of a widget that only the editor has. */
export type WidgetPlace = { readonly name: string; readonly kind: 'input' | 'control' | 'filter' }

/** The places of the values of a class, in their order. */
export function widgetPlaces(type: NodeType): readonly StoredPlace[] {
  const places = placesOfTypes.get(type) ?? placesOfType(type)
  placesOfTypes.set(type, places)
  return places
}

// A cache alone: a graph has thousands of nodes of a few classes.
const placesOfTypes = new WeakMap<NodeType, readonly StoredPlace[]>()

function placesOfType({ inputs }: NodeType): readonly StoredPlace[] {
  return numbered(inputs.filter((input) => isWidget(input) && isStored(input)).flatMap(placesOf))
}

/** Whether the value of a widget has a place in the stored values. */
export const isStored = ({ type, page }: InputType): boolean => type !== 'IMAGECOMPARE' && page?.isStored !== false

/** Whether the value of a widget is part of the payload. */
export const isSent = ({ page }: InputType): boolean => page?.isSent !== false

/** The places of the values of one widget: its own, and those of the widgets beside it. */
export function placesOf(input: InputType): readonly WidgetPlace[] {
  const { name, type } = input
  const own: WidgetPlace = { name, kind: 'input' }
  if (!isControlled(input)) return [own]
  const control: WidgetPlace = { name, kind: 'control' }
  return type === 'COMBO' ? [own, control, { name, kind: 'filter' }] : [own, control]
}

/** Whether a widget beside the input says how its value changes from run to run. */
export function isControlled({ name, type, options }: InputType): boolean {
  const asked = options.get('control_after_generate')
  if (asked === true || typeof asked === 'string') return ['INT', 'FLOAT', 'COMBO'].includes(type)
  return type === 'INT' && SEED_NAMES.has(name) && asked !== false
}

/** A place in the stored values of a node. `at`: its index there. */
export type StoredPlace = WidgetPlace & { readonly at: number }

// Of nodes that the editor alone has, which are no classes.
const EDITOR_PLACES: Readonly<Record<string, readonly WidgetPlace[]>> = {
  Note: [{ name: 'text', kind: 'input' }],
  MarkdownNote: [{ name: 'text', kind: 'input' }],
  PrimitiveNode: [
    { name: 'value', kind: 'input' },
    { name: 'value', kind: 'control' },
    { name: 'value', kind: 'filter' },
  ],
}

/**
 * The values of a node by the names of its inputs.
 * @param type its class; without it the names that the file has beside the values, or those of its slots must do
 * @returns undefined where the values cannot be told apart
 */
export function widgetValues(node: GraphNode, type: NodeType | undefined): JsonObject | undefined {
  const values = node.widgetValues
  if (isObject(values)) return type === undefined ? values : onlyInputs(values, type)
  if (!isArray(values) || values.length === 0) return (type === undefined ? namedInputs(node) : undefined) ?? new Map()
  const places = storedPlaces(node, type)
  if (places === undefined) return namedInputs(node)
  const named = new Map<string, JsonValue>()
  for (const { name, kind, at } of places) {
    const value = values[at]
    if (kind === 'input' && value !== undefined) named.set(name, value)
  }
  return named
}

/**
 * Where the values of a node are stored, of those that are stored by place.
 * @returns undefined where they cannot be told apart
 */
export function storedPlaces(node: GraphNode, type: NodeType | undefined): readonly StoredPlace[] | undefined {
  const values = isArray(node.widgetValues) ? node.widgetValues : []
  const ofEditor = Object.hasOwn(EDITOR_PLACES, node.type ?? '') ? EDITOR_PLACES[node.type ?? ''] : undefined
  if (ofEditor !== undefined) return numbered(ofEditor).slice(0, Math.max(1, values.length))
  if (type === undefined) return namedPlaces(node) ?? bySlots(node, values)
  const places = widgetPlaces(type)
  return withDummies(type, places, values.length) ?? places
}

const numbered = (places: readonly WidgetPlace[]): readonly StoredPlace[] =>
  places.map((place, at) => ({ ...place, at }))

function onlyInputs(values: JsonObject, { inputs }: NodeType): JsonObject {
  const found = inputs.flatMap(({ name }) => {
    const value = values.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return new Map(found)
}

// Files of before 2025 hold a value for each input that is a socket alone, where one of its type could be set.
function withDummies({ inputs }: NodeType, places: readonly StoredPlace[], stored: number) {
  if (stored <= places.length) return undefined
  const forced = inputs.filter((one) => hasWidgetType(one) && !isWidget(one))
  if (forced.length === 0 || stored !== places.length + forced.length) return undefined
  const moved: StoredPlace[] = []
  let at = 0
  for (const input of inputs) {
    if (!hasWidgetType(input)) continue
    const own = isWidget(input) ? placesOf(input) : []
    for (const [offset, place] of own.entries()) moved.push({ ...place, at: at + offset })
    at += Math.max(1, own.length)
  }
  return [...moved, ...places.slice(moved.length).map((place) => ({ ...place, at: place.at + forced.length }))]
}

// Newer files have a slot for each widget, in their order. A seed has its control after it.
function bySlots(node: GraphNode, values: JsonArray): readonly StoredPlace[] | undefined {
  const names = node.inputs.items.flatMap(({ widget }) => widget ?? [])
  const places: WidgetPlace[] = []
  for (const name of names) {
    places.push({ name, kind: 'input' })
    if (isControlMode(values[places.length]) && values.length > names.length) places.push({ name, kind: 'control' })
  }
  return places.length === values.length ? numbered(places) : undefined
}

/**
 * Inner widgets shown on a subgraph's node, in three file generations: inner list, list with host inputs, or host
 * inputs alone. Host values win. Source: docs/spec/comfyui.md, 1.1.
 */

import { parseJson } from '../../../lib/json/parse.ts'
import { asText } from '../../../lib/json/plain.ts'
import { asId, isArray, isObject, type JsonValue } from '../../../lib/json/value.ts'
import type { GraphNode, Subgraph } from './document/document.ts'
import { innerInputs, nodeById } from './document/index-of.ts'
import { typeOfNode } from './dynamic-inputs.ts'
import type { NodeTypes } from './node-types.ts'
import { type WidgetView, widgetsOf } from './node-view.ts'

export type InnerWidget = { readonly node: string; readonly widget: string }

export type PromotedWidget = {
  /** Unique among a host's widgets. */
  readonly key: string
  readonly label: string
  readonly input: string | undefined
  /** Its index in the host's values; undefined: the value is inside. */
  readonly at: number | undefined
  /** The widget itself; undefined if the input leads to nothing inside. */
  readonly inner: InnerWidget | undefined
}

const ON_THE_HOST = '-1'

export function promotedWidgets(host: GraphNode, definition: Subgraph): readonly PromotedWidget[] {
  const listed = listedWidgets(host)
  const inner = innerWidgets(definition)
  if (listed.length === 0) {
    const labels = new Map(host.inputs.items.map(({ name = '', label }) => [name, label]))
    return slotNamesOf(host, definition).map((name, at) =>
      ofInput(name, at, inner.get(name), labels.get(name) ?? labelOf(definition, name)),
    )
  }
  return listed.map((entry, index) => {
    const { node, widget } = entry
    if (node === ON_THE_HOST) {
      const at = valueIndex(host, definition, widget) ?? index
      return ofInput(widget, at, inner.get(widget), labelOf(definition, widget))
    }
    const input = [...inner].find(([, one]) => one.node === node && one.widget === widget)?.[0]
    const label = (input === undefined ? undefined : labelOf(definition, input)) ?? widget
    const at = input === undefined ? heldIndex(host, index) : valueIndex(host, definition, input)
    return { key: keyOfInner(entry), label, input, at, inner: entry }
  })
}

export const keyOfInner = ({ node, widget }: InnerWidget): string => `${node}: ${widget}`

function ofInput(input: string, at: number, inner: InnerWidget | undefined, label: string | undefined): PromotedWidget {
  return { key: input, label: label ?? input, input, at, inner }
}

const labelOf = ({ inputs }: Subgraph, name: string): string | undefined =>
  inputs.items.find((one) => one.name === name)?.label

/** Also accepts names of outer hosts' lists: `seed`, or `12: seed`. */
export function findPromoted(widgets: readonly PromotedWidget[], name: string): PromotedWidget | undefined {
  const bare = name.replace(/^\d+: /, '')
  return (
    widgets.find(({ key }) => key === name) ??
    widgets.find(({ inner }) => inner?.widget === name) ??
    widgets.find(({ key, inner }) => key === bare || inner?.widget === bare)
  )
}

/** In the definition's order, as the host may list only some; if the definition leads to no widget, the host's own. */
function slotNamesOf({ inputs }: GraphNode, definition: Subgraph): readonly string[] {
  const inner = innerWidgets(definition)
  const own = new Set(inputs.items.flatMap(({ widget, name = '' }) => (widget === undefined ? [] : name)))
  const names = definition.inputs.items.map(({ name = '' }) => name)
  return names.filter((name) => inner.has(name) || own.has(name))
}

/** @returns undefined if the value lives inside or is not set */
export function hostValue(host: GraphNode, definition: Subgraph, input: string): JsonValue | undefined {
  const values = host.widgetValues
  if (isObject(values)) return values.get(input)
  if (!isArray(values)) return undefined
  const at = valueIndex(host, definition, input)
  return at === undefined ? undefined : values[at]
}

// The page assigns the values to the inputs in order, then to the entries of the list, so the list wins.
function valueIndex(host: GraphNode, definition: Subgraph, input: string): number | undefined {
  const inner = innerWidgets(definition).get(input)
  const listed = listedWidgets(host).findLastIndex(({ node, widget }, at) => {
    const isOfInput = node === ON_THE_HOST ? widget === input : node === inner?.node && widget === inner.widget
    return isOfInput && heldIndex(host, at) !== undefined
  })
  return heldIndex(host, listed) ?? heldIndex(host, slotNamesOf(host, definition).indexOf(input))
}

const heldIndex = ({ widgetValues }: GraphNode, at: number): number | undefined =>
  isArray(widgetValues) && at >= 0 && at < widgetValues.length ? at : undefined

/** @returns the names under which a host lists a widget inside, and the value it holds for it */
export function findListed(host: GraphNode, node: string, names: readonly string[]) {
  const found = [...listedWidgets(host).entries()].filter(
    ([, entry]) => entry.node === node && names.includes(entry.widget),
  )
  const [index] = found.findLast(([at]) => heldIndex(host, at) !== undefined) ?? []
  const { widgetValues } = host
  const value = index !== undefined && isArray(widgetValues) ? widgetValues[index] : undefined
  return { listed: new Set(found.map(([, { widget }]) => widget)), value }
}

/** List of the first two generations; `node` -1 means a host input. */
export function listedWidgets({ properties }: GraphNode): readonly InnerWidget[] {
  const given = isObject(properties) ? properties.get('proxyWidgets') : undefined
  const entries = typeof given === 'string' ? parseJson(given) : given
  if (!isArray(entries)) return []
  return entries.flatMap((entry) => {
    const [node, widget] = isArray(entry) ? [asId(entry[0]), asText(entry[1])] : []
    return node === undefined || widget === undefined ? [] : [{ node, widget }]
  })
}

export function innerWidgets(definition: Subgraph): ReadonlyMap<string, InnerWidget> {
  const known = firstOfDefinitions.get(definition) ?? new Map(firstOfEach(definition))
  firstOfDefinitions.set(definition, known)
  return known
}

// Only a cache: each input of each inner node needs them.
const firstOfDefinitions = new WeakMap<Subgraph, ReadonlyMap<string, InnerWidget>>()

const firstOfEach = (definition: Subgraph) =>
  definition.inputs.items.flatMap(({ name = '' }): readonly (readonly [string, InnerWidget])[] => {
    const [first] = widgetsOfInput(definition, name)
    return first === undefined ? [] : [[name, first]]
  })

const widgetsOfInput = (definition: Subgraph, input: string): readonly InnerWidget[] =>
  innerInputs(definition, input).flatMap(({ node, slot: { widget } }) =>
    widget === undefined ? [] : [{ node, widget }],
  )

/** Uses the host's value if it holds one, else the inner value. */
export function hostWidgets(
  definitions: ReadonlyMap<string, Subgraph>,
  host: GraphNode,
  types: NodeTypes,
): readonly WidgetView[] {
  const definition = definitions.get(host.type ?? '')
  if (definition === undefined) return []
  return promotedWidgets(host, definition).flatMap((widget) => {
    return viewOf(host, definition, widget, { definitions, types, depth: SUBGRAPH_DEPTH_MAX }) ?? []
  })
}

/**
 * Depth to which nested subgraphs are followed: deeper than any file, because a definition inside itself is endless.
 */
export const SUBGRAPH_DEPTH_MAX = 50

type Known = {
  readonly definitions: ReadonlyMap<string, Subgraph>
  readonly types: NodeTypes
  readonly depth: number
}

// Undefined if the widget no longer exists, because some lists name deleted nodes.
function viewOf(host: GraphNode, definition: Subgraph, widget: PromotedWidget, known: Known): WidgetView | undefined {
  const inner = innerView(definition, widget, known)
  const value = inner?.kind === 'control' ? undefined : heldBy(host, widget)
  if (inner === undefined && value === undefined) return undefined
  return {
    name: widget.key,
    kind: inner?.kind ?? 'input',
    label: widget.label,
    input: inner?.input,
    value: value === undefined ? inner?.value : value,
    isLinked: host.inputs.items.some(({ name, link }) => link !== undefined && name === widget.input),
    ...(inner?.control === undefined ? {} : { control: inner.control }),
  }
}

function innerView(definition: Subgraph, { inner }: PromotedWidget, known: Known): WidgetView | undefined {
  const node = inner && nodeById(definition, inner.node)
  if (node === undefined || inner === undefined || known.depth === 0) return undefined
  const nested = known.definitions.get(node.type ?? '')
  if (nested !== undefined) {
    const found = findPromoted(promotedWidgets(node, nested), inner.widget)
    return found && viewOf(node, nested, found, { ...known, depth: known.depth - 1 })
  }
  const views = widgetsOf(node, typeOfNode(node, known.types))
  if (inner.widget === 'control_after_generate') return views.find(({ kind }) => kind === 'control')
  const view = views.find(({ name, kind }) => name === inner.widget && kind === 'input')
  const control = views.find(({ name, kind }) => name === inner.widget && kind === 'control')?.value
  return view === undefined || control === undefined ? view : { ...view, control }
}

export function heldBy({ widgetValues }: GraphNode, { at, key }: PromotedWidget): JsonValue | undefined {
  if (at === undefined) return undefined
  if (isObject(widgetValues)) return widgetValues.get(key)
  return isArray(widgetValues) ? widgetValues[at] : undefined
}

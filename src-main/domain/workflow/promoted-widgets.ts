/**
 * Widgets of inner nodes that are shown on the node with their subgraph. There are three generations of files: a list
 * of inner widgets whose values live inside; a list whose entries may name inputs of the host; and inputs of the host
 * that stand for widgets, without a list. Where the host holds a value it wins. Source: docs/spec/comfyui.md, 1.1.
 */
import type { GraphNode, Subgraph } from './document/document.ts'
import { innerInputs, nodeById } from './document/index-of.ts'
import { typeOfNode } from './dynamic-inputs.ts'
import { parseJson } from './json/parse.ts'
import { asId, asText, isArray, isObject, type JsonValue } from './json/value.ts'
import type { NodeTypes } from './node-types.ts'
import { type WidgetView, widgetsOf } from './node-view.ts'

/** An inner widget: a node of the definition, and the name of its widget. */
export type InnerWidget = { readonly node: string; readonly widget: string }

/** A widget on a host. */
export type PromotedWidget = {
  /** What it is called here; no two of a host have the same. */
  readonly key: string
  readonly label: string
  /** The input of the host that brings it a value when something is linked to it. */
  readonly input: string | undefined
  /** Its index in the values of the host; undefined: the value lives inside. */
  readonly at: number | undefined
  /** The widget itself; undefined where nothing inside is linked to the input. */
  readonly inner: InnerWidget | undefined
}

const ON_THE_HOST = '-1'

/** The widgets that a host shows, in their order. */
export function promotedWidgets(host: GraphNode, definition: Subgraph): readonly PromotedWidget[] {
  const listed = listedWidgets(host)
  const inner = innerWidgets(definition)
  if (listed.length === 0) {
    const labels = new Map(host.inputs.items.map(({ name = '', label }) => [name, label]))
    return slotNamesOf(host, definition).map((name, at) =>
      ofInput(name, at, inner.get(name), labels.get(name) ?? labelOf(definition, name)),
    )
  }
  const indexes = valueIndexesOnHost(host, listed)
  return listed.map((entry, index) => {
    const at = indexes[index]
    if (at !== undefined) return ofInput(entry.widget, at, inner.get(entry.widget), labelOf(definition, entry.widget))
    const input = [...inner].find(([, one]) => one.node === entry.node && one.widget === entry.widget)?.[0]
    const label = (input === undefined ? undefined : labelOf(definition, input)) ?? entry.widget
    return { key: `${entry.node}: ${entry.widget}`, label, input, at: undefined, inner: entry }
  })
}

function ofInput(input: string, at: number, inner: InnerWidget | undefined, label: string | undefined): PromotedWidget {
  return { key: input, label: label ?? input, input, at, inner }
}

const labelOf = ({ inputs }: Subgraph, name: string): string | undefined =>
  inputs.items.find((one) => one.name === name)?.label

/** A widget of a host by its key, or by a name as lists of outer hosts write it: `seed`, or `12: seed`. */
export function findPromoted(widgets: readonly PromotedWidget[], name: string): PromotedWidget | undefined {
  const bare = name.replace(/^\d+: /, '')
  return (
    widgets.find(({ key }) => key === name) ??
    widgets.find(({ inner }) => inner?.widget === name) ??
    widgets.find(({ key, inner }) => key === bare || inner?.widget === bare)
  )
}

/**
 * The inputs of a host that stand for widgets, in the order of its values: that of the definition, as the host's own
 * list has only some of them. A host whose definition leads to no widget has those that it says itself.
 */
function slotNamesOf({ inputs }: GraphNode, definition: Subgraph): readonly string[] {
  const inner = innerWidgets(definition)
  const own = new Set(inputs.items.flatMap(({ widget, name = '' }) => (widget === undefined ? [] : name)))
  const names = definition.inputs.items.map(({ name = '' }) => name)
  return names.filter((name) => inner.has(name) || own.has(name))
}

/**
 * The value that the host itself holds for an input of its subgraph.
 * @returns undefined where it lives inside, or is not set
 */
export function hostValue(host: GraphNode, definition: Subgraph, input: string): JsonValue | undefined {
  const values = host.widgetValues
  if (isObject(values)) return values.get(input)
  if (!isArray(values)) return undefined
  const listed = listedWidgets(host)
  if (listed.length === 0) {
    const at = slotNamesOf(host, definition).indexOf(input)
    return at < 0 ? undefined : values[at]
  }
  const at = valueIndexesOnHost(host, listed)[
    listed.findIndex((one) => one.node === ON_THE_HOST && one.widget === input)
  ]
  return at === undefined ? undefined : values[at]
}

// Some writers store a value for each entry, others one for each input of the host alone.
function valueIndexesOnHost(
  { widgetValues }: GraphNode,
  listed: readonly InnerWidget[],
): readonly (number | undefined)[] {
  const isForAll = isArray(widgetValues) && widgetValues.length === listed.length
  let count = 0
  return listed.map(({ node }, at) => {
    if (node !== ON_THE_HOST) return undefined
    count += 1
    return isForAll ? at : count - 1
  })
}

/** The list of the first two generations. `node` is -1 for an input of the host itself. */
export function listedWidgets({ properties }: GraphNode): readonly InnerWidget[] {
  const given = isObject(properties) ? properties.get('proxyWidgets') : undefined
  const entries = typeof given === 'string' ? parsed(given) : given
  if (!isArray(entries)) return []
  return entries.flatMap((entry) => {
    const [node, widget] = isArray(entry) ? [asId(entry[0]), asText(entry[1])] : []
    return node === undefined || widget === undefined ? [] : [{ node, widget }]
  })
}

function parsed(text: string): JsonValue | undefined {
  const json = parseJson(text)
  return json.kind === 'value' ? json.value : undefined
}

/** The widget that each input of a definition stands for: the first, where it leads to several. */
export function innerWidgets(definition: Subgraph): ReadonlyMap<string, InnerWidget> {
  const known = firstOfDefinitions.get(definition) ?? new Map(firstOfEach(definition))
  firstOfDefinitions.set(definition, known)
  return known
}

// A cache alone: each input of each inner node asks for them.
const firstOfDefinitions = new WeakMap<Subgraph, ReadonlyMap<string, InnerWidget>>()

const firstOfEach = (definition: Subgraph) =>
  definition.inputs.items.flatMap(({ name = '' }): readonly (readonly [string, InnerWidget])[] => {
    const [first] = widgetsOfInput(definition, name)
    return first === undefined ? [] : [[name, first]]
  })

/** All widgets that an input of a definition leads to. */
const widgetsOfInput = (definition: Subgraph, input: string): readonly InnerWidget[] =>
  innerInputs(definition, input).flatMap(({ node, slot: { widget } }) =>
    widget === undefined ? [] : [{ node, widget }],
  )

/**
 * The widgets that a node shows of the subgraph within it, with what the inner classes say of them. A value is the one
 * on the host, where the host holds one, else the one inside.
 */
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
 * How deep subgraphs in one another are followed: deeper than any file, while a definition within itself has no end.
 */
export const SUBGRAPH_DEPTH_MAX = 50

type Known = {
  readonly definitions: ReadonlyMap<string, Subgraph>
  readonly types: NodeTypes
  readonly depth: number
}

// Undefined where the widget is not there any more, as lists are found that name nodes which are gone.
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

/** The value that a host holds for one of its widgets; undefined where it lives inside. */
export function heldBy({ widgetValues }: GraphNode, { at, key }: PromotedWidget): JsonValue | undefined {
  if (at === undefined) return undefined
  if (isObject(widgetValues)) return widgetValues.get(key)
  return isArray(widgetValues) ? widgetValues[at] : undefined
}

/**
 * A node as it is drawn: its title, slots with types, widgets with values. Pure and made of the node and its class alone, so
 * that whoever draws can keep it as long as both are the same. Source: image-workflows, Node types; editor research, 1, 2.
 */
import { type GraphNode, MODE, type Subgraph } from '../document/document.ts'
import { isArray, isObject, type JsonObject, type JsonValue } from '../json/value.ts'
import type { InputType, NodeType } from '../node-types.ts'
import { isWidget, type WidgetPlace, widgetPlaces, widgetValues } from '../widgets.ts'

/** An input that can be linked. `at`: its place in the slots of the node; undefined: a link to it adds the slot. */
export type InputView = {
  readonly name: string
  readonly label: string
  readonly type: string
  readonly at: number | undefined
  readonly link: string | undefined
  readonly isOptional: boolean
  /** It takes the place of a widget. */
  readonly isWidget: boolean
}

/** An output. */
export type OutputView = {
  readonly name: string
  readonly label: string
  readonly type: string
  readonly at: number
  readonly links: readonly string[]
  readonly isList: boolean
}

/** Something that is set on the node. */
export type WidgetView = {
  readonly name: string
  readonly kind: WidgetPlace['kind']
  /** What its class says; undefined where nobody knows its class. */
  readonly input: InputType | undefined
  readonly value: JsonValue | undefined
  /** A link brings the value instead. */
  readonly isLinked: boolean
}

/** What kind of thing a node is. */
export type NodeKind = 'class' | 'unknown' | 'subgraph' | 'note' | 'markdown' | 'reroute' | 'primitive'

/** A node as it is drawn. */
export type NodeView = {
  readonly id: string
  readonly kind: NodeKind
  readonly title: string
  readonly mode: 'always' | 'mute' | 'bypass'
  readonly isCollapsed: boolean
  readonly isPinned: boolean
  readonly color: string | undefined
  readonly bgcolor: string | undefined
  readonly inputs: readonly InputView[]
  readonly outputs: readonly OutputView[]
  readonly widgets: readonly WidgetView[]
  readonly isOutput: boolean
}

const EDITOR_KINDS: Readonly<Record<string, NodeKind>> = {
  Note: 'note',
  MarkdownNote: 'markdown',
  Reroute: 'reroute',
  PrimitiveNode: 'primitive',
}

/** What is known of what a node is: its class, or the definition that it is an instance of. */
export type Known = { readonly type: NodeType | undefined; readonly subgraph: Subgraph | undefined }

/** Makes the view of a node. */
export function nodeView(node: GraphNode, { type, subgraph }: Known): NodeView {
  const kind = EDITOR_KINDS[node.type ?? ''] ?? (subgraph !== undefined ? 'subgraph' : type ? 'class' : 'unknown')
  const flags = isObject(node.flags) ? node.flags : undefined
  return {
    id: node.id ?? '',
    kind,
    title: node.title ?? subgraph?.name ?? type?.displayName ?? node.type ?? '',
    mode: node.mode === MODE.mute ? 'mute' : node.mode === MODE.bypass ? 'bypass' : 'always',
    isCollapsed: flags?.get('collapsed') === true,
    isPinned: flags?.get('pinned') === true,
    color: node.color,
    bgcolor: node.bgcolor,
    inputs: inputsOf(node, type),
    outputs: outputsOf(node, type),
    widgets: widgetsOf(node, type),
    isOutput: type?.isOutput ?? false,
  }
}

function inputsOf(node: GraphNode, type: NodeType | undefined): readonly InputView[] {
  const declared = new Map(type?.inputs.map((input) => [input.name, input]))
  const here = node.inputs.items.map(({ name = '', label, type: slotType, link, widget, raw }, at): InputView => {
    const isOptional = declared.get(name)?.isRequired === false || raw.has('shape')
    return { name, label: label ?? name, type: slotType, at, link, isOptional, isWidget: widget !== undefined }
  })
  const names = new Set(here.map(({ name }) => name))
  const more = (type?.inputs ?? []).filter((input) => !names.has(input.name) && !isWidget(input))
  return [...here, ...more.map(inputToAdd)]
}

function inputToAdd({ name, type, isRequired }: InputType): InputView {
  return { name, label: name, type, at: undefined, link: undefined, isOptional: !isRequired, isWidget: false }
}

function outputsOf(node: GraphNode, type: NodeType | undefined): readonly OutputView[] {
  const here = node.outputs.items.map(({ name = '', label, type: slotType, links }, at): OutputView => {
    const isList = type?.outputs[at]?.isList ?? false
    return { name, label: label ?? name, type: slotType, at, links, isList }
  })
  const more = (type?.outputs ?? []).slice(here.length)
  return [
    ...here,
    ...more.map(({ name, type: slotType, isList }, at) => {
      return { name, label: name, type: slotType, at: here.length + at, links: [], isList }
    }),
  ]
}

function widgetsOf(node: GraphNode, type: NodeType | undefined): readonly WidgetView[] {
  const linked = new Set(node.inputs.items.flatMap(({ name, link }) => (link === undefined ? [] : [name ?? ''])))
  if (type === undefined) return unknownWidgets(node, linked)
  const inputs = new Map(type.inputs.map((input) => [input.name, input]))
  const named = widgetValues(node, type) ?? new Map<string, JsonValue>()
  const values = node.widgetValues
  return widgetPlaces(type).map(({ name, kind }, at) => {
    const value = kind === 'input' ? named.get(name) : isArray(values) ? values[at] : undefined
    return { name, kind, input: inputs.get(name), value, isLinked: linked.has(name) }
  })
}

function unknownWidgets(node: GraphNode, linked: ReadonlySet<string>): readonly WidgetView[] {
  const view = (name: string, value: JsonValue): WidgetView => {
    return { name, kind: 'input', input: undefined, value, isLinked: linked.has(name) }
  }
  const named: JsonObject | undefined = widgetValues(node, undefined)
  if (named !== undefined && named.size > 0) return [...named].map(([name, value]) => view(name, value))
  const { widgetValues: values } = node
  return isArray(values) ? values.map((value, at) => view(`value ${at + 1}`, value)) : []
}

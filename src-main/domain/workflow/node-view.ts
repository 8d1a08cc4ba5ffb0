/**
 * A node as it is drawn: its title, slots with types, widgets with values. Pure and made of the node and its class
 * alone, so that whoever draws can keep it as long as both are the same. Source: docs/spec/image-workflows.md, 3;
 * docs/spec/comfyui.md, 1, 2.
 */
import { defaultAt } from './default-values.ts'
import { type Graph, type GraphNode, type InputSlot, MODE, type Subgraph } from './document/document.ts'
import { linkById, nodeById, realTarget } from './document/index-of.ts'
import { typeOfNode } from './dynamic-inputs.ts'
import { type InputType, isWidget } from './input-type.ts'
import { isArray, isObject, type JsonValue } from './json/value.ts'
import type { NodeType, NodeTypes } from './node-types.ts'
import { SHOWN_SOCKET, storedSlots, type ValueSlot } from './widgets.ts'

/** An input that can be linked. `at`: its index among the slots of the node; undefined: a link to it adds the slot. */
export type InputView = {
  readonly name: string
  readonly label: string
  readonly type: string
  readonly at: number | undefined
  readonly link: string | undefined
  readonly isOptional: boolean
  /** It stands for a widget. */
  readonly isWidget: boolean
  /** It has a row on the node. The slot of a widget has one where it is linked, or was made an input. */
  readonly isShown: boolean
}

/** An output of a node as the canvas shows it. */
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
  /** By which edits find it; no two of a kind have the same. */
  readonly name: string
  /** What it is called on a node with a subgraph; missing: as `name`. */
  readonly label?: string
  readonly kind: ValueSlot['kind']
  /** What its class says; undefined where nobody knows its class. */
  readonly input: InputType | undefined
  readonly value: JsonValue | undefined
  /** A link brings the value instead. */
  readonly isLinked: boolean
  /** It was made an input: its socket stands on the node instead of it. Missing: it was not. */
  readonly isInput?: true
  /** On a node with a subgraph: what the control beside the inner widget says. */
  readonly control?: JsonValue | undefined
}

/** Whether a widget is drawn here: not one that is part of the public editor's page. */
export const isDrawn = ({ input }: Pick<WidgetView, 'input'>): boolean => input?.page === undefined

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

// No class may be called like one of these.
const EDITOR_KINDS: ReadonlyMap<string, NodeKind> = new Map([
  ['Note', 'note'],
  ['MarkdownNote', 'markdown'],
  ['Reroute', 'reroute'],
  ['PrimitiveNode', 'primitive'],
])

/** What is known of what a node is: its class, or the definition that it is an instance of. */
export type Known = {
  readonly type: NodeType | undefined
  readonly subgraph: Subgraph | undefined
  /** Widgets that a node with a subgraph shows of what is within it. */
  readonly promoted?: readonly WidgetView[]
  /** What a primitive gives its value to. */
  readonly target?: InputType | undefined
}

/** Makes the view of a node. */
export function nodeView(node: GraphNode, { type, subgraph, promoted, target }: Known): NodeView {
  const kind = EDITOR_KINDS.get(node.type ?? '') ?? (subgraph !== undefined ? 'subgraph' : type ? 'class' : 'unknown')
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
    inputs: inputsOf(node, type, subgraph),
    outputs: outputsOf(node, type ?? subgraph),
    widgets: promoted ?? (kind === 'subgraph' ? [] : widgetsOf(node, type, target)),
    isOutput: type?.isOutput ?? false,
  }
}

function inputsOf(node: GraphNode, type: NodeType | undefined, subgraph: Subgraph | undefined): readonly InputView[] {
  const here = node.inputs.items.map(({ name = '', label, type: slotType, link, widget, raw }, at): InputView => {
    const isOptional = isOptionalIn(type, name) || raw.has('shape')
    const isWidget = widget !== undefined
    const isShown = !isWidget || link !== undefined || raw.get(SHOWN_SOCKET) === true
    return { name, label: label ?? name, type: slotType, at, link, isOptional, isWidget, isShown }
  })
  if (type !== undefined) return [...here, ...inputsToAdd(node, type.inputs)]
  const more = subgraph?.inputs.items.filter(({ name }) => !hasInput(node, name)) ?? []
  return [...here, ...more.map(({ name = '', label, type }) => inputToAdd({ name, type, isRequired: true }, label))]
}

const isOptionalIn = (type: NodeType | undefined, name: string): boolean =>
  type?.inputs.some((input) => input.name === name && !input.isRequired) ?? false

const hasInput = (node: GraphNode, name: string | undefined): boolean =>
  node.inputs.items.some((one) => one.name === name)

function inputsToAdd(node: GraphNode, inputs: readonly InputType[]): readonly InputView[] {
  return inputs.filter((input) => !isWidget(input) && !hasInput(node, input.name)).map((input) => inputToAdd(input))
}

function inputToAdd(
  { name, type, isRequired }: Pick<InputType, 'name' | 'type' | 'isRequired'>,
  label = name,
): InputView {
  return { name, label, type, at: undefined, link: undefined, isOptional: !isRequired, isWidget: false, isShown: true }
}

type DeclaredOutput = { readonly name?: string | undefined; readonly type: string; readonly isList?: boolean }

function outputsOf(node: GraphNode, known: NodeType | Subgraph | undefined): readonly OutputView[] {
  const declared: readonly DeclaredOutput[] =
    known === undefined ? [] : 'items' in known.outputs ? known.outputs.items : known.outputs
  const isListAt = (at: number) => declared[at]?.isList ?? false
  const here = node.outputs.items.map(({ name = '', label, type: slotType, links }, at): OutputView => {
    return { name, label: label ?? name, type: slotType, at, links, isList: isListAt(at) }
  })
  const more = declared.slice(here.length).map(({ name = '', type: slotType }, index): OutputView => {
    const at = here.length + index
    return { name, label: name, type: slotType, at, links: [], isList: isListAt(at) }
  })
  return more.length === 0 ? here : [...here, ...more]
}

const NO_NAMES: ReadonlySet<string> = new Set()

/** The widgets of a node that is no host of a subgraph. @param target what a primitive gives its value to */
export function widgetsOf(
  node: GraphNode,
  type: NodeType | undefined,
  target?: InputType | undefined,
): readonly WidgetView[] {
  const linked = inputsWhere(node, ({ link }) => link !== undefined)
  if (type === undefined) return unknownWidgets(node, linked, target)
  const shown = inputsWhere(node, ({ raw }) => raw.get(SHOWN_SOCKET) === true)
  const inputs = new Map(type.inputs.map((input) => [input.name, input]))
  const values = node.widgetValues
  const slots = storedSlots(node, type) ?? []
  return slots.map(({ name, kind, at }) => {
    const stored = isArray(values) ? values[at] : kind === 'input' && isObject(values) ? values.get(name) : undefined
    const input = inputs.get(name)
    // A widget that is newer than the file has what a new node has, as it is sent.
    const value = stored ?? (stored === null ? null : defaultAt({ name, kind }, input))
    const view = { name, kind, input, value, isLinked: linked.has(name) }
    return shown.has(name) ? { ...view, isInput: true } : view
  })
}

function inputsWhere(node: GraphNode, fits: (slot: InputSlot) => boolean): ReadonlySet<string> {
  const names = node.inputs.items.flatMap((slot) => (fits(slot) ? (slot.name ?? '') : []))
  return names.length === 0 ? NO_NAMES : new Set(names)
}

function unknownWidgets(
  node: GraphNode,
  linked: ReadonlySet<string>,
  target: InputType | undefined,
): readonly WidgetView[] {
  const { widgetValues: values } = node
  if (isObject(values))
    return [...values].map(([name, value]) => {
      return { name, kind: 'input', input: undefined, value, isLinked: linked.has(name) }
    })
  if (!isArray(values)) return []
  const slots = storedSlots(node, undefined)
  if (slots === undefined)
    return values.map((value, at) => {
      return { name: `value ${at + 1}`, kind: 'input', input: undefined, value, isLinked: false }
    })
  return slots.map(({ name, kind, at }) => {
    return { name, kind, input: target, value: values[at], isLinked: linked.has(name) }
  })
}

/** What a primitive gives its value to: the input of the node at the other end of its first link that is known. */
export function primitiveTarget(graph: Graph, primitive: GraphNode, types: NodeTypes): InputType | undefined {
  for (const id of primitive.outputs.items[0]?.links ?? []) {
    const link = linkById(graph, id)
    const node = link && nodeById(graph, link.to.node)
    const slot = link && node?.inputs.items[realTarget(link, node).to.slot]
    const name = slot?.widget ?? slot?.name
    const input = (node && typeOfNode(node, types))?.inputs.find((one) => one.name === name)
    if (input !== undefined) return input
  }
  return undefined
}

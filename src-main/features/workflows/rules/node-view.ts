/**
 * View model of a node, pure in node and class so that views can be cached. Source: docs/spec/image-workflows.md, 3;
 * docs/spec/comfyui.md, 1, 2.
 */

import { isArray, isObject, type JsonValue } from '../../../lib/json/value.ts'
import { defaultAt } from './default-values.ts'
import { type Graph, type GraphNode, type InputSlot, MODE, type Subgraph } from './document/document.ts'
import { linkById, nodeById, realTarget } from './document/index-of.ts'
import { typeOfNode } from './dynamic-inputs.ts'
import { type InputType, isWidget, type ValueSlot } from './input-type.ts'
import type { NodeType, NodeTypes } from './node-types.ts'
import { inputOfSlot } from './own-inputs.ts'
import { isGroupNode, virtualKind } from './to-payload/virtual-nodes.ts'
import { SHOWN_SOCKET, storedSlots } from './widgets.ts'

/** `at`: slot index; undefined: a link adds the slot. */
export type InputView = {
  readonly name: string
  readonly label: string
  readonly type: string
  readonly at: number | undefined
  readonly link: string | undefined
  readonly isOptional: boolean
  readonly isWidget: boolean
  /** Has a row on the node; a widget's slot only if linked or made an input. */
  readonly isShown: boolean
}

export type OutputView = {
  readonly name: string
  readonly label: string
  readonly type: string
  readonly at: number
  readonly links: readonly string[]
  readonly isList: boolean
}

export type WidgetView = {
  readonly name: string
  readonly label?: string
  readonly kind: ValueSlot['kind']
  readonly input: InputType | undefined
  readonly value: JsonValue | undefined
  readonly isLinked: boolean
  readonly isInput?: true
  /** On a node with a subgraph: the value of the inner widget's control. */
  readonly control?: JsonValue | undefined
}

export const isDrawn = ({ input }: Pick<WidgetView, 'input'>): boolean => input?.page === undefined

/** `elsewhere`: a known class that the endpoint lacks. */
export type NodeKind = 'class' | 'elsewhere' | 'unknown' | 'subgraph' | 'note' | 'markdown' | 'reroute' | 'primitive'

export const isMissing = ({ kind }: Pick<NodeView, 'kind'>): boolean => kind === 'unknown' || kind === 'elsewhere'

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

const EDITOR_KINDS: ReadonlyMap<string, NodeKind> = new Map([
  ['Note', 'note'],
  ['MarkdownNote', 'markdown'],
  ['Reroute', 'reroute'],
  ['PrimitiveNode', 'primitive'],
])

export type Known = {
  readonly type: NodeType | undefined
  readonly subgraph: Subgraph | undefined
  readonly promoted?: readonly WidgetView[]
  readonly target?: InputType | undefined
}

export function nodeView(node: GraphNode, { type, subgraph, promoted, target }: Known): NodeView {
  const kind = EDITOR_KINDS.get(node.type ?? '') ?? (subgraph !== undefined ? 'subgraph' : kindOfClass(node, type))
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

function kindOfClass(node: GraphNode, type: NodeType | undefined): NodeKind {
  if (type?.isElsewhere) return 'elsewhere'
  return type !== undefined || virtualKind(node) !== undefined || isGroupNode(node) ? 'class' : 'unknown'
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
    // A widget that is newer than the file has its default, as sent.
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
    const input = target ?? inputOfSlot(node, name)
    return { name, kind, input, value: values[at], isLinked: linked.has(name) }
  })
}

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

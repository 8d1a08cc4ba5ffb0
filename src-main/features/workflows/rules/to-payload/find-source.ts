/**
 * Traces an input upstream through reroutes, bypassed nodes and subgraph boundaries to an output or value. Source:
 * docs/spec/comfyui.md, 2.1.
 */

import type { JsonValue } from '../../../../lib/json/value.ts'
import {
  type Graph,
  type GraphNode,
  type InputSlot,
  type Link,
  type LinkEnd,
  MODE,
  SUBGRAPH_INPUT,
  type Subgraph,
  subgraphsOf,
  type WorkflowDocument,
} from '../document/document.ts'
import { firstValue, linksById, linkToHostOutput, nodesById, setterFor } from '../document/index-of.ts'
import { isAny, typesFit } from '../input-type.ts'
import type { InnerIds } from '../payload-ids.ts'
import {
  findListed,
  hostValue,
  type InnerWidget,
  innerWidgets,
  keyOfInner,
  listedWidgets,
} from '../promoted-widgets.ts'
import { virtualKind } from './virtual-nodes.ts'

export type Source =
  | { readonly kind: 'output'; readonly node: string; readonly slot: number }
  | { readonly kind: 'value'; readonly value: JsonValue; readonly isOfPrimitive: boolean }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'loop' }
  | { readonly kind: 'dangling'; readonly node: string }

const NOTHING: Source = { kind: 'nothing' }

export type InnerValue = (node: GraphNode, widget: string) => JsonValue | undefined

export function sourceOfInput(scope: Scope, slot: InputSlot, innerValue: InnerValue): Source {
  // A loop instead of recursion, because a row of 10,000 reroutes must not fail.
  const walk: Walk = { type: slot.type, seen: new Set(), innerValue }
  let step: Step = ofInput(scope, slot, walk)
  while (step.kind === 'on') step = step.next()
  return step
}

type Walk = { readonly type: string; readonly seen: Set<string>; readonly innerValue: InnerValue }

type Step = Source | { readonly kind: 'on'; readonly next: () => Step }

const on = (next: () => Step): Step => ({ kind: 'on', next })

function ofInput(scope: Scope, slot: InputSlot | undefined, walk: Walk): Step {
  const link = slot && linkInto(scope, slot)
  return link === undefined ? NOTHING : ofOrigin(scope, link.from, walk)
}

function ofOrigin(scope: Scope, from: LinkEnd, walk: Walk): Step {
  return on(() => (from.node === SUBGRAPH_INPUT ? ofHost(scope, from.slot, walk) : ofOutput(scope, from, walk)))
}

function ofOutput(scope: Scope, from: LinkEnd, walk: Walk): Step {
  const id = payloadId(scope, from.node)
  const node = scope.nodes.get(from.node)
  if (node === undefined) return { kind: 'dangling', node: id }
  const source = `${id} ${from.slot}`
  if (walk.seen.has(source)) return { kind: 'loop' }
  walk.seen.add(source)
  const kind = virtualKind(node)
  // Whatever its mode: the page pushes the value before it follows links.
  if (kind === 'value') return ofPrimitive(node)
  if (node.mode === MODE.mute) return NOTHING
  if (node.mode === MODE.bypass) return ofInput(scope, handedThrough(node, from.slot, walk.type), walk)
  if (kind === 'pass' || kind === 'set') return ofInput(scope, node.inputs.items[0], walk)
  if (kind === 'get') return ofSetter(setterOf(scope, node), walk)
  if (kind !== undefined) return NOTHING
  const inner = within(scope, node)
  if (inner?.host === undefined) return { kind: 'output', node: id, slot: from.slot }
  const link = linkToHostOutput(inner.host.definition, node, from.slot)
  return link === undefined ? NOTHING : ofOrigin(inner, link.from, walk)
}

type Setter = { readonly scope: Scope; readonly node: GraphNode }

function ofSetter(setter: Setter | undefined, walk: Walk): Step {
  return setter === undefined ? NOTHING : ofInput(setter.scope, setter.node.inputs.items[0], walk)
}

export function setterOf(scope: Scope, getter: GraphNode): Setter | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.host?.scope) {
    const node = setterFor(at.graph, getter)
    if (node !== undefined) return { scope: at, node }
  }
  return undefined
}

function ofPrimitive(node: GraphNode): Source {
  const value = firstValue(node)
  return value === undefined ? NOTHING : { kind: 'value', value, isOfPrimitive: true }
}

/** Bypassing uses the input of the same type, preferring the same index. */
function handedThrough(node: GraphNode, slot: number, type: string): InputSlot | undefined {
  const inputs = node.inputs.items
  const beside = inputs[slot]
  if (isAny(type)) return beside ?? inputs[0]
  const outputType = node.outputs.items[slot]?.type ?? '*'
  if (beside !== undefined && typesFit(beside.type, outputType) && typesFit(beside.type, type)) return beside
  return inputs.find((input) => input.type === type) ?? inputs.find((input) => typesFit(input.type, type))
}

// The value of a host's widget: its own, or that of the inner widget.
function valueOnHost(inner: Scope, input: string, innerValue: InnerValue): JsonValue | undefined {
  const { host, nodes } = inner
  if (host === undefined) return undefined
  const names = [input, ...listedWidgets(host.node).flatMap((entry) => (isOf(host, input, entry) ? entry.widget : []))]
  const held = valueFromAround(host.scope, host.node, names) ?? hostValue(host.node, host.definition, input)
  const widget = held === undefined ? innerWidgets(host.definition).get(input) : undefined
  const node = widget && nodes.get(widget.node)
  if (widget === undefined || node === undefined) return held
  const further = within(inner, node)
  return further === undefined ? innerValue(node, widget.widget) : valueOnHost(further, widget.widget, innerValue)
}

const isOf = ({ definition }: Host, input: string, { node, widget }: InnerWidget): boolean => {
  const inner = innerWidgets(definition).get(input)
  return inner?.node === node && inner.widget === widget
}

/** Like `valueFromAround`, but undefined if the widget is linked to an input of the host. */
export function valueOfWidget(scope: Scope, node: GraphNode, widget: string): JsonValue | undefined {
  const slot = node.inputs.items.find((one) => (one.widget ?? one.name) === widget)
  const isOfHost = slot !== undefined && linkInto(scope, slot)?.from.node === SUBGRAPH_INPUT
  return scope.host === undefined || isOfHost ? undefined : valueFromAround(scope, node, [widget])
}

/** The value that the lists of enclosing hosts give to a node's widget; the outermost wins. */
function valueFromAround(scope: Scope, node: GraphNode, names: readonly string[]): JsonValue | undefined {
  const { host } = scope
  if (host === undefined) return undefined
  const id = node.id ?? ''
  const { listed, value } = findListed(host.node, id, names)
  if (listed.size === 0) return undefined
  const shownAs = [...listed].flatMap((widget) => [keyOfInner({ node: id, widget }), widget])
  return valueFromAround(host.scope, host.node, shownAs) ?? value
}

// By name, as hosts omit unlinked inputs. An unlinked one uses its widget; a link without data leaves inner values.
function ofHost(inner: Scope, slot: number, walk: Walk): Step {
  const { host } = inner
  const name = host?.definition.inputs.items[slot]?.name
  if (host === undefined || name === undefined) return NOTHING
  const input = host.node.inputs.items.find((one) => one.name === name)
  if (input !== undefined && linkInto(host.scope, input) !== undefined) return ofInput(host.scope, input, walk)
  const value = valueOnHost(inner, name, walk.innerValue)
  return value === undefined ? NOTHING : { kind: 'value', value, isOfPrimitive: false }
}

/**
 * A graph at one place of use; a definition used repeatedly has different ids each time. Source: docs/spec/comfyui.md,
 * 1 and 2.
 */
export type Scope = {
  readonly graph: Graph
  readonly prefix: string
  readonly depth: number
  readonly nodes: ReadonlyMap<string, GraphNode>
  readonly links: ReadonlyMap<string, Link>
  readonly definitions: ReadonlyMap<string, Subgraph>
  readonly ids: InnerIds
  readonly host?: Host
}

type Host = { readonly node: GraphNode; readonly scope: Scope; readonly definition: Subgraph }

// Far more than any real file; a crafted one could name more nodes than fit into memory.
const DEPTH_MAX = 100

export function outermost(document: WorkflowDocument, ids: InnerIds): Scope {
  return { ...scopeOf(document), prefix: '', depth: 0, definitions: subgraphsOf(document), ids }
}

type Closed = 'within itself' | 'too deep'

export function within(scope: Scope, node: GraphNode): Scope | undefined {
  const definition = scope.definitions.get(node.type ?? '')
  if (definition === undefined || whyClosed(scope, node) !== undefined) return undefined
  return {
    ...scopeOf(definition),
    prefix: `${payloadId(scope, node.id ?? '')}:`,
    depth: scope.depth + 1,
    definitions: scope.definitions,
    ids: scope.ids,
    host: { node, scope, definition },
  }
}

/** Why a subgraph cannot be entered; undefined if it can, or without a subgraph. */
export function whyClosed(scope: Scope, { type = '' }: GraphNode): Closed | undefined {
  if (!scope.definitions.has(type)) return undefined
  if (isWithin(scope, type)) return 'within itself'
  return scope.depth >= DEPTH_MAX ? 'too deep' : undefined
}

const scopeOf = (graph: Graph): Pick<Scope, 'graph' | 'nodes' | 'links'> => {
  return { graph, nodes: nodesById(graph), links: linksById(graph) }
}

function isWithin({ host }: Scope, definition: string): boolean {
  for (let at = host; at !== undefined; at = at.scope.host) if (at.definition.id === definition) return true
  return false
}

export const payloadId = ({ prefix, host, ids }: Scope, nodeId: string): string =>
  prefix + (ids.get(host?.definition.id ?? '')?.get(nodeId) ?? nodeId)

function linkInto({ links }: Scope, { link }: InputSlot): Link | undefined {
  return link === undefined ? undefined : links.get(link)
}

export const isActive = ({ mode }: GraphNode): boolean => mode !== MODE.mute && mode !== MODE.bypass

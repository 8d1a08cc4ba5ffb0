/**
 * Where an input of a run gets its data from: upstream through reroutes, bypassed nodes and the bounds of subgraphs, to
 * an output of a node that runs, or to a value. Source: editor research, 2, Resolution.
 */
import { type GraphNode, type InputSlot, MODE, SUBGRAPH_INPUT } from '../document/document.ts'
import { firstValue, linkToOutput, setterByName } from '../document/index-of.ts'
import type { LinkEnd } from '../document/links.ts'
import type { JsonValue } from '../json/value.ts'
import { isAny, typesFit } from '../match-types.ts'
import { hostValue, innerWidgets } from '../promoted-widgets.ts'
import { linkInto, payloadId, type Scope, within } from './scope.ts'

/** Where data comes from. `loop`: the way leads back to where it was. */
export type Source =
  | { readonly kind: 'output'; readonly node: string; readonly slot: number }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'loop' }
  | { readonly kind: 'dangling'; readonly node: string }

const NOTHING: Source = { kind: 'nothing' }

/** The value of a widget of a node that is no host, by its name. */
export type InnerValue = (node: GraphNode, widget: string) => JsonValue | undefined

/** Where an input of a node gets its data from. */
export function sourceOfInput(scope: Scope, slot: InputSlot, innerValue: InnerValue): Source {
  // Step by step and not one within the other: a row of 10,000 reroutes is no reason to fail.
  const walk: Walk = { type: slot.type, seen: new Set(), innerValue }
  let step: Step = ofInput(scope, slot, walk)
  while (step.kind === 'on') step = step.next()
  return step
}

/** The way so far. */
type Walk = { readonly type: string; readonly seen: Set<string>; readonly innerValue: InnerValue }

/** Where the way ends, or how it goes on. */
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
  const place = `${id} ${from.slot}`
  if (walk.seen.has(place)) return { kind: 'loop' }
  walk.seen.add(place)
  if (node.mode === MODE.mute) return NOTHING
  if (node.mode === MODE.bypass) return ofInput(scope, handedThrough(node, from.slot, walk.type), walk)
  if (node.type === 'Reroute') return ofInput(scope, node.inputs.items[0], walk)
  if (node.type === 'PrimitiveNode') return ofPrimitive(node)
  if (node.type === 'GetNode') return ofInput(scope, setterOf(scope, node)?.inputs.items[0], walk)
  const inner = within(scope, node)
  if (inner?.host === undefined) return { kind: 'output', node: id, slot: from.slot }
  const link = linkToOutput(inner.host.definition, outputPlace(inner, node, from.slot))
  return link === undefined ? NOTHING : ofOrigin(inner, link.from, walk)
}

/** The node that gives a name to what another one takes by that name; undefined where there is none in the graph. */
export function setterOf({ graph }: Scope, getter: GraphNode): GraphNode | undefined {
  return setterByName(graph, firstValue(getter))
}

function ofPrimitive(node: GraphNode): Source {
  const value = firstValue(node)
  return value === undefined ? NOTHING : { kind: 'value', value }
}

/** The input that a bypassed node hands through, of the wanted type: the one beside the output first. */
function handedThrough(node: GraphNode, slot: number, type: string): InputSlot | undefined {
  const inputs = node.inputs.items
  const beside = inputs[slot]
  if (isAny(type)) return beside ?? inputs[0]
  const outputType = node.outputs.items[slot]?.type ?? '*'
  if (beside !== undefined && typesFit(beside.type, outputType) && typesFit(beside.type, type)) return beside
  return inputs.find((input) => input.type === type) ?? inputs.find((input) => typesFit(input.type, type))
}

// Outputs of a host are those of its definition, in the same order; a name tells where they were moved.
function outputPlace({ host: within }: Scope, host: GraphNode, slot: number): number {
  const outputs = within?.definition.outputs.items ?? []
  const name = host.outputs.items[slot]?.name
  const named = outputs.findIndex((output) => output.name === name)
  return named < 0 || outputs[slot]?.name === name ? slot : named
}

// What the widget of the host says: its own value, else that of the widget within for which it stands.
function valueOnHost(inner: Scope, input: string, innerValue: InnerValue): JsonValue | undefined {
  const { host, nodes } = inner
  if (host === undefined) return undefined
  const held = hostValue(host.node, host.definition, input)
  const widget = held === undefined ? innerWidgets(host.definition).get(input) : undefined
  const node = widget && nodes.get(widget.node)
  if (widget === undefined || node === undefined) return held
  const further = within(inner, node)
  return further === undefined ? innerValue(node, widget.widget) : valueOnHost(further, widget.widget, innerValue)
}

// By the name and not by the place: a host leaves out inputs that nobody linked. One that nothing is linked to says the
// value of its widget; where what is linked gives nothing, the widgets within keep their own.
function ofHost(inner: Scope, slot: number, walk: Walk): Step {
  const { host } = inner
  const name = host?.definition.inputs.items[slot]?.name
  if (host === undefined || name === undefined) return NOTHING
  const input = host.node.inputs.items.find((one) => one.name === name)
  if (input !== undefined && linkInto(host.scope, input) !== undefined) return ofInput(host.scope, input, walk)
  const value = valueOnHost(inner, name, walk.innerValue)
  return value === undefined ? NOTHING : { kind: 'value', value }
}

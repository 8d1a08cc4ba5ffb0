/**
 * Where an input of a run gets its data from: upstream through reroutes, bypassed nodes and the bounds of subgraphs, to
 * an output of a node that runs, or to a value. Source: editor research, 2, Resolution.
 */
import { type GraphNode, type InputSlot, MODE, SUBGRAPH_INPUT, SUBGRAPH_OUTPUT } from '../document/document.ts'
import { isArray, type JsonValue } from '../json/value.ts'
import { isAny, typesFit } from '../match-types.ts'
import { hostValue } from './host-values.ts'
import { linkInto, payloadId, type Scope, within } from './scope.ts'

/** Where data comes from. `loop`: the way leads back to where it was. */
export type Source =
  | { readonly kind: 'output'; readonly node: string; readonly slot: number }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'loop' }
  | { readonly kind: 'dangling'; readonly node: string }

const NOTHING: Source = { kind: 'nothing' }

/** Where an input of a node gets its data from. */
export function sourceOfInput(scope: Scope, slot: InputSlot): Source {
  return follow(scope, slot, slot.type, new Set())
}

type Seen = Set<string>

function follow(scope: Scope, slot: InputSlot, type: string, seen: Seen): Source {
  const link = linkInto(scope, slot)
  if (link === undefined) return NOTHING
  if (link.from.node === SUBGRAPH_INPUT) return fromHost(scope, link.from.slot, type, seen)
  return fromOutput(scope, link.from, type, seen)
}

function fromOutput(scope: Scope, from: { node: string; slot: number }, type: string, seen: Seen): Source {
  const id = payloadId(scope, from.node)
  const node = scope.nodes.get(from.node)
  if (node === undefined) return { kind: 'dangling', node: id }
  const place = `${id} ${from.slot}`
  if (seen.has(place)) return { kind: 'loop' }
  seen.add(place)
  if (node.mode === MODE.mute) return NOTHING
  if (node.mode === MODE.bypass) return throughBypass(scope, node, from.slot, type, seen)
  if (node.type === 'Reroute') return throughInput(scope, node.inputs.items[0], type, seen)
  if (node.type === 'PrimitiveNode') return ofPrimitive(node)
  const inner = within(scope, node)
  return inner === undefined
    ? { kind: 'output', node: id, slot: from.slot }
    : fromInside(inner, node, from.slot, type, seen)
}

function throughInput(scope: Scope, slot: InputSlot | undefined, type: string, seen: Seen): Source {
  return slot === undefined ? NOTHING : follow(scope, slot, type, seen)
}

function ofPrimitive({ widgetValues }: GraphNode): Source {
  const value = isArray(widgetValues) ? widgetValues[0] : undefined
  return value === undefined ? NOTHING : { kind: 'value', value }
}

/** A bypassed node hands an input of the wanted type through: the one beside the output first. */
function throughBypass(scope: Scope, node: GraphNode, slot: number, type: string, seen: Seen): Source {
  const inputs = node.inputs.items
  const beside = inputs[slot]
  if (isAny(type)) return throughInput(scope, beside ?? inputs[0], type, seen)
  const outputType = node.outputs.items[slot]?.type ?? '*'
  const isBeside = beside !== undefined && typesFit(beside.type, outputType) && typesFit(beside.type, type)
  const chosen = isBeside
    ? beside
    : (inputs.find((input) => input.type === type) ?? inputs.find((input) => typesFit(input.type, type)))
  return throughInput(scope, chosen, type, seen)
}

// Outputs of a host are those of its definition, in the same order; a name tells where they were moved.
function fromInside(inner: Scope, host: GraphNode, slot: number, type: string, seen: Seen): Source {
  const outputs = inner.host?.definition.outputs.items ?? []
  const name = host.outputs.items[slot]?.name
  const named = outputs.findIndex((output) => output.name === name)
  const place = named < 0 || outputs[slot]?.name === name ? slot : named
  const link = [...inner.links.values()].find(({ to }) => to.node === SUBGRAPH_OUTPUT && to.slot === place)
  if (link === undefined) return NOTHING
  if (link.from.node === SUBGRAPH_INPUT) return fromHost(inner, link.from.slot, type, seen)
  return fromOutput(inner, link.from, type, seen)
}

// By the name and not by the place: a host leaves out inputs that nobody linked.
function fromHost(inner: Scope, slot: number, type: string, seen: Seen): Source {
  const { host } = inner
  const name = host?.definition.inputs.items[slot]?.name
  if (host === undefined || name === undefined) return NOTHING
  const input = host.node.inputs.items.find((one) => one.name === name)
  const above = input === undefined ? NOTHING : follow(host.scope, input, type, seen)
  if (above.kind !== 'nothing') return above
  const value = hostValue(host.node, name)
  return value === undefined ? NOTHING : { kind: 'value', value }
}

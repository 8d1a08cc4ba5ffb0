/**
 * Where an input of a run gets its data from: upstream through reroutes, bypassed nodes and the bounds of subgraphs, to
 * an output of a node that runs, or to a value. Source: docs/spec/comfyui.md, 2.1.
 */
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
import { firstValue, linksById, linkToHostOutput, nodesById, setterByName } from '../document/index-of.ts'
import { isAny, typesFit } from '../input-type.ts'
import type { JsonValue } from '../json/value.ts'
import type { InnerIds } from '../payload-ids.ts'
import { hostValue, innerWidgets } from '../promoted-widgets.ts'

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
  const source = `${id} ${from.slot}`
  if (walk.seen.has(source)) return { kind: 'loop' }
  walk.seen.add(source)
  if (node.mode === MODE.mute) return NOTHING
  if (node.mode === MODE.bypass) return ofInput(scope, handedThrough(node, from.slot, walk.type), walk)
  if (node.type === 'Reroute') return ofInput(scope, node.inputs.items[0], walk)
  if (node.type === 'PrimitiveNode') return ofPrimitive(node)
  if (node.type === 'GetNode') return ofInput(scope, setterOf(scope, node)?.inputs.items[0], walk)
  const inner = within(scope, node)
  if (inner?.host === undefined) return { kind: 'output', node: id, slot: from.slot }
  const link = linkToHostOutput(inner.host.definition, node, from.slot)
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

// By the name and not by the index: a host leaves out inputs that nobody linked. One that nothing is linked to says the
// value of its widget; where what is linked gives nothing, the widgets within have their own.
function ofHost(inner: Scope, slot: number, walk: Walk): Step {
  const { host } = inner
  const name = host?.definition.inputs.items[slot]?.name
  if (host === undefined || name === undefined) return NOTHING
  const input = host.node.inputs.items.find((one) => one.name === name)
  if (input !== undefined && linkInto(host.scope, input) !== undefined) return ofInput(host.scope, input, walk)
  const value = valueOnHost(inner, name, walk.innerValue)
  return value === undefined ? NOTHING : { kind: 'value', value }
}

/**
 * A graph and where it is used: the outermost one, or a subgraph within the node that is its instance. The same
 * definition may be used several times, each with ids of its own. Source: docs/spec/comfyui.md, 1 and 2.
 */
export type Scope = {
  readonly graph: Graph
  /** What comes before the ids of its nodes: nothing, `57:`, `57:3:` ... */
  readonly prefix: string
  /** How many nodes it is within. */
  readonly depth: number
  readonly nodes: ReadonlyMap<string, GraphNode>
  readonly links: ReadonlyMap<string, Link>
  readonly definitions: ReadonlyMap<string, Subgraph>
  readonly ids: InnerIds
  /** The node that it is within; missing for the outermost. */
  readonly host?: { readonly node: GraphNode; readonly scope: Scope; readonly definition: Subgraph }
}

// Far more than any file has; a crafted one could name more nodes than there is memory for.
const DEPTH_MAX = 100

/** The outermost graph of a document. @param ids those that nodes within subgraphs have in a payload */
export function outermost(document: WorkflowDocument, ids: InnerIds): Scope {
  return { ...scopeOf(document), prefix: '', depth: 0, definitions: subgraphsOf(document), ids }
}

/** Why a node with a subgraph cannot be entered. */
type Closed = 'within itself' | 'too deep'

/** The graph within a node; undefined where the node is no instance of a subgraph, or cannot be entered. */
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

/** Why a node with a subgraph cannot be entered; undefined where it can, or has none. */
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

/** The id of a node as the payload has it. */
export const payloadId = ({ prefix, host, ids }: Scope, nodeId: string): string =>
  prefix + (ids.get(host?.definition.id ?? '')?.get(nodeId) ?? nodeId)

/** The link into an input; undefined where there is none. */
function linkInto({ links }: Scope, { link }: InputSlot): Link | undefined {
  return link === undefined ? undefined : links.get(link)
}

// Nodes of the editor alone: no worker knows them.
const VIRTUAL = new Set(['PrimitiveNode', 'Reroute', 'Note', 'MarkdownNote', 'SetNode', 'GetNode'])

/** Whether a node is of the editor alone. */
export const isVirtual = (node: GraphNode): boolean => VIRTUAL.has(node.type ?? '') || isEverywhere(node)

/** Whether a node sends its input to others without links, by the code of an extension alone. */
export const isEverywhere = ({ type = '' }: GraphNode): boolean => /^(Anything|Prompts|Seed) Everywhere/.test(type)

/** Whether a node takes part in a run. */
export const isActive = ({ mode }: GraphNode): boolean => mode !== MODE.mute && mode !== MODE.bypass

/**
 * What is sent when a graph is run, and how the graph goes on: prompts with choices are resolved for this run alone,
 * and seeds move on for the next one. Source: docs/spec/image-workflows.md, 5; docs/spec/comfyui.md, 2.
 */

import {
  type Graph,
  type GraphNode,
  SUBGRAPH_INPUT,
  type Subgraph,
  subgraphsOf,
  type WorkflowDocument,
} from '../document/document.ts'
import { linkById } from '../document/index-of.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import { isHeld, onHost, withValue } from '../edit/widgets.ts'
import type { InputType } from '../input-type.ts'
import { asText, type JsonValue } from '../json/value.ts'
import type { NodeTypes } from '../node-types.ts'
import { primitiveTarget, type WidgetView, widgetsOf } from '../node-view.ts'
import { hostWidgets, listedWidgets, promotedWidgets } from '../promoted-widgets.ts'
import { type Conversion, toPayload } from '../to-payload/to-payload.ts'
import { type ControlMode, isControlMode, valueSlots } from '../widgets.ts'
import { firstChoice, isPrompt, type Random, resolvePrompt } from './dynamic-prompts.ts'
import { nextValue } from './next-value.ts'

/** A document to be sent, and as it goes on in the editor. */
export type Resolved = { readonly document: WorkflowDocument; readonly next: WorkflowDocument }

/** How seeds are moved on. */
export type ResolveOptions = {
  readonly random: Random
  /** Whether it is the first run since the graph was opened. */
  readonly isFirst: boolean
  /** Seeds move on after a run, or before it: then the editor shows the seed of the picture that was just made. */
  readonly mode?: 'after' | 'before'
  /** A run of selected outputs alone leaves the seeds as they are. */
  readonly isPartial?: boolean
}

/** Resolves a document for a run. */
export function resolveDocument(
  document: WorkflowDocument,
  types: NodeTypes,
  { random, isFirst, mode = 'after', isPartial = false }: ResolveOptions,
): Resolved {
  const stays = isPartial || (mode === 'before' && isFirst)
  const moved = stays ? document : moveOn(document, types, random)
  return { document: resolvePrompts(mode === 'before' ? moved : document, types, random), next: moved }
}

/** The document with the values moved on that a control widget stands beside. */
function moveOn(document: WorkflowDocument, types: NodeTypes, random: Random): WorkflowDocument {
  return changeAll(document, types, (node, around) => {
    if (node.type === 'PrimitiveNode') return movePrimitive(node, around, random)
    const modes = controlsOf(node, around)
    return changeWidgets(node, around, ({ name, input, value, control }) => {
      const { mode = isControlMode(control) ? control : undefined, filter } = modes.get(name) ?? {}
      if (mode === undefined || input === undefined || value === undefined) return undefined
      return nextValue(value, mode, { input, filter, random })
    })
  })
}

type Control = { readonly mode?: ControlMode; readonly filter?: string | undefined }

const NO_CONTROLS: ReadonlyMap<string, Control> = new Map()

/** What the controls of a node say, by the name of the widget beside them. */
function controlsOf(node: GraphNode, around: Around): ReadonlyMap<string, Control> {
  const type = typeOfNode(node, around.types)
  if (type === undefined || !valueSlots(type).some(({ kind }) => kind === 'control')) return NO_CONTROLS
  const views = widgetsOf(node, type)
  const controls = views.flatMap(({ name, kind, value }): (readonly [string, Control])[] => {
    if (kind !== 'control' || !isControlMode(value) || isFed(node, around, name)) return []
    const filter = asText(views.find((one) => one.name === name && one.kind === 'filter')?.value)
    return [[name, { mode: value, filter }]]
  })
  return new Map(controls)
}

// What leads into a subgraph may be a value that nobody has linked outside, and then the one here counts.
function isFed(node: GraphNode, { graph }: Around, name: string): boolean {
  const id = node.inputs.items.find((slot) => slot.name === name)?.link
  const link = id === undefined ? undefined : linkById(graph, id)
  return link !== undefined && link.from.node !== SUBGRAPH_INPUT
}

function movePrimitive(node: GraphNode, { graph, types }: Around, random: Random): GraphNode {
  const input = primitiveTarget(graph, node, types)
  const views = widgetsOf(node, undefined)
  const valueAt = (kind: WidgetView['kind']) => views.find((one) => one.kind === kind)?.value
  const [value, mode] = [valueAt('input'), valueAt('control')]
  if (input === undefined || value === undefined || !isControlMode(mode)) return node
  const next = nextValue(value, mode, { input, filter: asText(valueAt('filter')), random })
  return withValue(node, undefined, { name: 'value', kind: 'input' }, next)
}

/** The node with each of its widgets changed for which there is another value. */
function changeWidgets(
  node: GraphNode,
  { definitions, types }: Around,
  change: (view: WidgetView) => JsonValue | undefined,
): GraphNode {
  const definition = definitions.get(node.type ?? '')
  if (definition === undefined) {
    const type = typeOfNode(node, types)
    if (type === undefined) return node
    return widgetsOf(node, type).reduce((changed, view) => {
      const value = view.kind === 'input' ? change(view) : undefined
      return value === undefined ? changed : withValue(changed, type, view, value)
    }, node)
  }
  const promoted = new Map(promotedWidgets(node, definition).map((one) => [one.key, one]))
  return hostWidgets(definitions, node, types).reduce((changed, view) => {
    const widget = promoted.get(view.name)
    if (widget === undefined || view.kind !== 'input' || !isHeld(node, widget)) return changed
    const value = change(view)
    return value === undefined ? changed : onHost(changed, widget, value)
  }, node)
}

// Choices in prompts. A text that the node of a subgraph shows is sent as it is, whether it stands there or inside; a
// primitive is resolved as the prompt that it gives its value to. Source: the public editor's page itself, held by
// test/comfy.

/**
 * The payload of a document that is written down or published, not run: of each prompt the first choice, so that it is
 * the same each time. @param now ms since the epoch, for dates in names of files
 */
export const toResolvedPayload = (document: WorkflowDocument, types: NodeTypes, now: number): Conversion =>
  toPayload(resolvePrompts(document, types, firstChoice), types, now)

/** The document with the choices in its prompts made. */
function resolvePrompts(document: WorkflowDocument, types: NodeTypes, random: Random): WorkflowDocument {
  const isShown = shownOnHosts(document)
  return changeAll(document, types, (node, { graph }) => {
    if (node.type === 'PrimitiveNode') return resolvePrimitive(node, primitiveTarget(graph, node, types), random)
    const type = typeOfNode(node, types)
    if (type === undefined) return node
    return widgetsOf(node, type).reduce((resolved, view) => {
      if (view.kind !== 'input' || !isPrompt(view.input) || isShown(graph, node, view.name)) return resolved
      const value = resolvedValue(view.value, random)
      return value === view.value || value === undefined ? resolved : withValue(resolved, type, view, value)
    }, node)
  })
}

function resolvePrimitive(node: GraphNode, target: InputType | undefined, random: Random): GraphNode {
  const view = widgetsOf(node, undefined).find(({ kind }) => kind === 'input')
  if (view === undefined || !isPrompt(target)) return node
  const value = resolvedValue(view.value, random)
  return value === undefined ? node : withValue(node, undefined, { name: 'value', kind: 'input' }, value)
}

const resolvedValue = (value: JsonValue | undefined, random: Random): JsonValue | undefined =>
  typeof value === 'string' ? resolvePrompt(value, random) : undefined

/** Whether a widget within a subgraph is one that its host shows: linked to the boundary, or in the host's own list. */
function shownOnHosts(document: WorkflowDocument): (graph: Graph, node: GraphNode, widget: string) => boolean {
  const definitions = subgraphsOf(document)
  const listed = new Map<Graph, Set<string>>()
  for (const { nodes } of [document, ...definitions.values()])
    for (const host of nodes.items) {
      const definition = definitions.get(host.type ?? '')
      if (definition === undefined) continue
      const shown = listed.get(definition) ?? new Set<string>()
      listed.set(definition, shown)
      for (const { node, widget } of listedWidgets(host)) shown.add(keyOf(node, widget))
    }
  return (graph, node, widget) => {
    const slot = node.inputs.items.find((one) => (one.widget ?? one.name) === widget)
    const link = slot?.link === undefined ? undefined : linkById(graph, slot.link)
    return link?.from.node === SUBGRAPH_INPUT || listed.get(graph)?.has(keyOf(node.id ?? '', widget)) === true
  }
}

const keyOf = (node: string, widget: string): string => `${node}: ${widget}`

/** A graph with what is known around it. */
type Around = {
  readonly graph: Graph
  readonly definitions: ReadonlyMap<string, Subgraph>
  readonly types: NodeTypes
}

/** The document with nodes changed, those of its subgraphs too; what stays the same stays the same object. */
function changeAll(
  document: WorkflowDocument,
  types: NodeTypes,
  change: (node: GraphNode, around: Around) => GraphNode,
): WorkflowDocument {
  const definitions = subgraphsOf(document)
  const changed = <Whole extends Graph>(graph: Whole): Whole => {
    const items = graph.nodes.items.map((node) => change(node, { graph, definitions, types }))
    const isSame = items.every((node, index) => node === graph.nodes.items[index])
    return isSame ? graph : { ...graph, nodes: { ...graph.nodes, items } }
  }
  const root = changed(document)
  const { definitions: held } = document
  const items = held?.subgraphs.items.map(changed)
  if (held === undefined || items === undefined || items.every((one, index) => one === held.subgraphs.items[index]))
    return root
  return { ...root, definitions: { ...held, subgraphs: { ...held.subgraphs, items } } }
}

/**
 * Resolves prompt choices for one run and advances seeds for the next. Source: docs/spec/image-workflows.md, 5;
 * docs/spec/comfyui.md, 2.
 */

import { asText } from '../../../../lib/json/plain.ts'
import type { JsonValue } from '../../../../lib/json/value.ts'
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
import type { NodeTypes } from '../node-types.ts'
import { primitiveTarget, type WidgetView, widgetsOf } from '../node-view.ts'
import { hostWidgets, listedWidgets, promotedWidgets } from '../promoted-widgets.ts'
import { type Conversion, toPayload } from '../to-payload/to-payload.ts'
import { type ControlMode, isControlMode, valueSlots } from '../widgets.ts'
import { firstChoice, isPrompt, type Random, resolvePrompt } from './dynamic-prompts.ts'
import { nextValue } from './next-value.ts'

export type Resolved = { readonly document: WorkflowDocument; readonly next: WorkflowDocument }

export type ResolveOptions = {
  readonly random: Random
  readonly isFirst: boolean
  /** Seeds advance after a run, or before it: then the editor shows the seed of the last picture. */
  readonly mode?: 'after' | 'before'
  /** A run of only the selected outputs keeps the seeds. */
  readonly isPartial?: boolean
}

export function resolveDocument(
  document: WorkflowDocument,
  types: NodeTypes,
  { random, isFirst, mode = 'after', isPartial = false }: ResolveOptions,
): Resolved {
  const stays = isPartial || (mode === 'before' && isFirst)
  const moved = stays ? document : moveOn(document, types, random)
  return { document: resolvePrompts(mode === 'before' ? moved : document, types, random), next: moved }
}

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

// An input from outside a subgraph may not be linked there; then the value here counts.
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

// Text shown on a subgraph node is sent unchanged; a primitive resolves like its target prompt. Source: the public
// editor's page, compared by test/comfy.

/**
 * For saving or publishing: always takes the first choice.
 * @param now ms since the epoch, for dates in file names
 */
export const toResolvedPayload = (document: WorkflowDocument, types: NodeTypes, now: number): Conversion =>
  toPayload(resolvePrompts(document, types, firstChoice), types, now)

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

type Around = {
  readonly graph: Graph
  readonly definitions: ReadonlyMap<string, Subgraph>
  readonly types: NodeTypes
}

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

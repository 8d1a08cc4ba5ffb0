/**
 * Promotes inner widgets to instances: as a list entry if the instance has a list, else as a subgraph input whose value
 * each instance holds. Source: docs/spec/comfyui.md, 1.2.
 */

import { isArray, isObject, type JsonArray, type JsonValue, withKey } from '../../../../lib/json/value.ts'
import {
  type GraphNode,
  SUBGRAPH_INPUT,
  type Subgraph,
  subgraphsOf,
  type WorkflowDocument,
} from '../document/document.ts'
import { nodeById } from '../document/index-of.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import type { NodeTypes } from '../node-types.ts'
import { isDrawn, widgetsOf } from '../node-view.ts'
import { findPromoted, hostWidgets, type InnerWidget, listedWidgets, promotedWidgets } from '../promoted-widgets.ts'
import { changeBoundary, changeHosts, freeName, newBoundarySlot, removeBoundarySlot } from './boundary.ts'
import { link } from './connect.ts'
import { editGraph } from './draft.ts'
import { graphAt } from './graph-at.ts'
import { newInput } from './slots.ts'
import { setWidget } from './widgets.ts'

export type InnerTarget = InnerWidget & {
  readonly definition: string
  readonly types: NodeTypes
}

export function promoteWidget(
  document: WorkflowDocument,
  { definition, node, widget, types }: InnerTarget,
  newUuid: () => string,
): WorkflowDocument {
  const subgraph = subgraphsOf(document).get(definition)
  if (subgraph === undefined || isShown(document, subgraph, { node, widget })) return document
  const valueInside = () => {
    const inner = nodeById(subgraph, node)
    return inner && widgetsOf(inner, typeOfNode(inner, types)).find(({ name }) => name === widget)?.value
  }
  const hasLists = hostsOf(document, definition).some((host) => listedWidgets(host).length > 0)
  return hasLists
    ? changeHosts(document, definition, (host) => withEntry(host, { node, widget }, valueInside()))
    : asInput(document, subgraph, { definition, node, widget, types }, newUuid())
}

function hostsOf(document: WorkflowDocument, definition: string): readonly GraphNode[] {
  const graphs = [document, ...subgraphsOf(document).values()]
  return graphs.flatMap(({ nodes }) => nodes.items.filter(({ type }) => type === definition))
}

function isShown(document: WorkflowDocument, subgraph: Subgraph, { node, widget }: InnerWidget): boolean {
  const [host] = hostsOf(document, subgraph.id ?? '')
  const shown = host === undefined ? [] : promotedWidgets(host, subgraph)
  return shown.some(({ inner }) => inner?.node === node && inner.widget === widget)
}

// The value stays inside, unless the host stores one for every entry.
function withEntry(host: GraphNode, { node, widget }: InnerWidget, value: JsonValue = null): GraphNode {
  const { properties, widgetValues } = host
  const list = isObject(properties) ? properties.get('proxyWidgets') : undefined
  if (!isObject(properties) || !isArray(list)) return host
  const isForAll = isArray(widgetValues) && widgetValues.length > 0 && widgetValues.length === list.length
  return {
    ...host,
    properties: withKey(properties, 'proxyWidgets', [...list, [node, widget]]),
    widgetValues: isForAll ? [...widgetValues, value] : widgetValues,
  }
}

function asInput(
  document: WorkflowDocument,
  subgraph: Subgraph,
  { definition, node, widget, types }: InnerTarget,
  id: string,
): WorkflowDocument {
  const inner = subgraph.nodes.items.find((one) => one.id === node)
  const view = inner && widgetsOf(inner, typeOfNode(inner, types)).find(({ name }) => name === widget)
  if (view?.input === undefined || !isDrawn(view)) return document
  const { type } = view.input
  const name = freeName(widget, subgraph.inputs.items)
  const slot = subgraph.inputs.items.length
  const grown = changeBoundary(document, definition, 'inputs', (slots) => [
    ...slots,
    newBoundarySlot({ id, name, type }),
  ])
  const linked = editGraph(grown, definition, (draft) =>
    link(draft, { node: SUBGRAPH_INPUT, slot }, { node, name: widget }, types),
  )
  return changeHosts(linked, definition, (host) => {
    const before = promotedWidgets(host, subgraph).length
    return withInput(host, { name, type, value: view.value ?? null, before })
  })
}

type Promoted = {
  readonly name: string
  readonly type: string
  readonly value: JsonValue
  readonly before: number
}

// The instance now holds the value, after those of earlier inputs for widgets.
function withInput(host: GraphNode, { name, type, value, before }: Promoted): GraphNode {
  const held: JsonArray = isArray(host.widgetValues) ? host.widgetValues : []
  const values = isObject(host.widgetValues)
    ? withKey(host.widgetValues, name, value)
    : [...held.slice(0, before), value]
  const input = newInput({ name, type, isOptional: false, widget: name })
  // If the list is shorter than the inputs, there is no slot for one more: the value stays inside.
  const isInStep = isObject(host.widgetValues) || held.length >= before
  return {
    ...host,
    inputs: { ...host.inputs, items: [...host.inputs.items, input] },
    widgetValues: isInStep ? values : host.widgetValues,
  }
}

/**
 * The named instance's value moves back inside.
 * @param key widget key in the instance's view
 */
export function demoteWidget(
  document: WorkflowDocument,
  at: string | undefined,
  { host: hostId, key, types }: { readonly host: string; readonly key: string; readonly types: NodeTypes },
): WorkflowDocument {
  const host = graphAt(document, at)?.nodes.items.find(({ id }) => id === hostId)
  const definition = subgraphsOf(document).get(host?.type ?? '')
  if (host === undefined || definition?.id === undefined) return document
  const { id } = definition
  const widget = findPromoted(promotedWidgets(host, definition), key)
  if (widget === undefined) return document
  const value = hostWidgets(subgraphsOf(document), host, types).find(({ name }) => name === widget.key)?.value
  const { inner } = widget
  const valued =
    widget.at === undefined || inner === undefined || value === undefined
      ? document
      : setWidget(document, id, { node: inner.node, name: inner.widget, value, types })
  const isListed = listedWidgets(host).length > 0
  const unlisted = isListed ? changeHosts(valued, id, (one) => withoutEntry(one, definition, widget.key)) : valued
  const slot = definition.inputs.items.findIndex(({ name }) => name === widget.input)
  const isInput = widget.key === widget.input && slot >= 0
  return isInput ? removeBoundarySlot(unlisted, id, { side: 'inputs', slot }) : unlisted
}

function withoutEntry(host: GraphNode, definition: Subgraph, key: string): GraphNode {
  const { properties, widgetValues } = host
  const list = isObject(properties) ? properties.get('proxyWidgets') : undefined
  const shown = promotedWidgets(host, definition)
  const index = shown.findIndex((one) => one.key === key)
  if (!isObject(properties) || !isArray(list) || index < 0) return host
  const isForAll = isArray(widgetValues) && widgetValues.length === list.length
  const at = isForAll ? index : shown[index]?.at
  return {
    ...host,
    properties: withKey(properties, 'proxyWidgets', list.toSpliced(index, 1)),
    widgetValues: isArray(widgetValues) && at !== undefined ? widgetValues.toSpliced(at, 1) : widgetValues,
  }
}

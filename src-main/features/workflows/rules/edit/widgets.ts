import { isArray, isObject, type JsonArray, type JsonValue, sameJson, withKey } from '../../../../lib/json/value.ts'
import { defaultAt } from '../default-values.ts'
import { type GraphNode, subgraphsOf, type WorkflowDocument } from '../document/document.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import { isWidget, type StoredSlot, type ValueSlot } from '../input-type.ts'
import type { NodeType, NodeTypes } from '../node-types.ts'
import type { WidgetView } from '../node-view.ts'
import {
  findPromoted,
  hostWidgets,
  listedWidgets,
  type PromotedWidget,
  promotedWidgets,
  SUBGRAPH_DEPTH_MAX,
} from '../promoted-widgets.ts'
import { SHOWN_SOCKET, storedSlots, valueSlots } from '../widgets.ts'
import { editGraph } from './draft.ts'
import { changeNodes, type GraphAddress, graphAt } from './graph-at.ts'
import { closeSlot, newInput } from './slots.ts'

/** For a subgraph node, sets the host's value if it holds one, else the inner value. */
export function setWidget(
  document: WorkflowDocument,
  at: GraphAddress,
  { node, name, value, types }: WidgetTarget & { readonly value: JsonValue },
): WorkflowDocument {
  return setSlot(document, at, { node, name, kind: 'input', value, types })
}

export type WidgetTarget = { readonly node: string; readonly name: string; readonly types: NodeTypes }

export function setSlot(
  document: WorkflowDocument,
  at: GraphAddress,
  target: WidgetTarget & Pick<ValueSlot, 'kind'> & { readonly value: JsonValue },
): WorkflowDocument {
  return setWithin(document, at, target, 0)
}

function setWithin(
  document: WorkflowDocument,
  at: GraphAddress,
  target: WidgetTarget & Pick<ValueSlot, 'kind'> & { readonly value: JsonValue },
  depth: number,
): WorkflowDocument {
  const { node: id, name, kind, value, types } = target
  const node = graphAt(document, at)?.nodes.items.find((one) => one.id === id)
  const definition = subgraphsOf(document).get(node?.type ?? '')
  if (node === undefined || depth > SUBGRAPH_DEPTH_MAX) return document
  if (definition === undefined) {
    const slot = { name, kind: name === CONTROL_NAME ? 'control' : kind } as const
    return changeNodes(document, at, new Set([id]), (one) => withSlot(one, slot, value, types))
  }
  const promoted = promotedWidgets(node, definition)
  const widget = findPromoted(promoted, name)
  if (widget === undefined) return document
  if (kind === 'input' && (isHeld(node, widget) || mayHold(node, widget))) {
    const shown = hostWidgets(subgraphsOf(document), node, types)
    return changeNodes(document, at, new Set([id]), (one) =>
      onHost(withSlotFor(one, widget, promoted, shown), widget, value),
    )
  }
  const { inner } = widget
  if (inner === undefined) return document
  return setWithin(document, definition.id, { ...target, node: inner.node, name: inner.widget }, depth + 1)
}

const CONTROL_NAME = 'control_after_generate'

/** Whether the instance holds the value of a widget; otherwise it is inside. */
export function isHeld({ widgetValues }: GraphNode, { at, key }: PromotedWidget): boolean {
  if (isObject(widgetValues)) return widgetValues.has(key)
  return isArray(widgetValues) && at !== undefined && at < widgetValues.length
}

// In the newest file format, an instance has its own values, so that other instances keep theirs.
const mayHold = (host: GraphNode, { at }: PromotedWidget): boolean =>
  at !== undefined && !isObject(host.widgetValues) && listedWidgets(host).length === 0

// The values before it are stored too, as shown.
function withSlotFor(
  host: GraphNode,
  { at = 0 }: PromotedWidget,
  promoted: readonly PromotedWidget[],
  shown: readonly WidgetView[],
): GraphNode {
  const held: JsonArray = isArray(host.widgetValues) ? host.widgetValues : []
  if (isObject(host.widgetValues) || at < held.length) return host
  const shownValues = new Map(shown.map(({ name, value }) => [name, value]))
  const added = promoted.slice(held.length, at + 1).map(({ key }) => shownValues.get(key) ?? null)
  return { ...host, widgetValues: [...held, ...added] }
}

export function onHost(host: GraphNode, { at = 0, key }: PromotedWidget, value: JsonValue): GraphNode {
  const { widgetValues } = host
  if (isObject(widgetValues)) return { ...host, widgetValues: withKey(widgetValues, key, value) }
  const values = isArray(widgetValues) ? widgetValues : []
  if (sameJson(values[at], value)) return host
  const properties = withoutQuarantined(host.properties, key)
  return {
    ...host,
    properties,
    widgetValues: values.with(at, value),
    namedValues: withNamed(host.namedValues, key, value),
  }
}

// If ComfyUI's editor failed to move a value, it stores the old one here, and prefers it to the stored one.
const QUARANTINE = 'proxyWidgetErrorQuarantine'

function withoutQuarantined(properties: JsonValue | undefined, input: string): JsonValue | undefined {
  const entries = isObject(properties) ? properties.get(QUARANTINE) : undefined
  if (!isObject(properties) || !isArray(entries)) return properties
  const left = entries.filter((entry) => {
    const original = isObject(entry) ? entry.get('originalEntry') : undefined
    return !isArray(original) || original[1] !== input
  })
  return left.length === entries.length ? properties : withKey(properties, QUARANTINE, left)
}

function withSlot(node: GraphNode, slot: ValueSlot, value: JsonValue, types: NodeTypes): GraphNode {
  const type = typeOfNode(node, types)
  const changed = withValue(node, type, slot, value)
  const after = typeOfNode(changed, types)
  const isSame = type === after || type === undefined || after?.storedAs !== undefined
  return isSame || after === undefined ? changed : withSlots(changed, node, type, after)
}

// A choice has changed the widgets: remaining ones keep their values, new ones get defaults.
function withSlots(changed: GraphNode, before: GraphNode, type: NodeType, after: NodeType): GraphNode {
  const values = isArray(changed.widgetValues) ? changed.widgetValues : undefined
  if (values === undefined) return changed
  const keyOf = ({ name, kind }: ValueSlot) => `${kind} ${name}`
  const known = new Map(storedSlots(before, type)?.map((slot) => [keyOf(slot), values[slot.at]]))
  const inputs = new Map(after.inputs.map((input) => [input.name, input]))
  const slots = valueSlots(after)
  return {
    ...changed,
    widgetValues: slots.map((slot) => known.get(keyOf(slot)) ?? defaultAt(slot, inputs.get(slot.name))),
  }
}

export function withValue(node: GraphNode, type: NodeType | undefined, slot: ValueSlot, value: JsonValue): GraphNode {
  const { widgetValues: stored } = node
  if (isObject(stored)) {
    const isSame = slot.kind !== 'input' || sameJson(stored.get(slot.name), value)
    return isSame ? node : { ...node, widgetValues: withKey(stored, slot.name, value) }
  }
  const slots = storedSlots(node, type) ?? []
  const at = slots.find(({ name, kind }) => kind === slot.kind && isNamed(name, slot))?.at ?? unnamedSlot(slot, stored)
  const values: JsonArray = isArray(stored) ? stored : []
  if (at === undefined || sameJson(values[at], value)) return node
  const key = slot.kind === 'input' ? slot.name : CONTROL_NAME
  const namedValues = slot.kind === 'filter' ? node.namedValues : withNamed(node.namedValues, key, value)
  return { ...node, widgetValues: filled(values, at, slots, type).with(at, value), namedValues }
}

const isNamed = (name: string, slot: ValueSlot): boolean => name === slot.name || slot.name === CONTROL_NAME

/** `value 3` for a slot without a known name. */
function unnamedSlot({ name, kind }: ValueSlot, stored: JsonValue | undefined): number | undefined {
  const number = kind === 'input' ? /^value (\d{1,4})$/.exec(name)?.[1] : undefined
  const at = Number(number) - 1
  return number !== undefined && isArray(stored) && at >= 0 && at < stored.length ? at : undefined
}

function filled(values: JsonArray, at: number, slots: readonly StoredSlot[], type: NodeType | undefined): JsonArray {
  if (at < values.length) return values
  const all = [...values]
  for (let index = values.length; index <= at; index += 1) {
    const slot = slots.find((one) => one.at === index)
    all.push(
      slot === undefined
        ? null
        : defaultAt(
            slot,
            type?.inputs.find(({ name }) => name === slot.name),
          ),
    )
  }
  return all
}

function withNamed(named: JsonValue | undefined, key: string, value: JsonValue): JsonValue | undefined {
  return isObject(named) && named.has(key) ? withKey(named, key, value) : named
}

export function widgetToInput(
  document: WorkflowDocument,
  at: GraphAddress,
  { node: id, name, types }: WidgetTarget,
): WorkflowDocument {
  return changeNodes(document, at, new Set([id]), (node) => {
    const input = typeOfNode(node, types)?.inputs.find((one) => one.name === name)
    if (input === undefined || !isWidget(input)) return node
    const { items } = node.inputs
    const at = items.findIndex((one) => one.name === name)
    const slot = items[at] ?? newInput({ name, type: input.type, isOptional: !input.isRequired, widget: name })
    if (slot.raw.get(SHOWN_SOCKET) === true) return node
    const shown = { ...slot, raw: withKey(slot.raw, SHOWN_SOCKET, true) }
    return { ...node, inputs: { ...node.inputs, items: at < 0 ? [...items, shown] : items.with(at, shown) } }
  })
}

/** Removes the slot of a widget with its link: the value is set on the node again. */
export function inputToWidget(
  document: WorkflowDocument,
  at: GraphAddress,
  { node: id, name }: Pick<WidgetTarget, 'node' | 'name'>,
): WorkflowDocument {
  return editGraph(document, at, (draft) => {
    const slot = draft.nodes.get(id)?.inputs.items.findIndex((one) => one.widget === name) ?? -1
    if (slot < 0) return
    closeSlot(draft, 'to', { node: id, slot: slot })
    const node = draft.nodes.get(id)
    if (node === undefined) return
    draft.nodes.put({ ...node, inputs: { ...node.inputs, items: node.inputs.items.toSpliced(slot, 1) } })
  })
}

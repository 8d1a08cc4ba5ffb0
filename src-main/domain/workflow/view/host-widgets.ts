import type { GraphNode, Subgraph } from '../document/document.ts'
import { nodeById } from '../document/index-of.ts'
import { typeOfNode } from '../dynamic-inputs.ts'
import { isArray, isObject, type JsonValue } from '../json/value.ts'
import type { NodeTypes } from '../node-types.ts'
import { findPromoted, type PromotedWidget, promotedWidgets } from '../promoted-widgets.ts'
import { type WidgetView, widgetsOf } from './node-view.ts'

/**
 * The widgets that a node shows of the subgraph within it, with what the inner classes say of them. A value is the one on
 * the host, where the host holds one, else the one inside.
 */
export function hostWidgets(
  definitions: ReadonlyMap<string, Subgraph>,
  host: GraphNode,
  types: NodeTypes,
): readonly WidgetView[] {
  const definition = definitions.get(host.type ?? '')
  if (definition === undefined) return []
  return promotedWidgets(host, definition).flatMap((widget) => {
    return viewOf(host, definition, widget, { definitions, types, depth: DEPTH_MAX }) ?? []
  })
}

// Deeper than any file; a definition within itself has no end.
const DEPTH_MAX = 50

type Known = {
  readonly definitions: ReadonlyMap<string, Subgraph>
  readonly types: NodeTypes
  readonly depth: number
}

// Undefined where the widget is not there any more, as lists are found that name nodes which are gone.
function viewOf(host: GraphNode, definition: Subgraph, widget: PromotedWidget, known: Known): WidgetView | undefined {
  const inner = innerView(definition, widget, known)
  const value = inner?.kind === 'control' ? undefined : heldBy(host, widget)
  if (inner === undefined && value === undefined) return undefined
  return {
    name: widget.key,
    kind: inner?.kind ?? 'input',
    label: widget.label,
    input: inner?.input,
    value: value ?? inner?.value,
    isLinked: host.inputs.items.some(({ name, link }) => link !== undefined && name === widget.input),
    ...(inner?.control === undefined ? {} : { control: inner.control }),
  }
}

function innerView(definition: Subgraph, { inner }: PromotedWidget, known: Known): WidgetView | undefined {
  const node = inner && nodeById(definition, inner.node)
  if (node === undefined || inner === undefined || known.depth === 0) return undefined
  const nested = known.definitions.get(node.type ?? '')
  if (nested !== undefined) {
    const found = findPromoted(promotedWidgets(node, nested), inner.widget)
    return found && viewOf(node, nested, found, { ...known, depth: known.depth - 1 })
  }
  const views = widgetsOf(node, typeOfNode(node, known.types))
  if (inner.widget === 'control_after_generate') return views.find(({ kind }) => kind === 'control')
  const view = views.find(({ name, kind }) => name === inner.widget && kind === 'input')
  const control = views.find(({ name, kind }) => name === inner.widget && kind === 'control')?.value
  return view === undefined || control === undefined ? view : { ...view, control }
}

/** The value that a host holds for one of its widgets; undefined where it lives inside. */
export function heldBy({ widgetValues }: GraphNode, { at, key }: PromotedWidget): JsonValue | undefined {
  if (at === undefined) return undefined
  if (isObject(widgetValues)) return widgetValues.get(key)
  return isArray(widgetValues) ? widgetValues[at] : undefined
}

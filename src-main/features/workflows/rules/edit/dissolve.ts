import {
  type GraphNode,
  type Link,
  type LinkEnd,
  MODE,
  SUBGRAPH_INPUT,
  SUBGRAPH_OUTPUT,
  type Subgraph,
  subgraphsOf,
  type WorkflowDocument,
} from '../document/document.ts'
import type { Pair } from '../document/fields.ts'
import { innerInputs, linkToHostOutput, realLinks } from '../document/index-of.ts'
import type { NodeTypes } from '../node-types.ts'
import { heldBy, hostWidgets, type PromotedWidget, promotedWidgets } from '../promoted-widgets.ts'
import { withoutUnused } from './definitions.ts'
import { editGraph, type GraphDraft } from './draft.ts'
import { type GraphAddress, graphAt } from './graph-at.ts'
import { addWaypoints, waysOf } from './graph-parts.ts'
import { around, moveGroupBox, nodeBounds } from './groups.ts'
import { dropNodes } from './remove.ts'
import { addLink, unlinked } from './slots.ts'
import { setWidget } from './widgets.ts'

export type Dissolved = { readonly document: WorkflowDocument; readonly ids: readonly string[] }

/**
 * Inner nodes take the values that the host held.
 * @returns undefined if the node has no subgraph
 */
export function dissolve(
  document: WorkflowDocument,
  at: GraphAddress,
  hostId: string,
  types: NodeTypes,
): Dissolved | undefined {
  const graph = graphAt(document, at)
  const host = graph?.nodes.items.find(({ id }) => id === hostId)
  const definition = subgraphsOf(document).get(host?.type ?? '')
  if (host === undefined || definition === undefined) return undefined
  const ids = new Map<string, string>()
  const opened = editGraph(document, at, (draft) => {
    const outer = draft.links.all().filter(({ from, to }) => from.node === hostId || to.node === hostId)
    dropNodes(draft, new Set([hostId]))
    const by = offset(host, definition)
    for (const node of definition.nodes.items) {
      const id = draft.newId('node')
      ids.set(node.id ?? '', id)
      draft.nodes.put(taken(node, { id, by, host }))
    }
    relink(draft, { definition, host, outer, ids, by })
    const { groups } = draft.graph()
    const moved = definition.groups.items.map((group) => ({ ...moveGroupBox(group, by), id: draft.newId('group') }))
    if (moved.length > 0) draft.change({ groups: { ...groups, items: [...groups.items, ...moved] } })
  })
  const valued = withHostValues(opened, at, { host, definition, ids, types })
  return { document: withoutUnused(valued, document), ids: [...ids.values()] }
}

function offset(host: GraphNode, { nodes }: Subgraph): Pair {
  const [own, inner] = [nodeBounds(host), around(nodes.items.map(nodeBounds))]
  if (inner === undefined) return [0, 0]
  const right = own.x + own.width / 2 - inner.x - inner.width / 2
  const down = own.y + own.height / 2 - inner.y - inner.height / 2
  return [Math.round(right), Math.round(down)]
}

/** Inner nodes of a muted or bypassed host take the host's mode. */
function taken(
  node: GraphNode,
  { id, by: [right, down], host }: { readonly id: string; readonly by: Pair; readonly host: GraphNode },
): GraphNode {
  const [x, y] = node.pos ?? [0, 0]
  const isOff = host.mode === MODE.mute || host.mode === MODE.bypass
  return {
    ...unlinked(node),
    id,
    mode: isOff ? host.mode : node.mode,
    pos: [x + right, y + down],
  }
}

type Relinking = {
  readonly definition: Subgraph
  readonly host: GraphNode
  readonly outer: readonly Link[]
  readonly ids: ReadonlyMap<string, string>
  readonly by: Pair
}

function relink(draft: GraphDraft, { definition, host, outer, ids, by }: Relinking): void {
  const inside = ({ node, slot }: LinkEnd): LinkEnd => ({ node: ids.get(node) ?? node, slot })
  const entering = outer.filter(({ to }) => to.node === host.id)
  const inputOf = new Map(entering.map((link) => [host.inputs.items[link.to.slot]?.name, link]))
  const outsideOf = (slot: number) => inputOf.get(definition.inputs.items[slot]?.name)?.from
  const originOf = (from: LinkEnd) => (from.node === SUBGRAPH_INPUT ? outsideOf(from.slot) : inside(from))
  const linkIds = new Map<string, string>()
  for (const { id, from, to, type } of realLinks(definition)) {
    const origin = originOf(from)
    if (origin === undefined || to.node === SUBGRAPH_OUTPUT) continue
    linkIds.set(id, addLink(draft, { from: origin, to: inside(to), type }))
  }
  for (const { from, to, type } of outer) {
    if (from.node !== host.id) continue
    const leading = linkToHostOutput(definition, host, from.slot)
    const origin = leading && originOf(leading.from)
    if (origin !== undefined) addLink(draft, { from: origin, to, type })
  }
  addWaypoints(draft, waysOf(definition, definition.links.items), linkIds, by)
}

function withHostValues(
  document: WorkflowDocument,
  at: GraphAddress,
  of: Pick<Relinking, 'host' | 'definition' | 'ids'> & { readonly types: NodeTypes },
): WorkflowDocument {
  const { host, definition, ids, types } = of
  const views = hostWidgets(subgraphsOf(document), host, types)
  const shown = new Map(views.filter(({ kind }) => kind === 'input').map(({ name, value }) => [name, value]))
  return promotedWidgets(host, definition).reduce((changed, widget) => {
    if (isLinked(host, widget.input)) return changed
    // A host may hold null, which is sent.
    const held = heldBy(host, widget)
    const value = held === undefined ? shown.get(widget.key) : held
    if (value === undefined) return changed
    return innerSlots(definition, widget).reduce((next, { node: inner, name }) => {
      const node = ids.get(inner)
      return node === undefined ? next : setWidget(next, at, { node, name, value, types })
    }, changed)
  }, document)
}

function innerSlots(definition: Subgraph, { input, inner }: PromotedWidget): readonly InnerSlot[] {
  if (input === undefined) return inner === undefined ? [] : [{ node: inner.node, name: inner.widget }]
  return innerInputs(definition, input).flatMap(({ node, slot: { name } }) =>
    name === undefined ? [] : [{ node, name }],
  )
}

type InnerSlot = { readonly node: string; readonly name: string }

const isLinked = (host: GraphNode, input: string | undefined): boolean =>
  host.inputs.items.some(({ name, link }) => link !== undefined && name === input)

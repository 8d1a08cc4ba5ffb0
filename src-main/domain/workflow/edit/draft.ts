/**
 * A graph while it is edited: nodes and links by id, changed in place of copies, and given back as a new graph that shares
 * all that was not touched.
 */
import type { BoundarySlot, Graph, GraphNode, Subgraph, WorkflowDocument } from '../document/document.ts'
import type { Items } from '../document/fields.ts'
import type { Link } from '../document/links.ts'
import { realTarget } from '../document/real-target.ts'
import { changeGraph, type GraphAddress } from './graph-at.ts'
import { type IdKind, newIds } from './new-ids.ts'

/** Things by id, in their order. */
export type EditableList<Item> = {
  readonly get: (id: string) => Item | undefined
  /** Puts it in the place of the one with its id, or at the end. */
  readonly put: (item: Item) => void
  readonly drop: (id: string) => void
  readonly all: () => readonly Item[]
}

/** A graph that is being edited. `inputs` and `outputs` are those of a subgraph; of the outermost graph there are none. */
export type GraphDraft = {
  readonly nodes: EditableList<GraphNode>
  readonly links: EditableList<Link>
  /** The rest of the graph, as it is now. */
  readonly graph: () => Graph | Subgraph
  /** Changes something that is neither nodes nor links. */
  readonly change: (part: Partial<Pick<Graph, 'extra' | 'reroutes' | 'floatingLinks' | 'groups'>>) => void
  readonly boundary: (side: 'inputs' | 'outputs') => readonly BoundarySlot[]
  readonly setBoundary: (side: 'inputs' | 'outputs', slots: readonly BoundarySlot[]) => void
  readonly definition: (id: string) => Subgraph | undefined
  readonly newId: (kind: IdKind) => string
}

/** The document with one of its graphs edited; itself where the edit changes nothing. */
export function editGraph(
  document: WorkflowDocument,
  at: GraphAddress,
  edit: (draft: GraphDraft) => void,
): WorkflowDocument {
  const ids = newIds(document)
  const edited = changeGraph(document, at, (graph) => {
    const { draft, finish } = draftOf(graph, document, ids.next)
    edit(draft)
    return { ...finish(), ...ids.counted(graph, at === undefined) }
  })
  if (edited === document || at === undefined) return edited
  return changeGraph(edited, undefined, (root) => ids.counted(root, true))
}

function draftOf(graph: Graph | Subgraph, document: WorkflowDocument, newId: GraphDraft['newId']) {
  let rest = graph
  const nodes = editable(graph.nodes, ({ id }) => id ?? '')
  const links = editable(graph.links, ({ id }) => id)
  const real = (link: Link) => realTarget(link, nodes.get(link.to.node))
  const draft: GraphDraft = {
    nodes,
    links: {
      ...links,
      get(id) {
        const link = links.get(id)
        return link && real(link)
      },
      all: () => links.all().map(real),
    },
    newId,
    definition: (id) => document.definitions?.subgraphs.items.find((one) => one.id === id),
    graph: () => rest,
    change(part) {
      rest = { ...rest, ...part }
    },
    boundary: (side) => (side in rest ? (rest as Subgraph)[side].items : []),
    setBoundary(side, items) {
      if (!(side in rest)) return
      rest = { ...rest, [side]: { ...(rest as Subgraph)[side], items } }
    },
  }
  return { draft, finish: () => ({ ...rest, nodes: nodes.finish(), links: links.finish() }) }
}

function editable<Item>(before: Items<Item>, idOf: (item: Item) => string) {
  const items: (Item | undefined)[] = [...before.items]
  const places = new Map<string, number>()
  // The first of those with the same id, as everyone reads them.
  before.items.forEach((item, at) => {
    if (!places.has(idOf(item))) places.set(idOf(item), at)
  })
  let hasChanged = false
  const all = () => items.filter((item) => item !== undefined)
  return {
    get(id: string) {
      const at = places.get(id)
      return at === undefined ? undefined : items[at]
    },
    put(item: Item) {
      const at = places.get(idOf(item))
      if (at !== undefined && items[at] === item) return
      hasChanged = true
      if (at === undefined) places.set(idOf(item), items.push(item) - 1)
      else items[at] = item
    },
    drop(id: string) {
      const at = places.get(id)
      if (at === undefined) return
      hasChanged = true
      items[at] = undefined
      places.delete(id)
    },
    all,
    finish: (): Items<Item> => (hasChanged ? { ...before, items: all() } : before),
  }
}

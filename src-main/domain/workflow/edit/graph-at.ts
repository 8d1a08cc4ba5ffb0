/**
 * One graph of a document: the outermost, or the definition of a subgraph. Edits give a new document that shares all
 * that they did not touch, so that undo is keeping the one before. Source: ours.
 */
import { type Graph, type GraphNode, type Subgraph, subgraphsOf, type WorkflowDocument } from '../document/document.ts'

/** Which graph: the id of a definition; undefined for the outermost. */
export type GraphAddress = string | undefined

/** The graph at an address; undefined where there is no such definition. */
export function graphAt(document: WorkflowDocument, at: GraphAddress): Graph | undefined {
  return at === undefined ? document : subgraphsOf(document).get(at)
}

/** The document with one of its graphs changed; itself where that is not there or `change` gives back what it got. */
export function changeGraph(
  document: WorkflowDocument,
  at: GraphAddress,
  change: (graph: Graph | Subgraph) => Partial<Graph> | Partial<Subgraph>,
): WorkflowDocument {
  if (at === undefined) return merged(document, change(document))
  const { definitions } = document
  const subgraph = subgraphsOf(document).get(at)
  if (definitions === undefined || subgraph === undefined) return document
  const changed = merged(subgraph, change(subgraph))
  if (changed === subgraph) return document
  const items = definitions.subgraphs.items.map((one) => (one === subgraph ? changed : one))
  return { ...document, definitions: { ...definitions, subgraphs: { ...definitions.subgraphs, items } } }
}

function merged<Whole extends WorkflowDocument | Subgraph>(
  whole: Whole,
  part: Partial<Graph> | Partial<Subgraph>,
): Whole {
  const isSame = Object.entries(part).every(
    ([key, value]) => (whole as Readonly<Record<string, unknown>>)[key] === value,
  )
  // What is written starts from the JSON that the whole was read from, whichever graph the part came from.
  return isSame ? whole : { ...whole, ...part, raw: whole.raw }
}

/** The document with some nodes of a graph changed. @param change gives the node itself where it is to stay */
export function changeNodes(
  document: WorkflowDocument,
  at: GraphAddress,
  ids: ReadonlySet<string>,
  change: (node: GraphNode) => GraphNode,
): WorkflowDocument {
  return changeGraph(document, at, ({ nodes }) => {
    let hasChanged = false
    const items = nodes.items.map((node) => {
      if (!ids.has(node.id ?? '')) return node
      const changed = change(node)
      hasChanged ||= changed !== node
      return changed
    })
    return hasChanged ? { nodes: { ...nodes, items } } : {}
  })
}

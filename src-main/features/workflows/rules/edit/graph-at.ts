import { type Graph, type GraphNode, type Subgraph, subgraphsOf, type WorkflowDocument } from '../document/document.ts'

export type GraphAddress = string | undefined

export function graphAt(document: WorkflowDocument, at: GraphAddress): Graph | undefined {
  return at === undefined ? document : subgraphsOf(document).get(at)
}

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
  return isSame ? whole : { ...whole, ...part, raw: whole.raw }
}

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

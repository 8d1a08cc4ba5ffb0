/** What can be added to a graph, beside the classes of its endpoint: notes, reroutes, and its own subgraphs. */
import type { WorkflowDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import type { NodeType } from '../../../../src-main/domain/workflow/node-types.ts'

/** Something that can be added. */
export type Addable =
  | { readonly kind: 'class'; readonly type: NodeType }
  | { readonly kind: 'note' | 'markdown' | 'reroute' }
  | { readonly kind: 'subgraph'; readonly definition: string; readonly name: string }

/** What every graph can have. */
export const EDITOR_NODES: readonly Addable[] = [{ kind: 'note' }, { kind: 'markdown' }, { kind: 'reroute' }]

/** The subgraphs of a document, of each of which another node can be made. */
export function addableSubgraphs({ definitions }: Pick<WorkflowDocument, 'definitions'>): readonly Addable[] {
  const all = definitions?.subgraphs.items ?? []
  return all.map(({ id = '', name = 'Subgraph' }) => ({ kind: 'subgraph', definition: id, name }))
}

/** What it is called. */
export function nameOf(what: Addable): string {
  if (what.kind === 'class') return what.type.displayName
  if (what.kind === 'subgraph') return what.name
  return { note: 'Note', markdown: 'Markdown note', reroute: 'Reroute' }[what.kind]
}

/** What tells it from others of a list. */
export function keyOf(what: Addable): string {
  if (what.kind === 'class') return what.type.name
  // No class may be called like one of the others.
  return what.kind === 'subgraph' ? `:${what.definition}` : `:${what.kind}`
}

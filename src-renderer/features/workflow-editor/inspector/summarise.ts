/** What a graph is made of, in numbers. */
import type { GraphNode, Subgraph } from '../../../../src-main/domain/workflow/document/document.ts'
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'

/** Nodes of one class. */
export type ClassCount = {
  readonly type: string
  /** In words; a subgraph by its name. */
  readonly title: string
  readonly ids: readonly string[]
}

/** The classes of nodes, the most frequent first. */
export function countClasses(
  nodes: readonly GraphNode[],
  types: NodeTypes,
  subgraphs: ReadonlyMap<string, Subgraph>,
): readonly ClassCount[] {
  const ids = new Map<string, string[]>()
  for (const { id = '', type = '' } of nodes) {
    const others = ids.get(type)
    if (others === undefined) ids.set(type, [id])
    else others.push(id)
  }
  return [...ids]
    .map(([type, found]) => ({
      type,
      title: subgraphs.get(type)?.name ?? types.get(type)?.displayName ?? type,
      ids: found,
    }))
    .sort((one, other) => other.ids.length - one.ids.length || one.title.localeCompare(other.title))
}

const NAMED = 4

/** The classes in a sentence: `2 × KSampler, Save Image and 3 classes more`. */
export function classesInWords(counts: readonly ClassCount[]): string {
  const named = counts
    .slice(0, NAMED)
    .map(({ title, ids }) => (ids.length === 1 ? title : `${ids.length} × ${title}`))
    .join(', ')
  return counts.length > NAMED ? `${named} and ${counts.length - NAMED} classes more` : named
}

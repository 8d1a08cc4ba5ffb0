/** Which workflows of the library are shown, and in which order. */
import type { WorkflowView } from '../../../../src-main/contract/workflows.ts'

/** The orders, the first without a name in the address. */
export const SORTS = { changed: 'Last changed', name: 'Name', nodes: 'Most nodes' } as const

/** An order of the library. */
export type Sort = keyof typeof SORTS

const COMPARE: Readonly<Record<Sort, (one: WorkflowView, other: WorkflowView) => number>> = {
  changed: (one, other) => other.updatedAt - one.updatedAt,
  name: (one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }),
  nodes: (one, other) => other.nodes - one.nodes,
}

/** The order of an address. */
export function sortOf(text: string | null): Sort {
  return text !== null && Object.hasOwn(SORTS, text) ? (text as Sort) : 'changed'
}

/** Those whose names hold all words, in their order. */
export function arrange(workflows: readonly WorkflowView[], text: string, sort: Sort): readonly WorkflowView[] {
  const words = text.toLowerCase().split(/\s+/)
  const isWanted = ({ name }: WorkflowView) => words.every((word) => name.toLowerCase().includes(word))
  return workflows.filter(isWanted).toSorted(COMPARE[sort])
}

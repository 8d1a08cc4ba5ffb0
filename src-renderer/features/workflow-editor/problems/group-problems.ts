/** Problems as a list of nodes, each with what is wrong with it. */
import type { FoundProblem } from './find-problems.ts'

/** What is wrong with one node; without an id with the whole graph. */
export type ProblemGroup = { readonly node: string | undefined; readonly problems: readonly FoundProblem[] }

/** The groups, in the order of the first problem of each. */
export function groupProblems(problems: readonly FoundProblem[]): readonly ProblemGroup[] {
  const groups = new Map<string | undefined, FoundProblem[]>()
  for (const problem of problems) {
    const others = groups.get(problem.node)
    if (others === undefined) groups.set(problem.node, [problem])
    else others.push(problem)
  }
  return [...groups].map(([node, found]) => ({ node, problems: found }))
}

/** How many there are, in words. */
export function countProblems(errors: number, warnings: number): string {
  const parts = [counted(errors, 'error'), counted(warnings, 'warning')].filter((part) => part !== undefined)
  return parts.length === 0 ? 'No problems' : parts.join(', ')
}

const counted = (count: number, word: string) =>
  count === 0 ? undefined : `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`

/** Problems of classes that are not known, with the packages that have them. */
import type { Problem, ProblemCode } from '../problem.ts'
import { type PackagesByClass, packagesInWords } from './node-package.ts'

const OF_UNKNOWN: ReadonlySet<string> = new Set<ProblemCode>(['unknown_class', 'values_not_named'])

/** Whether a problem is about a class that nobody here knows. */
export const isOfUnknownClass = ({ code }: Pick<Problem, 'code'>): boolean => OF_UNKNOWN.has(code)

/** Problems that say where the classes that are not known can be had. @param classOf the class of a node, by its id */
export function withPackages(
  problems: readonly Problem[],
  classOf: (node: string) => string | undefined,
  packages: PackagesByClass,
): readonly Problem[] {
  return problems.map((problem) => {
    const named = isOfUnknownClass(problem) ? packages.get(classOf(problem.node ?? '') ?? '') : undefined
    if (named === undefined || named.length === 0) return problem
    return { ...problem, message: `${problem.message} ${packagesInWords(named)}`, packages: named }
  })
}

/** Problems of a graph: their node, input and fix. Source: docs/spec/image-workflows.md, 4. */
import { type NodePackage, type PackagesByClass, packagesText } from './node-packages.ts'

export const PROBLEM_CODES = [
  'cycle',
  'dangling_link',
  'link_restored',
  'bad_output_slot',
  'type_mismatch',
  'required_input_missing',
  'value_not_in_list',
  'value_smaller_than_min',
  'value_bigger_than_max',
  'wrong_value_type',
  'unknown_class',
  'takes_no_workflows',
  'no_output_node',
  'not_a_workflow',
  'values_not_named',
  'needs_extension',
  'subgraph_missing',
  'too_large',
] as const

export type ProblemCode = (typeof PROBLEM_CODES)[number]

export type Problem = {
  readonly code: ProblemCode
  readonly severity: 'error' | 'warning'
  readonly node?: string
  readonly input?: string
  readonly message: string
  readonly packages?: readonly NodePackage[]
}

export function danglingLink(source: string, node: string, input: string): Problem {
  const message = `Input ${input} is linked to node ${source}, which does not exist. Link it to another one.`
  return { code: 'dangling_link', severity: 'error', node, input, message }
}

const OF_UNKNOWN: ReadonlySet<string> = new Set<ProblemCode>(['unknown_class', 'values_not_named'])

const isOfUnknownClass = ({ code }: Pick<Problem, 'code'>): boolean => OF_UNKNOWN.has(code)

export const saidWithPackages = (message: string, packages: readonly NodePackage[] = []): string =>
  `${message} ${packagesText(packages)}`.trim()

export function unknownClasses(
  problems: readonly Problem[],
  classOf: (node: string) => string | undefined,
): readonly string[] {
  return [...new Set(problems.filter(isOfUnknownClass).flatMap(({ node = '' }) => classOf(node) ?? []))]
}

export function withPackages(
  problems: readonly Problem[],
  classOf: (node: string) => string | undefined,
  packages: PackagesByClass,
): readonly Problem[] {
  return problems.map((problem) => {
    const named = isOfUnknownClass(problem) ? packages.get(classOf(problem.node ?? '') ?? '') : undefined
    if (named === undefined || named.length === 0) return problem
    return { ...problem, message: saidWithPackages(problem.message, named), packages: named }
  })
}

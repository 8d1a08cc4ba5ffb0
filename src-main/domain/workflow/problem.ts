/**
 * What is wrong with a graph, at which node and input, and what to do about it. Source: docs/spec/image-workflows.md,
 * 4.
 */
import { type NodePackage, type PackagesByClass, packagesText } from './node-packages.ts'

/** Codes of problems. Those that the field's server has too have its names. */
export const PROBLEM_CODES = [
  'cycle',
  'dangling_link',
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

/** Code of a problem. */
export type ProblemCode = (typeof PROBLEM_CODES)[number]

/** A problem. A warning does not keep the graph from being sent. */
export type Problem = {
  readonly code: ProblemCode
  readonly severity: 'error' | 'warning'
  /** Id of the node as the payload has it, like `57:8`; missing: it is about the whole graph. */
  readonly node?: string
  readonly input?: string
  /** What is wrong and what to do, for a person. */
  readonly message: string
  /** Of a class that is not known: the packages that have it. */
  readonly packages?: readonly NodePackage[]
}

// Problems of classes that are not known, with the packages that have them.
const OF_UNKNOWN: ReadonlySet<string> = new Set<ProblemCode>(['unknown_class', 'values_not_named'])

const isOfUnknownClass = ({ code }: Pick<Problem, 'code'>): boolean => OF_UNKNOWN.has(code)

/** A sentence about a class, with the one that says where the class can be had. */
export const saidWithPackages = (message: string, packages: readonly NodePackage[] = []): string =>
  `${message} ${packagesText(packages)}`.trim()

/** The classes that problems say nobody here knows. @param classOf the class of a node, by its id */
export function unknownClasses(
  problems: readonly Problem[],
  classOf: (node: string) => string | undefined,
): readonly string[] {
  return [...new Set(problems.filter(isOfUnknownClass).flatMap(({ node = '' }) => classOf(node) ?? []))]
}

/** Problems that say where the classes that are not known can be had. @param classOf the class of a node, by its id */
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

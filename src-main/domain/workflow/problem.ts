/** What is wrong with a graph, at which node and input, and what to do about it. Source: image-workflows, Validation. */

import type { NodePackage } from './packages/node-package.ts'

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

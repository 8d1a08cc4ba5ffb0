/** Refused prompts in the words of a ComfyUI server. Source: docs/spec/comfyui.md, 6. */
import type { Problem, ProblemCode } from '../../workflows/rules/problem.ts'

export type Refusal = {
  readonly error: Words & { readonly details: string; readonly extra_info: object }
  readonly node_errors: Readonly<Record<string, NodeErrors>>
}

type NodeErrors = {
  readonly errors: readonly (Words & {
    readonly details: string
    readonly extra_info: { readonly input_name?: string }
  })[]
  readonly dependent_outputs: readonly string[]
  readonly class_type: string
}

export function refusal(type: string, message: string, details = ''): Refusal {
  return { error: { type, message, details, extra_info: {} }, node_errors: {} }
}

export const NO_PROMPT = refusal('no_prompt', 'No prompt provided', 'No prompt provided')

export const NO_OUTPUTS = refusal('prompt_no_outputs', 'Prompt has no outputs')

export const missingAssets = (ids: readonly string[]): Refusal =>
  refusal('missing_asset', 'The graph refers to assets that do not exist', ids.join(', '))

type Words = { readonly type: string; readonly message: string }

const BAD_LINK: Words = {
  type: 'bad_linked_input',
  message: 'Bad linked input, must be a length-2 list of [node_id, slot_index]',
}

const WORDS: Partial<Record<ProblemCode, Words>> = {
  required_input_missing: { type: 'required_input_missing', message: 'Required input is missing' },
  value_not_in_list: { type: 'value_not_in_list', message: 'Value not in list' },
  value_smaller_than_min: { type: 'value_smaller_than_min', message: 'Value smaller than min' },
  value_bigger_than_max: { type: 'value_bigger_than_max', message: 'Value bigger than max' },
  wrong_value_type: { type: 'invalid_input_type', message: 'Failed to convert an input value' },
  type_mismatch: { type: 'return_type_mismatch', message: 'Return type mismatch between linked nodes' },
  dangling_link: BAD_LINK,
  bad_output_slot: BAD_LINK,
}

// A list for each node: of all, the answer would grow with the square of the graph. Source: ours.
const MOST_TOLD = 100
const ID_LENGTH = 100

/**
 * Tells of so many nodes, errors of one node, and outputs.
 * @param outputs ids of output nodes
 * @returns undefined if nothing is wrong
 */
export function refusalOf(
  problems: readonly Problem[],
  { outputs, classOf }: { readonly outputs: readonly string[]; readonly classOf: (node: string) => string | undefined },
): Refusal | undefined {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (first === undefined) return undefined
  if (first.code === 'no_output_node') return NO_OUTPUTS
  const nodeErrors = new Map<string, NodeErrors['errors'][number][]>()
  for (const { code, node, input, message } of errors) {
    const words = WORDS[code]
    if (words === undefined || node === undefined) return refusal('invalid_prompt', message)
    const told = nodeErrors.get(node) ?? []
    if (told.length >= MOST_TOLD || (told.length === 0 && nodeErrors.size >= MOST_TOLD)) continue
    told.push({ ...words, details: message, extra_info: input === undefined ? {} : { input_name: input } })
    nodeErrors.set(node, told)
  }
  const dependents = outputs.filter((id) => id.length <= ID_LENGTH).slice(0, MOST_TOLD)
  return {
    error: {
      type: 'prompt_outputs_failed_validation',
      message: 'Prompt outputs failed validation',
      details: '',
      extra_info: {},
    },
    node_errors: Object.fromEntries(
      [...nodeErrors].map(([node, told]) => [
        node,
        { errors: told, dependent_outputs: dependents, class_type: classOf(node) ?? '' },
      ]),
    ),
  }
}

/** The messages of a ComfyUI server's socket, from the progress and the end of a job. Source: docs/spec/comfyui.md, 6. */
import { asText, isRecord } from '../../../lib/json/plain.ts'

export type Message = { readonly type: string; readonly data: Readonly<Record<string, unknown>> }

export type Progress = {
  readonly node: string | undefined
  readonly step: number | undefined
  readonly steps: number | undefined
  readonly done: readonly string[]
  readonly cached: readonly string[]
  /** A data URI. */
  readonly preview: string | undefined
}

export const NO_PROGRESS: Progress = {
  node: undefined,
  step: undefined,
  steps: undefined,
  done: [],
  cached: [],
  preview: undefined,
}

/** @param value what the built-in image workers report; anything else is no progress */
export function readProgress(value: unknown): Progress {
  if (!isRecord(value)) return NO_PROGRESS
  const preview = isRecord(value.preview) ? asText(value.preview.data) : undefined
  return {
    node: asText(value.node),
    step: numberOf(value.step),
    steps: numberOf(value.steps),
    done: textsOf(value.done),
    cached: textsOf(value.cached),
    preview,
  }
}

const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined)

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

export const statusMessage = (queueRemaining: number, sid?: string): Message => ({
  type: 'status',
  data: { status: { exec_info: { queue_remaining: queueRemaining } }, ...(sid === undefined ? {} : { sid }) },
})

export const startMessage = (promptId: string, now: number): Message => ({
  type: 'execution_start',
  data: { prompt_id: promptId, timestamp: now },
})

export const executingMessage = (promptId: string, node: string | null): Message => ({
  type: 'executing',
  data: { node, ...(node === null ? {} : { display_node: node }), prompt_id: promptId },
})

/** @param before the progress that was sent last; undefined: none */
export function progressMessages(
  before: Progress | undefined,
  after: Progress,
  { promptId, now }: { readonly promptId: string; readonly now: number },
): readonly Message[] {
  const was = before ?? NO_PROGRESS
  const messages: Message[] = []
  const cached = without(after.cached, was.cached)
  if (before === undefined || cached.length > 0)
    messages.push({ type: 'execution_cached', data: { nodes: cached, prompt_id: promptId, timestamp: now } })
  const { node, step, steps } = after
  if (node !== undefined && node !== was.node) messages.push(executingMessage(promptId, node))
  const hasMoved = node !== was.node || step !== was.step
  if (node !== undefined && step !== undefined && steps !== undefined && hasMoved)
    messages.push({ type: 'progress', data: { value: step, max: steps, prompt_id: promptId, node } })
  if (hasMoved || without(after.done, was.done).length > 0)
    messages.push({ type: 'progress_state', data: { prompt_id: promptId, nodes: nodeStates(after, promptId) } })
  return messages
}

const without = (all: readonly string[], some: readonly string[]) => {
  const known = new Set(some)
  return all.filter((one) => !known.has(one))
}

function nodeStates({ node, step = 0, steps = 1, done }: Progress, promptId: string) {
  const stateOf = (id: string, state: 'running' | 'finished', value: number, max: number) => ({
    ...{ value, max, state, node_id: id, prompt_id: promptId },
    ...{ display_node_id: id, parent_node_id: null, real_node_id: id },
  })
  const states = done.map((id) => [id, stateOf(id, 'finished', 1, 1)] as const)
  const running = node === undefined ? [] : [[node, stateOf(node, 'running', step, steps)] as const]
  return Object.fromEntries([...states, ...running])
}

export type PromptEnd = {
  readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TIMED_OUT'
  readonly outputs: Readonly<Record<string, object>>
  readonly done: readonly string[]
  readonly error: PromptError
}

export type PromptError = {
  readonly message: string
  readonly node: string
  readonly nodeType: string
  readonly exceptionType: string
  readonly traceback: readonly string[]
}

/** The last message is `executing` without a node, which tells older clients that the prompt has ended. */
export function endMessages(promptId: string, end: PromptEnd, now: number): readonly Message[] {
  const last = executingMessage(promptId, null)
  if (end.status !== 'COMPLETED') return [failureMessage(promptId, end, now), last]
  const executed = Object.entries(end.outputs).map(([node, output]) => ({
    type: 'executed',
    data: { node, display_node: node, output, prompt_id: promptId },
  }))
  return [...executed, { type: 'execution_success', data: { prompt_id: promptId, timestamp: now } }, last]
}

function failureMessage(promptId: string, { status, done, error }: PromptEnd, now: number): Message {
  const place = { prompt_id: promptId, node_id: error.node, node_type: error.nodeType, executed: done }
  if (status === 'CANCELLED') return { type: 'execution_interrupted', data: { ...place, timestamp: now } }
  const exception = {
    exception_message: error.message,
    exception_type: error.exceptionType,
    traceback: error.traceback,
    current_inputs: {},
    current_outputs: {},
  }
  return { type: 'execution_error', data: { ...place, ...exception, timestamp: now } }
}

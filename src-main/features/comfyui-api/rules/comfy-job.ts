import type { JobState } from '../../../contract/job.ts'
import type { RunView } from '../../../contract/workflows.ts'
import type { Progress } from './messages.ts'

export const COMFY_STATES = ['queued', 'running', 'succeeded', 'canceling', 'canceled', 'failed', 'expired'] as const

export type ComfyState = (typeof COMFY_STATES)[number]

export const ENDED: ReadonlySet<ComfyState> = new Set(['succeeded', 'canceled', 'failed', 'expired'])

/**
 * A job ends with its results.
 * @param job state of the job; undefined if its record is gone
 */
export function comfyState(
  { status, executionMs }: Pick<RunView, 'status' | 'executionMs'>,
  job: JobState | undefined,
): ComfyState {
  if (status === 'IN_PROGRESS' && job === 'CANCELLED') return 'canceling'
  if (status === 'TIMED_OUT') return executionMs === undefined ? 'expired' : 'failed'
  return STATES[status]
}

const STATES = {
  IN_QUEUE: 'queued',
  IN_PROGRESS: 'running',
  COMPLETED: 'succeeded',
  FAILED: 'failed',
  CANCELLED: 'canceled',
} as const

export type GraphNodes = {
  readonly count: number
  /** By id; empty for a large graph. */
  readonly classes: ReadonlyMap<string, string>
}

export function comfyProgress({ node, step, steps, done, cached }: Progress, { count, classes }: GraphNodes) {
  const ended = new Set([...done, ...cached]).size
  const total = Math.max(count, ended)
  const part = step === undefined || steps === undefined || steps <= 0 ? 0 : step / steps
  const value = total === 0 ? 0 : Math.min(1, Math.max(0, (ended + part) / total))
  const className = node === undefined ? undefined : classes.get(node)
  const name = className ?? node
  return {
    ...{ value, nodes_done: ended, nodes_total: total },
    ...{ current_node: node ?? null, current_node_class: className ?? null },
    ...{ step: step ?? null, steps: steps ?? null },
    message: name === undefined || steps === undefined ? (name ?? null) : `${name} ${step ?? 0}/${steps}`,
  }
}

const TYPES: readonly (readonly [prefix: string, type: 'image' | 'video' | 'audio' | 'text'])[] = [
  ['image/', 'image'],
  ['video/', 'video'],
  ['audio/', 'audio'],
  ['text/', 'text'],
]

export const outputType = (mediaType: string) =>
  TYPES.find(([prefix]) => mediaType.startsWith(prefix))?.[1] ?? ('file' as const)

/** The id of a result as an asset: that of its job, and its number. */
export const resultId = (promptId: string, index: number): string => `${promptId}-${index}`

export function readResultId(id: string): { readonly promptId: string; readonly index: number } | undefined {
  const [, promptId, index] = /^(.{36,60})-(\d{1,4})$/.exec(id) ?? []
  return promptId === undefined || index === undefined ? undefined : { promptId, index: Number(index) }
}

import type { JobState } from '../../../contract/job.ts'
import type { RunView } from '../../../contract/workflows.ts'
import { endMessages, type PromptEnd } from './messages.ts'

export const STATES: Readonly<Record<JobState, string>> = {
  IN_QUEUE: 'pending',
  IN_PROGRESS: 'in_progress',
  COMPLETED: 'completed',
  FAILED: 'failed',
  TIMED_OUT: 'failed',
  CANCELLED: 'cancelled',
}

type Prompt = {
  readonly promptId: string
  /** Its number in the queue; undefined: not sent by a ComfyUI client. */
  readonly number: number | undefined
  readonly ended: { readonly end: PromptEnd; readonly endedAt: number } | undefined
}

export function jobView(run: RunView, { promptId, number, ended }: Prompt) {
  const { status, createdAt, endedAt, executionMs } = run
  const end = ended?.end
  const [failure] = ended === undefined ? [] : endMessages(promptId, ended.end, ended.endedAt)
  const outputs = Object.entries(end?.outputs ?? {})
  const [first] = outputs
  const preview =
    first && Object.entries(first[1]).map(([mediaType, files]) => ({ file: (files as object[])[0], mediaType }))[0]
  return {
    id: promptId,
    status: STATES[status],
    priority: number ?? 0,
    create_time: createdAt,
    ...(endedAt === undefined
      ? {}
      : { execution_start_time: endedAt - (executionMs ?? 0), execution_end_time: endedAt }),
    ...(preview === undefined
      ? {}
      : { preview_output: { ...preview.file, nodeId: first?.[0], mediaType: preview.mediaType } }),
    outputs_count: run.results.length + (run.previews?.length ?? 0),
    ...(end === undefined || STATES[status] !== 'failed' ? {} : { execution_error: failure?.data }),
  }
}

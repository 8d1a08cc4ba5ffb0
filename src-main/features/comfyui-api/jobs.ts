/** One list of waiting, running and ended prompts, as newer ComfyUI servers have it. */

import type { JobState } from '../../contract/job.ts'
import { limit } from '../../contract/limits.ts'
import type { RunView } from '../../contract/workflows.ts'
import type { Storage } from '../../storage/storage.ts'
import { promptOfJob, readEnd, runOfPrompt } from './prompts.ts'
import { extraData } from './rules/entries.ts'
import type { JobQuery } from './rules/job-query.ts'
import { endMessages } from './rules/messages.ts'

type Deps = { readonly storage: Storage }

const STATES: Readonly<Record<JobState, string>> = {
  IN_QUEUE: 'pending',
  IN_PROGRESS: 'in_progress',
  COMPLETED: 'completed',
  FAILED: 'failed',
  TIMED_OUT: 'failed',
  CANCELLED: 'cancelled',
}

export function listJobs({ storage }: Deps, endpointId: string, asked: JobQuery) {
  const { states, isByDuration, isAscending, limit: most, offset } = asked
  const read = { endpointId, limit: limit('comfyuiHistoryShown'), before: undefined }
  const found = storage.runs
    .list({ ...read, workflowId: undefined, sweepId: undefined, text: undefined })
    .filter(({ status }) => states.includes(STATES[status]))
  if (isByDuration) found.sort((a, b) => (b.executionMs ?? 0) - (a.executionMs ?? 0))
  if (isAscending) found.reverse()
  const shown = found.slice(offset, most === undefined ? undefined : offset + most)
  return {
    jobs: shown.map((run) => jobView(storage, run)),
    pagination: { offset, limit: most ?? null, total: found.length, has_more: offset + shown.length < found.length },
  }
}

/** @returns JSON; undefined if there is no such prompt */
export function readJob({ storage }: Deps, endpointId: string, promptId: string): string | undefined {
  const run = runOfPrompt({ storage }, endpointId, promptId)
  const prompt = run && storage.comfyuiPrompts.get(run.id)
  if (run === undefined || prompt === undefined) return undefined
  const end = readEnd({ storage }, prompt)?.end
  const view = { ...jobView(storage, run), outputs: end?.outputs ?? {} }
  const workflow = `{"prompt":${prompt.payload},"extra_data":${extraData({ ...prompt, promptId })}}`
  return `${JSON.stringify(view).slice(0, -1)},"workflow":${workflow}}`
}

function jobView(storage: Storage, run: RunView) {
  const { id, status, createdAt, endedAt, executionMs } = run
  const promptId = promptOfJob(id) ?? id
  const head = storage.comfyuiPrompts.head(id)
  const ended = head && readEnd({ storage }, head)
  const end = ended?.end
  const [failure] = ended === undefined ? [] : endMessages(promptId, ended.end, ended.endedAt)
  const outputs = Object.entries(end?.outputs ?? {})
  const [first] = outputs
  const preview =
    first && Object.entries(first[1]).map(([mediaType, files]) => ({ file: (files as object[])[0], mediaType }))[0]
  return {
    id: promptId,
    status: STATES[status],
    priority: head?.number ?? 0,
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

/** One list of waiting, running and ended prompts, as newer ComfyUI servers have it. */

import { limit } from '../../contract/limits.ts'
import type { RunView } from '../../contract/workflows.ts'
import type { Storage } from '../../storage/storage.ts'
import { promptOfJob, readEnd, runOfPrompt } from './prompts.ts'
import { extraData } from './rules/entries.ts'
import type { JobQuery } from './rules/job-query.ts'
import { JOB_STATES, jobView } from './rules/job-view.ts'

type Deps = { readonly storage: Storage }

export function listJobs({ storage }: Deps, endpointId: string, asked: JobQuery) {
  const { states, isByDuration, isAscending, limit: most, offset } = asked
  const read = { endpointId, limit: limit('comfyuiHistoryShown'), before: undefined }
  const found = storage.runs
    .list({ ...read, workflowId: undefined, sweepId: undefined, text: undefined })
    .filter(({ status }) => states.includes(JOB_STATES[status]))
  if (isByDuration) found.sort((a, b) => (b.executionMs ?? 0) - (a.executionMs ?? 0))
  if (isAscending) found.reverse()
  const shown = found.slice(offset, most === undefined ? undefined : offset + most)
  return {
    jobs: shown.map((run) => viewRun(storage, run)),
    pagination: { offset, limit: most ?? null, total: found.length, has_more: offset + shown.length < found.length },
  }
}

/** @returns JSON; undefined if there is no such prompt */
export function readJob({ storage }: Deps, endpointId: string, promptId: string): string | undefined {
  const run = runOfPrompt({ storage }, endpointId, promptId)
  const prompt = run && storage.comfyuiPrompts.get(run.id)
  if (run === undefined || prompt === undefined) return undefined
  const end = readEnd({ storage }, prompt)?.end
  const view = { ...viewRun(storage, run), outputs: end?.outputs ?? {} }
  const workflow = `{"prompt":${prompt.payload},"extra_data":${extraData({ ...prompt, promptId })}}`
  return `${JSON.stringify(view).slice(0, -1)},"workflow":${workflow}}`
}

function viewRun(storage: Storage, run: RunView) {
  const head = storage.comfyuiPrompts.head(run.id)
  const ended = head && readEnd({ storage }, head)
  return jobView(run, { promptId: promptOfJob(run.id) ?? run.id, number: head?.number, ended })
}

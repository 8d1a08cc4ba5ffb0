/** One list of waiting, running and ended prompts, as newer ComfyUI servers have it. */

import { JOB_STATES } from '../../contract/job.ts'
import { limit } from '../../contract/limits.ts'
import type { RunView } from '../../contract/workflows.ts'
import type { Storage } from '../../storage/storage.ts'
import { promptOfJob, readEnd, runOfPrompt } from './prompts.ts'
import { extraData } from './rules/entries.ts'
import type { JobQuery } from './rules/job-query.ts'
import { jobView, STATES } from './rules/job-view.ts'

type Deps = { readonly storage: Storage }

export function listJobs({ storage }: Deps, endpointId: string, asked: JobQuery) {
  const { limit: most, offset } = asked
  const states = JOB_STATES.filter((state) => asked.states.includes(STATES[state]))
  const shown = Math.min(most ?? Number.POSITIVE_INFINITY, limit('comfyuiHistoryShown'))
  const ids = storage.comfyuiPrompts.ids({ ...asked, endpointId, states, limit: shown })
  const total = storage.comfyuiPrompts.count({ endpointId, states })
  return {
    jobs: ids.flatMap((id) => {
      const run = storage.runs.get(id)
      return run === undefined ? [] : [viewRun(storage, run)]
    }),
    pagination: { offset, limit: most ?? null, total, has_more: offset + ids.length < total },
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

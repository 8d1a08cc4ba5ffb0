/** Jobs of Comfy API v2, which are prompts in another form. Source: docs/spec/comfyui.md, 11. */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { RunView } from '../../contract/workflows.ts'
import type { Storage } from '../../storage/storage.ts'
import type { RunDeps } from '../workflows/runs.ts'
import { cancelPrompt, jobOfPrompt, promptOfJob, runOfPrompt } from './prompts.ts'
import { type ComfyState, comfyState, type GraphNodes } from './rules/comfy-job.ts'
import { type ComfyJob, type ComfyPlace, viewComfyJob } from './view-comfy-job.ts'

type Deps = Pick<RunDeps, 'storage' | 'clock'>

export async function readComfyJob(deps: Deps, place: ComfyPlace, id: string, nodes?: GraphNodes) {
  return await viewComfyJob(deps, place, requireComfyRun(deps, place, id), nodes)
}

export function requireComfyRun({ storage }: Pick<Deps, 'storage'>, { endpointId }: ComfyPlace, id: string): RunView {
  const run = runOfPrompt({ storage }, endpointId, id)
  if (run === undefined) throw new AppError('JOB_NOT_FOUND', { jobId: id.slice(0, 100) })
  return run
}

export type AskedJobs = {
  readonly states: readonly ComfyState[] | undefined
  readonly limit: number
  readonly cursor: string | undefined
  readonly labels: Readonly<Record<string, string>>
}

/** Newest first. Looks through so many jobs at once; the next page continues there. */
export async function listComfyJobs(deps: Deps, place: ComfyPlace, asked: AskedJobs) {
  const { storage } = deps
  const { endpointId } = place
  const scanned = storage.runs.list({
    ...{ endpointId, workflowId: undefined, sweepId: undefined, text: undefined },
    before: asked.cursor === undefined ? undefined : requireComfyRun(deps, place, asked.cursor).id,
    limit: limit('comfyuiHistoryShown'),
  })
  const jobs: ComfyJob[] = []
  let last: RunView | undefined
  for (const run of scanned) {
    if (jobs.length >= asked.limit) break
    last = run
    const state = comfyState(run, storage.jobs.find(run.id)?.status)
    if (asked.states?.includes(state) === false || !hasLabels(storage, run.id, asked.labels)) continue
    jobs.push(await viewComfyJob(deps, place, run))
  }
  const isCut = last !== undefined && (last !== scanned.at(-1) || scanned.length === limit('comfyuiHistoryShown'))
  const next = last && isCut ? { next_cursor: promptOfJob(last.id) ?? last.id } : {}
  return { jobs, truncated: isCut && jobs.length < asked.limit, ...next }
}

function hasLabels({ comfyuiPrompts }: Storage, runId: string, asked: AskedJobs['labels']): boolean {
  const wanted = Object.entries(asked)
  if (wanted.length === 0) return true
  const labels: unknown = JSON.parse(comfyuiPrompts.metadataOf(runId) ?? 'null')
  const given = typeof labels === 'object' && labels !== null ? (labels as Readonly<Record<string, unknown>>) : {}
  return wanted.every(([name, value]) => Object.hasOwn(given, name) && given[name] === value)
}

export async function cancelComfyJob(deps: Deps, place: ComfyPlace, id: string) {
  await cancelPrompt(deps, requireComfyRun(deps, place, id).id)
  return await readComfyJob(deps, place, id)
}

export function comfyWorkflow({ storage }: Pick<Deps, 'storage'>, place: ComfyPlace, id: string): string {
  const payload = storage.runs.texts(requireComfyRun({ storage }, place, id).id)?.payload ?? '{}'
  return `{"workflow":${payload},"format":"api"}`
}

/** Whether the run is that of the prompt, and not an earlier one with the same idempotency key. */
export const isRunOf = (runId: string, promptId: string): boolean => runId === jobOfPrompt(promptId)

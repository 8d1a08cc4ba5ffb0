/** A job of Comfy API v2, as its clients see it. Source: docs/spec/comfyui.md, 11. */
import { limit } from '../../contract/limits.ts'
import type { RunView } from '../../contract/workflows.ts'
import { parseJson } from '../../lib/json/parse.ts'
import { isObject } from '../../lib/json/value.ts'
import type { Job, Storage } from '../../storage/storage.ts'
import { readJobError } from '../jobs/rules/read-error.ts'
import { readPayloadNodes } from '../workflows/rules/payload.ts'
import type { RunDeps } from '../workflows/runs.ts'
import { readJobProgress } from './progress.ts'
import { promptOfJob } from './prompts.ts'
import {
  type ComfyState,
  comfyProgress,
  comfyState,
  ENDED,
  type GraphNodes,
  outputType,
  resultId,
} from './rules/comfy-job.ts'

type Deps = Pick<RunDeps, 'storage' | 'clock'>

/** An endpoint, and the address of its API as its client knows it, without a slash at the end. */
export type ComfyPlace = { readonly endpointId: string; readonly base: string }

export type ComfyJob = Awaited<ReturnType<typeof viewComfyJob>>

export async function viewComfyJob(
  { storage, clock }: Deps,
  { base, endpointId }: ComfyPlace,
  run: RunView,
  nodes?: GraphNodes,
) {
  const job = storage.jobs.find(run.id)
  const id = promptOfJob(run.id) ?? run.id
  const status = comfyState(run, job?.status)
  const { endedAt, executionMs, createdAt } = run
  const startedAt = startOf(run, job, clock)
  const metadata = storage.comfyuiPrompts.metadataOf(run.id)
  const self = `${base}/jobs/${id}`
  return {
    ...{ id, status, created_at: timeOf(createdAt), started_at: timeOf(startedAt), completed_at: timeOf(endedAt) },
    expires_at: timeOf((endedAt ?? createdAt) + limit('runsKeptMs')),
    ...{
      create_time: timeOf(createdAt),
      update_time: timeOf(endedAt ?? startedAt ?? createdAt),
      deployment_id: endpointId,
    },
    queue_position: job?.status === 'IN_QUEUE' ? storage.jobs.waitingBefore(job, limit('queuePosition')) + 1 : null,
    progress: await progressOf(storage, run, { job, status, nodes }),
    outputs: run.results.map((_result, index) => outputView({ storage }, { base, run, index })),
    error: errorOf(run, { job, status }),
    metrics: {
      queue_ms: startedAt === undefined ? null : Math.max(0, Math.round(startedAt - createdAt)),
      execution_ms: executionMs === undefined ? null : Math.round(executionMs),
    },
    ...(metadata === undefined || metadata === null ? {} : { metadata: JSON.parse(metadata) as unknown }),
    ...(job === undefined ? {} : { priority: job.priority }),
    urls: { self, events: `${self}/events`, cancel: `${self}/cancel` },
  }
}

const timeOf = <At extends number | undefined>(at: At) =>
  (at === undefined ? null : new Date(at).toISOString()) as At extends number ? string : string | null

function startOf({ endedAt, executionMs }: RunView, job: Job | undefined, clock: Deps['clock']): number | undefined {
  if (endedAt !== undefined) return executionMs === undefined ? undefined : endedAt - executionMs
  return job?.status === 'IN_PROGRESS' && job.startedAt !== null
    ? clock.now() - (clock.steady() - job.startedAt)
    : undefined
}

type Now = { readonly job: Job | undefined; readonly status: ComfyState }

async function progressOf(
  storage: Storage,
  run: RunView,
  { job, status, nodes }: Now & { readonly nodes: GraphNodes | undefined },
) {
  if (status === 'queued' || ENDED.has(status)) return null
  const progress = await readJobProgress(storage, job)
  return progress === undefined ? null : comfyProgress(progress, nodes ?? nodesOf(storage, run.id))
}

export function nodesOf({ runs }: Pick<Storage, 'runs'>, runId: string): GraphNodes {
  const { payload = '{}' } = runs.texts(runId) ?? {}
  if (payload.length > limit('graphInTurnBytes')) return { count: payload.split(CLASS).length - 1, classes: new Map() }
  const graph = parseJson(payload)
  const nodes = isObject(graph) ? readPayloadNodes(graph) : []
  return { count: nodes.length, classes: new Map(nodes.map(({ id, classType }) => [id, classType])) }
}

const CLASS = '"class_type"'

function errorOf({ errors: [first = 'The job failed.'] }: RunView, { job, status }: Now) {
  if (status !== 'failed' && status !== 'expired') return null
  const read = job?.error == null ? { message: first } : readJobError(job.error)
  const { node, message, traceback } = { node: undefined, traceback: undefined, ...read }
  const ofRun = status === 'expired' || job?.status === 'TIMED_OUT' ? 'timed_out' : 'execution_error'
  return {
    code: node === undefined ? ofRun : 'node_execution_error',
    message: node?.reason ?? message,
    node_id: node?.node ?? null,
    class_type: node?.classType ?? null,
    traceback: traceback ?? null,
  }
}

type Result = { readonly base: string; readonly run: RunView; readonly index: number }

export function outputView({ storage }: Pick<Deps, 'storage'>, { base, run, index }: Result) {
  const { asset = '', filename = '', mediaType = '', node } = run.results[index] ?? {}
  const promptId = promptOfJob(run.id) ?? run.id
  const id = resultId(promptId, index)
  return {
    node_id: node ?? storage.comfyuiPrompts.head(run.id)?.outputs[0] ?? '',
    ...{ name: filename, type: outputType(mediaType), content_type: mediaType },
    size_bytes: storage.assets.get(asset)?.bytes ?? 0,
    ...{ id, hash: null, url: `${base}/assets/${id}/content` },
    url_expires_at: timeOf((run.endedAt ?? run.createdAt) + limit('runsKeptMs')),
    job_id: promptId,
  }
}

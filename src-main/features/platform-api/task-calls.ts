/**
 * Task calls of the platform's package, which polls every two seconds. Each is a durable job of the task's endpoint,
 * with log, deadline and waiting reason. Source: docs/spec/platform.md, 4.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { Clock, NewId } from '../../lib/clock.ts'
import type { Json, SentJson } from '../../lib/json/bytes.ts'
import { DAY_MS, SECOND_MS } from '../../lib/units.ts'
import type { Endpoint, Job, Storage, StoredTaskCall } from '../../storage/storage.ts'
import { cancelJob } from '../jobs/queue/change-job.ts'
import { submitJob } from '../jobs/queue/submit.ts'
import { errorText } from '../jobs/rules/read-error.ts'
import { isFinal } from '../jobs/rules/transitions.ts'
import { newSecretId } from '../keys/keys.ts'
import {
  createPlatformEndpoint,
  isTaskEndpoint,
  type PlatformEndpointDeps,
  updatePlatformEndpoint,
} from './endpoints.ts'
import { type LivePackagesDeps, withLivePackages } from './live-packages.ts'
import { executionTimeoutMs } from './rules/endpoint-settings.ts'
import { createOf, updateOf } from './rules/saved-endpoint.ts'
import { type TaskPod, taskEndpoint, tokenOf } from './rules/task-pod.ts'

type Deps = { readonly storage: Storage; readonly clock: Clock; readonly newId: NewId }

// A client silent for so long is gone. Source: ours, the retention of jobs.
const FORGET_AFTER_MS = 7 * DAY_MS

type TaskEndpoints = {
  last: Promise<unknown>
  /** Requested settings by endpoint id, so that repeated calls keep manual changes. */
  readonly asked: Map<string, string>
}

const endpointsOf = new WeakMap<Storage, TaskEndpoints>()

/**
 * @returns the call id, once its endpoint exists
 * @throws AppError CANNOT_APPLY if no task call or impossible; ENDPOINT_EXISTS
 */
export async function beginTaskCall(deps: PlatformEndpointDeps, pod: TaskPod): Promise<string> {
  const { storage, clock, newId } = deps
  const token = tokenOf(pod)
  if (token === undefined || token === '')
    throw new AppError('CANNOT_APPLY', {
      field: 'env',
      why: 'has no RUNPOD_TASK_TOKEN: of pods, only those of tasks run on this machine',
    })
  const endpoints = endpointsOf.get(storage) ?? { last: Promise.resolve(), asked: new Map() }
  endpointsOf.set(storage, endpoints)
  const turn = endpoints.last.then(() => endpointFor(deps, pod, endpoints.asked))
  endpoints.last = turn.catch(() => undefined)
  const endpoint = await turn
  const now = clock.now()
  const id = newSecretId(newId)
  await storage.write(() => {
    storage.platform.taskCalls.trim(now - FORGET_AFTER_MS)
    storage.platform.taskCalls.add({
      id,
      endpointId: endpoint.id,
      tokenHash: newId.hash(token),
      deadlineAt: undefined,
      createdAt: now,
    })
  })
  return id
}

async function endpointFor(deps: PlatformEndpointDeps, pod: TaskPod, asked: TaskEndpoints['asked']): Promise<Endpoint> {
  const input = taskEndpoint(pod, limit('taskCallsAtOnce'))
  const wanted = JSON.stringify(input)
  const found = deps.storage.endpoints.all().find(({ config }) => config.name === input.name)
  if (found !== undefined && asked.get(found.id) === wanted) return found
  const endpoint =
    found === undefined || !isTaskEndpoint(found.config)
      ? await createPlatformEndpoint(deps, createOf(input), { isTask: true })
      : await updatePlatformEndpoint(deps, found, updateOf(input))
  asked.set(endpoint.id, wanted)
  return endpoint
}

export function requireTaskCall(
  { storage, newId }: Pick<Deps, 'storage' | 'newId'>,
  id: string,
  token: string | undefined,
): StoredTaskCall {
  const call = findTaskCall(storage, id)
  if (call === undefined) throw new AppError('TASK_NOT_FOUND')
  if (token === undefined || !newId.sameHash(newId.hash(token), call.tokenHash)) throw new AppError('UNAUTHORIZED')
  return call
}

export const findTaskCall = ({ platform }: Pick<Storage, 'platform'>, id: string): StoredTaskCall | undefined =>
  platform.taskCalls.get(id)

/**
 * @param timeoutS seconds allowed from now
 * @throws AppError TASK_ALREADY_SENT, ENDPOINT_NOT_FOUND if deleted meanwhile, ENDPOINT_PAUSED
 */
export async function sendTaskRequest(
  deps: LivePackagesDeps,
  call: StoredTaskCall,
  { input, timeoutS }: { readonly input: Json; readonly timeoutS: number | undefined },
): Promise<void> {
  const { storage } = deps
  const found = storage.endpoints.get(call.endpointId)
  if (found === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: call.endpointId })
  if (jobOf(storage, call) !== undefined) throw new AppError('TASK_ALREADY_SENT')
  const endpoint = await withLivePackages(deps, found, input)
  const executionTimeout = executionTimeoutMs(Math.ceil((timeoutS ?? 0) * SECOND_MS))
  const request = { policy: { executionTimeout }, idempotencyKey: call.id }
  await submitJob(deps, endpoint, { kind: 'run', request, input, s3Config: undefined, waitMs: undefined })
  if (timeoutS !== undefined) await setTaskTimeout(deps, call, timeoutS)
}

export async function setTaskTimeout(
  { storage, clock }: Pick<Deps, 'storage' | 'clock'>,
  { id }: StoredTaskCall,
  timeoutS: number,
): Promise<void> {
  const at = clock.now() + Math.round(timeoutS * SECOND_MS)
  await storage.write(() => storage.platform.taskCalls.setDeadline({ id, at }))
}

export async function readTaskResult(
  deps: Pick<Deps, 'storage' | 'clock'>,
  call: StoredTaskCall,
): Promise<readonly SentJson[]> {
  const { storage, clock } = deps
  const job = jobOf(storage, call)
  if (job === undefined) return ['{"status":"IDLE"}']
  if (job.status === 'COMPLETED')
    return ['{"status":"DONE","response":', (await storage.jobs.openOutput(job)) ?? 'null', '}']
  if (isFinal(job.status)) return failed(job.error === null ? `it ended as ${job.status}` : errorText(job.error))
  if (call.deadlineAt === undefined || clock.now() < call.deadlineAt) return ['{"status":"RUNNING"}']
  await cancelIfOpen(deps, job)
  return failed(`the task did not finish in ${(call.deadlineAt - job.createdAt) / SECOND_MS} s`)
}

const failed = (error: string) => [JSON.stringify({ status: 'DONE', response: { success: false, error } })]

export const workerOfTaskCall = (storage: Pick<Storage, 'jobs'>, call: StoredTaskCall): string | undefined =>
  jobOf(storage, call)?.workerId ?? undefined

export async function endTaskCall(deps: Pick<Deps, 'storage' | 'clock'>, call: StoredTaskCall): Promise<void> {
  const { storage } = deps
  const job = jobOf(storage, call)
  if (job !== undefined && !isFinal(job.status)) await cancelIfOpen(deps, job)
  await storage.write(() => storage.platform.taskCalls.remove(call.id))
}

async function cancelIfOpen(deps: Pick<Deps, 'storage' | 'clock'>, job: Job): Promise<void> {
  await cancelJob(deps, job).catch((error: unknown) => {
    if (!(error instanceof AppError) || !/^(?:WRONG_STATE|JOB_NOT_FOUND)$/.test(error.code)) throw error
  })
}

const jobOf = ({ jobs }: Pick<Storage, 'jobs'>, { endpointId, id }: StoredTaskCall): Job | undefined =>
  jobs.findByIdempotencyKey(endpointId, id)

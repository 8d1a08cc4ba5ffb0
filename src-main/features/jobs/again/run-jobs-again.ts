/**
 * Runs ended jobs again as new jobs with the same input and policy, even expired ones; webhook and idempotency key are
 * dropped.
 */
import { AppError } from '../../../contract/errors.ts'
import { JOB_STATES } from '../../../contract/job.ts'
import type { BulkAction } from '../../../contract/job-routes.ts'
import type { Clock, NewId } from '../../../lib/clock.ts'
import type { BatchPlace, Job, Storage } from '../../../storage/storage.ts'
import { kindOf } from '../../endpoints/kinds/endpoint-kinds.ts'
import type { Models } from '../../models/models.ts'
import type { ReadsGraphs } from '../../workflows/ports/readers.ts'
import {
  type BulkResult,
  createReasonCounts,
  type JobSelection,
  moveJobs,
  selectedJobs,
  UNKNOWN_JOB,
} from '../queue/change-many-jobs.ts'
import { isFinal } from '../rules/transitions.ts'

export type ChangeDeps = ReadsGraphs & {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
  readonly models: Pick<Models, 'here'>
}

// Inputs of up to 20 MiB are held at once.
const BATCH = 10

/**
 * @param batch place of the new job
 * @throws AppError WRONG_STATE, ENDPOINT_NOT_FOUND, PAYLOAD_LOST, SECRET_LOST, and as submitting does
 */
export async function runJobAgain(deps: ChangeDeps, job: Job, batch?: BatchPlace): Promise<Job> {
  const { storage } = deps
  const { id, status, endpointId, executionTimeoutMs, ttlMs, lowPriority, priority } = job
  if (!isFinal(status)) {
    const allowed = JOB_STATES.filter(isFinal).join(', ')
    throw new AppError('WRONG_STATE', { jobId: id, status, operation: 'running it again', allowed })
  }
  const endpoint = storage.endpoints.get(endpointId)
  if (endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId })
  const found = await storage.jobs.readInput(job)
  if (found === undefined) throw new AppError('JOB_NOT_FOUND', { jobId: id })
  return kindOf(endpoint).submit(deps, endpoint, {
    kind: 'run',
    request: { policy: { executionTimeout: executionTimeoutMs, ttl: ttlMs, lowPriority: lowPriority === 1, priority } },
    input: found.input,
    ...{ s3Config: found.openS3Config(), secretInput: found.openSecretInput() },
    waitMs: undefined,
    batch,
  })
}

async function runJobsAgain(deps: ChangeDeps, selection: JobSelection): Promise<BulkResult> {
  const refused = createReasonCounts()
  let changed = 0
  for await (const { jobs, unknown } of selectedJobs(deps.storage, selection, { most: BATCH })) {
    refused.add(UNKNOWN_JOB, unknown)
    for (const result of await Promise.allSettled(jobs.map((job) => runJobAgain(deps, job)))) {
      if (result.status === 'fulfilled') changed += 1
      else refused.add(whyNotAgain(result.reason))
    }
  }
  return { changed, refused: refused.all() }
}

export function changeJobs(deps: ChangeDeps, action: BulkAction, selection: JobSelection): Promise<BulkResult> {
  return action === 'rerun' ? runJobsAgain(deps, selection) : moveJobs(deps, action, selection)
}

/**
 * Why a rerun failed, without the id, so that equal reasons are counted together.
 * @throws anything but an AppError
 */
export function whyNotAgain(error: unknown): string {
  if (!(error instanceof AppError)) throw error
  if (error.code === 'WRONG_STATE') return `${error.data.status}; only ended jobs can be run again`
  return error.code === 'PAYLOAD_LOST' ? 'its input was deleted' : error.message.replace(/\.$/, '')
}

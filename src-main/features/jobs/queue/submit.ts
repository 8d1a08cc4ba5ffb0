import { AppError } from '../../../contract/errors.ts'
import type { JobRequest } from '../../../contract/job.ts'
import { limit } from '../../../contract/limits.ts'
import { type Clock, momentOf, type NewId } from '../../../lib/clock.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import type { BatchPlace, DraftPlace, Endpoint, Job, Storage, StoredPayload } from '../../../storage/storage.ts'
import { jobId } from '../../endpoints/rules/ids.ts'
import type { TraceContext } from '../../monitoring/rules/trace-context.ts'
import { isEmptyInput } from '../rules/empty-input.ts'
import { retentionMs } from '../rules/job-record.ts'

export type Submission = {
  readonly kind: 'run' | 'runsync'
  readonly request: Pick<JobRequest, 'webhook' | 'policy' | 'idempotencyKey'>
  readonly input: Json
  readonly s3Config: string | undefined
  /** JSON of an object; only the worker sees its members, added to the input. */
  readonly secretInput?: string | undefined
  readonly trace?: TraceContext | undefined
  readonly waitMs: number | undefined
  readonly batch?: BatchPlace | undefined
  readonly draft?: DraftPlace | undefined
}

/**
 * Queues a job; resolves when durable.
 * @param withJob writes in the job's transaction
 * @returns the new job, or the first with the same idempotency key
 * @throws AppError ENDPOINT_PAUSED at maximum 0 workers, BAD_INPUT for a refused empty input, ENDPOINT_NOT_FOUND if
 * deleted meanwhile
 */
export async function submitJob(
  { storage, clock, newId }: { readonly storage: Storage; readonly clock: Clock; readonly newId: NewId },
  endpoint: Endpoint,
  { kind, request, input, s3Config, secretInput, waitMs, trace, batch, draft }: Submission,
  withJob: (job: Job) => void = () => undefined,
): Promise<Job> {
  // A finalized batch has passed this check.
  if (batch?.draftId === undefined) requireWorkers(endpoint)
  requireFields(endpoint, input)
  const { policy, webhook, idempotencyKey } = request
  const lowPriority = policy?.lowPriority ?? false
  const job = {
    id: batch?.draftId ?? jobId(kind, newId.uuid()),
    endpointId: endpoint.id,
    ...{ s3Config, secretInput },
    webhook: webhook || undefined,
    lowPriority,
    // Low priority never starts a worker, so it waits for main workers.
    pool: batch === undefined || lowPriority ? ('main' as const) : ('batch' as const),
    priority: policy?.priority ?? 0,
    executionTimeoutMs: policy?.executionTimeout ?? endpoint.config.executionTimeoutMs,
    ttlMs: policy?.ttl ?? limit('ttlDefaultMs'),
    retentionMs: retentionMs(kind, waitMs),
    idempotencyKey: idempotencyKey ?? undefined,
  }
  const insert = (stored: StoredPayload | DraftPlace) =>
    storage.write(() => {
      if (storage.endpoints.get(endpoint.id) === undefined)
        throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: endpoint.id })
      if (job.idempotencyKey !== undefined) {
        const first = storage.jobs.findByIdempotencyKey(endpoint.id, job.idempotencyKey)
        if (first !== undefined) return { stored: false, result: first }
      }
      if (batch !== undefined && !mayTake(storage, batch)) return { stored: false, result: jobAt(storage, batch) }
      const inserted = storage.jobs.insert({ ...job, input: stored }, momentOf(clock))
      if (trace !== undefined) storage.traces.save(inserted.seq, trace)
      if (batch !== undefined) storage.batches.place(inserted.seq, batch)
      withJob(inserted)
      return { stored: true, result: inserted }
    })
  const result = draft === undefined ? await storage.payloads.write(input, insert) : (await insert(draft)).result
  if (result === undefined) throw new AppError('BATCH_CLOSED', { batchId: '', why: 'is not finalized' })
  return result
}

export function requireWorkers({ id, config }: Endpoint): void {
  if (config.workersMax === 0)
    throw new AppError('ENDPOINT_PAUSED', { endpointId: id, why: 'has a maximum of 0 workers' })
}

export function requireFields({ config }: Endpoint, input: Json): void {
  if (config.emptyInput === 'refuse' && isEmptyInput(input))
    throw new AppError('BAD_INPUT', { why: '`input` has no fields, and the endpoint refuses such jobs (emptyInput)' })
}

// A request of a finalized batch becomes one job; a job that runs again takes the line of its predecessor.
function mayTake({ batches }: Storage, { batch, line, draftId, instead }: BatchPlace): boolean {
  if (draftId !== undefined) return batches.mayQueue(batch, line) !== undefined
  return batches.line(batch, line)?.seq === instead
}

function jobAt({ batches, jobs }: Storage, { batch, line }: BatchPlace): Job | undefined {
  const seq = batches.line(batch, line)?.seq ?? undefined
  return seq === undefined ? undefined : jobs.read(seq)
}

import { AppError } from '../../../contract/errors.ts'
import type { JobRequest } from '../../../contract/job.ts'
import { limit } from '../../../contract/limits.ts'
import type { Clock, NewId } from '../../../lib/clock.ts'
import { momentOf } from '../../../lib/clock.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import type { BatchPlace, Endpoint, Job, Storage } from '../../../storage/storage.ts'
import { jobId } from '../../endpoints/rules/ids.ts'
import type { TraceContext } from '../../monitoring/rules/trace-context.ts'
import { isEmptyInput } from '../rules/empty-input.ts'
import { retentionMs } from '../rules/job-record.ts'

export type Submission = {
  readonly kind: 'run' | 'runsync'
  readonly request: Pick<JobRequest, 'webhook' | 'policy' | 'idempotencyKey'>
  readonly input: Json
  readonly s3Config: string | undefined
  readonly trace?: TraceContext | undefined
  /** The wait requested by runsync, ms; undefined without one. */
  readonly waitMs: number | undefined
  readonly batch?: BatchPlace | undefined
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
  { kind, request, input, s3Config, waitMs, trace, batch }: Submission,
  withJob: (job: Job) => void = () => undefined,
): Promise<Job> {
  if (endpoint.config.workersMax === 0) {
    throw new AppError('ENDPOINT_PAUSED', { endpointId: endpoint.id, why: 'has a maximum of 0 workers' })
  }
  if (endpoint.config.emptyInput === 'refuse' && isEmptyInput(input)) {
    throw new AppError('BAD_INPUT', {
      why: '`input` has no fields, and the endpoint refuses such jobs (emptyInput)',
    })
  }
  const { policy, webhook, idempotencyKey } = request
  const job = {
    id: jobId(kind, newId.uuid()),
    endpointId: endpoint.id,
    s3Config,
    webhook: webhook || undefined,
    lowPriority: policy?.lowPriority ?? false,
    priority: policy?.priority ?? 0,
    executionTimeoutMs: policy?.executionTimeout ?? endpoint.config.executionTimeoutMs,
    ttlMs: policy?.ttl ?? limit('ttlDefaultMs'),
    retentionMs: retentionMs(kind, waitMs),
    idempotencyKey: idempotencyKey ?? undefined,
  }
  return storage.payloads.write(input, (stored) =>
    storage.write(() => {
      if (storage.endpoints.get(endpoint.id) === undefined)
        throw new AppError('ENDPOINT_NOT_FOUND', { endpointId: endpoint.id })
      if (job.idempotencyKey !== undefined) {
        const first = storage.jobs.findByIdempotencyKey(endpoint.id, job.idempotencyKey)
        if (first !== undefined) return { stored: false, result: first }
      }
      const there = batch === undefined ? undefined : jobAt(storage, batch)
      if (there !== undefined) return { stored: false, result: there }
      const inserted = storage.jobs.insert({ ...job, input: stored }, momentOf(clock))
      if (trace !== undefined) storage.traces.save(inserted.seq, trace)
      if (batch !== undefined) storage.batches.place(inserted.seq, batch)
      withJob(inserted)
      return { stored: true, result: inserted }
    }),
  )
}

function jobAt({ batches, jobs }: Storage, { batch, line, instead }: BatchPlace): Job | undefined {
  const seq = batches.line(batch, line)?.seq ?? undefined
  return seq === undefined || seq === instead ? undefined : jobs.read(seq)
}

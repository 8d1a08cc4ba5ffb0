import { AppError } from '../../../contract/errors.ts'
import { type JobRequest, jobRequest } from '../../../contract/job.ts'
import { limit } from '../../../contract/limits.ts'
import type { Bytes } from '../../../http/body-text.ts'
import { type JsonBody, parseJsonBody, readFields } from '../../../http/read-request.ts'
import type { ReadsJobs } from '../ports/readers.ts'
import type { Submission } from '../queue/submit.ts'

// If payloads are passed on, longer fields are empty.
const READ_FIELDS = ['webhook', 'policy', 'idempotencyKey']
const LONGEST_READ = 64 * 1024

export function submissionOf(
  { body, sent }: { readonly body: JobRequest; readonly sent: JsonBody },
  {
    kind,
    waitMs,
    header,
    trace,
  }: Pick<Submission, 'kind' | 'waitMs' | 'trace'> & { readonly header: string | undefined },
): Submission {
  if (header !== undefined && header.length > limit('idempotencyKeyLength')) {
    throw new AppError('BAD_FIELD', {
      field: 'Idempotency-Key',
      why: `must be at most ${limit('idempotencyKeyLength')} characters`,
    })
  }
  for (const field of READ_FIELDS)
    if ((sent.payload(field)?.length ?? 0) > LONGEST_READ)
      throw new AppError('BAD_FIELD', { field, why: `must be at most ${LONGEST_READ} bytes of JSON` })
  const request = { ...body, idempotencyKey: body.idempotencyKey ?? (header || undefined) }
  const s3Config = body.s3Config === undefined || body.s3Config === null ? undefined : sent.raw('s3Config')
  return { kind, request, input: sent.payload('input') ?? '{}', s3Config, waitMs, trace }
}

export async function readSubmission(service: ReadsJobs, bytes: Bytes): Promise<Submission> {
  const sent = await parseJsonBody(bytes, service, undefined)
  const body = readFields(jobRequest, sent)
  return submissionOf({ body, sent }, { kind: 'run', waitMs: undefined, header: undefined })
}

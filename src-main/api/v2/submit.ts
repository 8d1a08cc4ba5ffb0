import type { Context } from 'hono'
import { AppError } from '../../contract/errors.ts'
import { jobRequest } from '../../contract/job.ts'
import { limit } from '../../contract/limits.ts'
import type { Submission } from '../../services/queue/submit.ts'
import { fieldError } from '../error-response.ts'
import { foldedText } from '../fold-strings.ts'
import { type JsonBody, readJson } from '../read-body.ts'

/**
 * Reads and checks the body of run or runsync. The payloads stay as they came.
 * @throws AppError NOT_JSON, BAD_INPUT, BAD_FIELD, BODY_TOO_LARGE
 */
export async function readSubmission(
  c: Context,
  kind: 'run' | 'runsync',
  waitMs: number | undefined,
): Promise<Submission> {
  const body = await readJson(c, limit(kind === 'run' ? 'runBodyBytes' : 'runsyncBodyBytes'), kind, foldedText)
  return submissionOf(body, kind, waitMs, c.req.header('idempotency-key'))
}

/**
 * Checks a body of run or runsync that was read.
 * @param header the key of the request's header
 * @throws AppError BAD_FIELD
 */
export function submissionOf(
  body: JsonBody,
  kind: 'run' | 'runsync',
  waitMs: number | undefined,
  header: string | undefined,
): Submission {
  const parsed = jobRequest.safeParse(body.value)
  if (!parsed.success) throw fieldError(parsed.error)
  if (header !== undefined && header.length > limit('idempotencyKeyLength')) {
    throw new AppError('BAD_FIELD', {
      field: 'Idempotency-Key',
      why: `must be at most ${limit('idempotencyKeyLength')} characters`,
    })
  }
  const request = { ...parsed.data, idempotencyKey: parsed.data.idempotencyKey ?? (header || undefined) }
  const s3Config =
    parsed.data.s3Config === undefined || parsed.data.s3Config === null ? undefined : body.raw('s3Config')
  return { kind, request, input: body.payload('input') ?? '{}', s3Config, waitMs }
}

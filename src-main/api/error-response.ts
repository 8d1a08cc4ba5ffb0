import type { Context } from 'hono'
import { ZodError } from 'zod'
import { AppError, errorBody } from '../contract/errors.ts'
import { failureOfService, type OpenAiFailure } from '../domain/job/openai-error.ts'
import type { Log, NewId } from '../services/ports.ts'

/** Turns whatever was thrown into the JSON answer of contract/errors. No stack trace leaves the service. */
export function errorResponse(
  c: Context,
  error: unknown,
  { log, newId }: { readonly log: Log; readonly newId: NewId },
): Response {
  const known = error instanceof AppError ? error : undefined
  if (known !== undefined) return respond(c, known)
  if (error instanceof ZodError) return respond(c, fieldError(error))
  const requestId = newId.worker()
  log.error('request failed', { requestId, method: c.req.method, path: c.req.path, error })
  return respond(c, new AppError('INTERNAL', { requestId }))
}

/** The first fault that a schema found, as an error with the name of the field. */
export function fieldError(error: ZodError): AppError {
  const issue = error.issues[0]
  const field = issue?.path.join('.') ?? ''
  const why = issue?.message ?? 'is not valid'
  if (field === 'input') return new AppError('BAD_INPUT', { why: `\`input\` is missing or ${why}` })
  if (field === '') return new AppError('BAD_FIELD', { field: 'body', why })
  return new AppError('BAD_FIELD', { field, why: inWords(why) })
}

// What a schema says without words of its own.
function inWords(why: string): string {
  return why
    .replace(/^Invalid input: expected boolean, received .*$/, 'must be true or false')
    .replace(/^Invalid input: /, 'is wrong: ')
    .replace(/^Too big: expected number to be <=(\S+)$/, 'must be at most $1')
    .replace(/^Too small: expected number to be >=(\S+)$/, 'must be at least $1')
}

/** Path of the OpenAI path of an endpoint. */
const OPENAI_PATH = /^\/v2\/[^/]+\/openai\//

/** The answer to a request on the OpenAI path that failed, as OpenAI's clients understand it. */
export function openAiResponse(
  { status, error, retry }: OpenAiFailure,
  more: object = {},
  headers: object = {},
): Response {
  return Response.json(
    { ...more, error },
    { status, headers: { ...headers, ...(retry === undefined ? {} : { 'x-should-retry': String(retry) }) } },
  )
}

function respond(c: Context, error: AppError): Response {
  const body = errorBody(error)
  const retryAfter = error.data.seconds
  const headers = {
    ...(body.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  }
  if (OPENAI_PATH.test(c.req.path)) return openAiResponse(failureOfService(body), body, headers)
  return c.json(body, body.status as 400, headers)
}

import type { Context } from 'hono'
import { type core, ZodError } from 'zod'
import { AppError, type ErrorBody, errorBody } from '../contract/errors.ts'
import { isPlatformPath } from '../contract/platform-routes.ts'
import { failureOfService, type OpenAiFailure } from '../features/jobs/rules/openai-error.ts'
import type { Log, NewId } from '../lib/clock.ts'
import { keepEnds } from '../lib/text.ts'
import type { NodeBindings } from './node-bindings.ts'

/** Turns anything thrown into the JSON error of contract/errors. No stack trace leaves the service. */
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

export function statusOf(error: unknown): number {
  if (error instanceof AppError) return errorBody(error).status
  return error instanceof ZodError ? errorBody(fieldError(error)).status : errorBody(new AppError('INTERNAL')).status
}

export function fieldError(error: ZodError): AppError {
  const issue = error.issues[0]
  const field = issue?.path.join('.') ?? ''
  const why = issue === undefined ? 'is not valid' : messageOf(issue)
  if (field === 'input') return new AppError('BAD_INPUT', { why: `\`input\` ${why}` }, { cause: error })
  if (field === '') return new AppError('BAD_FIELD', { field: 'body', why }, { cause: error })
  return new AppError('BAD_FIELD', { field, why: reasonText(why) }, { cause: error })
}

// zod's own message for a record's invalid key does not say why.
function messageOf(issue: core.$ZodIssue): string {
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
}

function reasonText(why: string): string {
  return why
    .replace(/^Invalid input: expected boolean, received .*$/, 'must be true or false')
    .replace(/^Invalid input: expected number, received .*$/, 'must be a number')
    .replace(/^Too small: expected string to have >=1 characters$/, 'must not be empty')
    .replace(/^Invalid option: expected one of (.*)$/, (_all, values: string) => `must be one of ${plainList(values)}`)
    .replace(/^Invalid input: /, 'is wrong: ')
    .replace(/^Too big: expected number to be <=(\S+)$/, 'must be at most $1')
    .replace(/^Too small: expected number to be >=(\S+)$/, 'must be at least $1')
}

// A schema writes `"a"|"b"`.
const plainList = (values: string) => values.replaceAll('"', '').split('|').join(', ')

const OPENAI_PATH = /^\/v2\/[^/]+\/openai\//

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

const REASON_LENGTH = 200

/**
 * Puts the error in the status line, which Python, Go and JavaScript clients show. Source: RFC 9112, 4; only printable
 * ASCII is safe.
 */
function sayInStatusLine(c: Context, { title, detail }: ErrorBody): void {
  const outgoing = (c.env as NodeBindings | undefined)?.outgoing
  if (outgoing === undefined) return
  outgoing.statusMessage = keepEnds(`${title}: ${detail}`.replace(/[^ -~]/g, '?'), REASON_LENGTH, ' ... ')
}

function respond(c: Context, error: AppError): Response {
  const body = errorBody(error)
  sayInStatusLine(c, body)
  const retryAfter = error.data.seconds
  const headers = {
    ...(body.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  }
  if (OPENAI_PATH.test(c.req.path)) return openAiResponse(failureOfService(body), body, headers)
  if (isPlatformPath(c.req.path)) return problemResponse(error, body, headers)
  return c.json(body, body.status as 400, headers)
}

// More would not be read; a list of ten thousand wrong names is no help. Source: ours.
const MOST_PROBLEMS = 50

/** A problem document (RFC 9457) with a line per wrong field. `error` and `code` are as in all errors. */
function problemResponse(error: AppError, body: ErrorBody, headers: object): Response {
  const { cause } = error
  const issues = cause instanceof ZodError ? cause.issues : []
  const errors = issues.slice(0, MOST_PROBLEMS).map((issue) => {
    const field = issue.path.join('.')
    return field === '' ? messageOf(issue) : `${field}: ${reasonText(messageOf(issue))}`
  })
  const type = `urn:drydock:error:${body.code.toLowerCase().replaceAll('_', '-')}`
  return Response.json(
    { type, ...body, ...(errors.length === 0 ? {} : { errors }) },
    { status: body.status, headers: { ...headers, 'content-type': 'application/problem+json' } },
  )
}

/**
 * Clients retry 408, 409, 429 and 5xx unless `x-should-retry` says otherwise; a retry is a new job, so only failures
 * that may succeed, like a lost worker, are retried.
 */
import type { ErrorBody, ErrorCode } from '../../../contract/errors.ts'
import type { JobState } from '../../../contract/job.ts'
import { isRecord, plainJson } from '../../../lib/json/plain.ts'
import { cutText, rawFields } from '../../../lib/json/scan.ts'
import { lostWorkerText } from './lost-worker.ts'
import { readJobError } from './read-error.ts'

export type OpenAiError = {
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: string | number | null
}

export type OpenAiFailure = {
  readonly status: number
  readonly error: OpenAiError
  readonly retry: boolean | undefined
}

export function failureOfJob({
  id,
  status,
  error,
}: {
  readonly id: string
  readonly status: JobState
  readonly error: string | null
}): OpenAiFailure {
  const text = error ?? ''
  const given = givenError(readFields(text))
  if (given !== undefined) return given
  const message = text === '' ? `Job ${id} ended as ${status} before it gave an answer.` : messageOf(text)
  return failure(500, { message, code: JOB_FAILED }, lostWorkerText(text) === undefined ? false : undefined)
}

/** The failure in a worker's result, as some workers report it; undefined: any other result. */
export function failureOfOutput(output: unknown): OpenAiFailure | undefined {
  if (!isRecord(output)) return undefined
  return output.object === 'error' || isRecord(output.error) ? givenError(output) : undefined
}

export type OpenAiAnswer = {
  readonly failure: OpenAiFailure | undefined
  readonly json: string
  readonly event: string
}

/**
 * @param given valid JSON
 * @param from 'output' unwraps a list of one; a chunk is an object with its output
 */
export function readOpenAiAnswer(given: string, from: 'output' | 'chunk'): OpenAiAnswer {
  const sent = from === 'chunk' ? (rawFields(given, cutText(given))('output') ?? 'null') : given
  const whole: unknown = JSON.parse(sent)
  const isWrapped = from === 'output' && Array.isArray(whole) && whole.length === 1
  const json = isWrapped ? sent.trim().slice(1, -1) : sent
  const value: unknown = isWrapped ? whole[0] : whole
  const failure = failureOfOutput(value)
  if (failure !== undefined) return { failure, json, event: errorEvent(failure) }
  return { failure, json, event: typeof value === 'string' ? value : `data: ${json.replace(/[\r\n]+/g, ' ')}\n\n` }
}

export function unreadAnswer(problem: string): OpenAiAnswer {
  return failedAnswer({ message: `The answer of the worker cannot be read: ${problem}.`, code: JOB_FAILED })
}

export function missingAnswer({ id }: { readonly id: string }): OpenAiAnswer {
  const message = `Job ${id} completed without an answer: its handler yielded nothing.`
  return failedAnswer({ message, code: 'NO_OUTPUT' })
}

function failedAnswer(error: Parameters<typeof failure>[1]): OpenAiAnswer {
  const failed = failure(500, error, false)
  return { failure: failed, json: 'null', event: errorEvent(failed) }
}

export const errorEvent = ({ error }: OpenAiFailure): string => `data: ${JSON.stringify({ error })}\n\n`

export function failureOfService({ status, code, error }: ErrorBody): OpenAiFailure {
  return failure(status, { message: error, code }, NOT_AGAIN.has(code) ? false : undefined)
}

const JOB_FAILED = 'JOB_FAILED'

// A paused endpoint stays paused, and a slow job would be slow again.
const NOT_AGAIN: ReadonlySet<ErrorCode> = new Set(['ENDPOINT_PAUSED', 'WORKER_TOO_SLOW'])

/** Error types by status. Source: the Python client's classes, and types that vLLM sends. */
const STATUS_OF_TYPE: readonly (readonly [RegExp, number])[] = [
  [/^(BadRequest(Error)?|invalid_request_error)$/i, 400],
  [/^(Authentication|Unauthorized)(Error)?$|^authentication_error$/i, 401],
  [/^PermissionDenied(Error)?$|^permission_error$/i, 403],
  [/^NotFound(Error)?$|^not_found_error$/i, 404],
  [/^UnprocessableEntity(Error)?$/i, 422],
  [/^RateLimit(Error)?$|^rate_limit_error$/i, 429],
]

type Fields = Readonly<Record<string, unknown>>

function givenError(given: Fields | undefined): OpenAiFailure | undefined {
  let fields = given
  while (isRecord(fields?.error)) fields = fields.error
  if (fields === undefined) return undefined
  const { message, type, param, code } = fields
  if (typeof message !== 'string') return undefined
  const named = typeof type === 'string' ? STATUS_OF_TYPE.find(([names]) => names.test(type))?.[1] : undefined
  const status = [code, fields.status, fields.status_code].map(httpStatus).find((one) => one !== undefined) ?? named
  const parts = {
    message,
    ...(typeof type === 'string' ? { type } : {}),
    ...(typeof param === 'string' ? { param } : {}),
    code: typeof code === 'string' || typeof code === 'number' ? code : JOB_FAILED,
  }
  return failure(status ?? 500, parts, status === undefined ? false : undefined)
}

function httpStatus(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined
}

function failure(
  status: number,
  { message, type, param, code }: { message: string; type?: string; param?: string; code: string | number },
  retry: boolean | undefined,
): OpenAiFailure {
  return { status, error: { message, type: type ?? typeOf(status), param: param ?? null, code }, retry }
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'server_error'
}

const OF_GENERATOR = 'handler: '

// The public SDK writes JSON for exceptions, or for a generator a text with the traceback below.
function messageOf(text: string): string {
  const { message, type } = readJobError(text)
  if (type !== undefined) return `${type}: ${message}`
  const end = message.startsWith(OF_GENERATOR) ? message.indexOf('\ntraceback: ') : -1
  return end < 0 ? message : message.slice(OF_GENERATOR.length, end).trimEnd()
}

function readFields(text: string): Fields | undefined {
  return text.startsWith('{') ? [text, pythonAsJson(text)].map(plainJson).find(isRecord) : undefined
}

// An unterminated string runs to the end: retrying from each quote would take minutes.
const PYTHON_TOKEN = /'(?:[^'\\]|\\.)*(?:'|\\?$)|"(?:[^"\\]|\\.)*(?:"|\\?$)|\b(?:None|True|False)\b/gs
const PYTHON_NAMES: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false' }

/** Converts a Python dict as `str()` writes it, which the public SDK passes on for generators. */
function pythonAsJson(text: string): string {
  return text.replace(PYTHON_TOKEN, (token) => {
    const name = PYTHON_NAMES[token]
    if (name !== undefined) return name
    const inner = token.slice(1, -1).replace(/\\(x[0-9a-f]{2}|.)|"/gis, (all, escaped: string | undefined) => {
      if (escaped === undefined) return '\\"'
      if (escaped === "'") return "'"
      return escaped.length === 3 ? `\\u00${escaped.slice(1)}` : all
    })
    return `"${inner}"`
  })
}

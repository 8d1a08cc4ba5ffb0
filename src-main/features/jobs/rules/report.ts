import { limit } from '../../../contract/limits.ts'
import type { Json, JsonText } from '../../../lib/json/bytes.ts'
import { asText, isRecord } from '../../../lib/json/plain.ts'
import { rawFields } from '../../../lib/json/scan.ts'
import { shortError } from './read-error.ts'

/** An update that cannot be stored is dropped and must not change how the job ends. */
export type Report = KeptReport | { readonly kind: 'dropped'; readonly why: string }

export type KeptReport =
  | { readonly kind: 'progress'; readonly output: Json | undefined }
  | { readonly kind: 'complete'; readonly output: Json | undefined; readonly replaceWorker: boolean }
  | {
      readonly kind: 'fail'
      readonly error: string
      readonly output: Json | undefined
      readonly replaceWorker: boolean
    }

/**
 * Reads the body of job-done. Every report ends its job somehow; none is refused. Source: docs/spec/worker-protocol.md,
 * 2; docs/spec/job-api.md, 3.
 */
export function readReport(body: JsonText): Report {
  try {
    return read(body)
  } catch (error) {
    if (error instanceof RangeError) return failure('The worker sent an error that is nested too deeply.')
    throw error
  }
}

function read({ text, scanned, cut, whole }: JsonText): Report {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    const { message } = error as Error
    if (isUpdate(text)) return droppedUpdate(`it is not JSON: ${message}`)
    return failure(`The worker sent a result that is not JSON: ${message}.`)
  }
  if (!isRecord(parsed)) return failure('The worker sent a result that is not a JSON object.')
  if (whole !== undefined && holdsError(parsed)) parsed = JSON.parse(whole())
  const fields = parsed as Record<string, unknown>
  const output = rawFields(scanned, cut)('output')
  if (fields.status === 'IN_PROGRESS') return { kind: 'progress', output }
  const replaceWorker = fields.stopPod === true
  const error = errorText(fields.error)
  if (error !== undefined) return { kind: 'fail', error, output: meaningful(output), replaceWorker }
  const inner = innerError(fields.output)
  if (inner !== undefined) return { kind: 'fail', error: inner.error, output: inner.rest, replaceWorker }
  return { kind: 'complete', output, replaceWorker }
}

// All SDKs start an update like this; results have no status.
const UPDATE = /^\s*\{\s*"status"\s*:\s*"IN_PROGRESS"/

export function isUpdate(start: string): boolean {
  return UPDATE.test(start)
}

export function droppedUpdate(why: string): Report {
  return { kind: 'dropped', why: `A progress update of this job was dropped: ${why}.` }
}

function failure(error: string): Report {
  return { kind: 'fail', error, output: undefined, replaceWorker: false }
}

function holdsError(report: object): boolean {
  const output = 'output' in report ? report.output : undefined
  return 'error' in report || (typeof output === 'object' && output !== null && 'error' in output)
}

// The error is always a string on the wire. Handlers are Python, where an empty list or dict is no error.
function errorText(error: unknown): string | undefined {
  if (error === undefined || error === null || error === false || error === '' || error === 0) return undefined
  if (typeof error === 'object' && Object.keys(error).length === 0) return undefined
  return shortError(typeof error === 'string' ? error : JSON.stringify(error), limit('jobErrorLength'))
}

// The public SDK sends `output: {}` with an error if nothing else was returned.
function meaningful(output: Json | undefined): Json | undefined {
  return output === undefined || output === '{}' || output === 'null' ? undefined : output
}

// Some workers post {"output": {"error": ..., more}} instead of extracting the error.
function innerError(output: unknown): { error: string; rest: string | undefined } | undefined {
  if (!isRecord(output)) return undefined
  const { error, ...rest } = output
  const text = errorText(error)
  if (text === undefined) return undefined
  return { error: text, rest: Object.keys(rest).length === 0 ? undefined : JSON.stringify(rest) }
}

/** @param problem begins with its action, like `it took ...` */
export function unreadReport(problem: string): Report {
  return failure(`The result of the handler cannot be read: ${problem}. Return less, or upload it and return its URL.`)
}

export function tooLargeReport(limitText: string): Report {
  return failure(
    `The result of the handler exceeds the ${limitText} maximum. Return less, or upload it and return its URL.`,
  )
}

// A longer text is a preview, not a sentence.
const PROGRESS_MAX = 4000

/**
 * Reads `{"waiting": "..."}`, sent while the bridge's server does not answer. Source: ours, so that a start differs
 * from a hanging job.
 * @param progress JSON of the last report
 */
export function reportedWait(progress: string): string | undefined {
  if (progress.length > PROGRESS_MAX) return undefined
  const value: unknown = JSON.parse(progress)
  return isRecord(value) && value.waiting !== '' ? asText(value.waiting) : undefined
}

/** What a worker reports of a job: how it ended, or why it waits although a worker has it. */
import { limit } from '../../contract/limits.ts'
import type { Json, JsonText } from '../json/json.ts'
import { rawFields } from '../json/scan-json.ts'
import { shortError } from './read-error.ts'

/** The meaning of a worker's report. An update that cannot be kept is dropped: it must not change how the job ends. */
export type Report = KeptReport | { readonly kind: 'dropped'; readonly why: string }

/** A report that moves its job. */
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
 * Reads the body of job-done. Whatever a worker sends ends its job in some way: a report is never refused.
 * Source: docs/spec/worker-protocol.md, 2; docs/spec/job-api.md, 3.
 */
export function readReport(body: JsonText): Report {
  try {
    return read(body)
  } catch (error) {
    // An error that is an object is written as JSON again.
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
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return failure('The worker sent a result that is not a JSON object.')
  }
  if (whole !== undefined && holdsError(parsed)) parsed = JSON.parse(whole()) // it is read, and may be a long string
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

// All worker SDKs begin an update like this; a result has no status.
const UPDATE = /^\s*\{\s*"status"\s*:\s*"IN_PROGRESS"/

/** Whether a body of job-done that cannot be read is a progress update. @param start its first letters */
export function isUpdate(start: string): boolean {
  return UPDATE.test(start)
}

/** The report of an update that cannot be kept. */
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

// The error is always a string on the wire; an object becomes its JSON text. Handlers are Python, where an empty list
// or dict is no error either.
function errorText(error: unknown): string | undefined {
  if (error === undefined || error === null || error === false || error === '' || error === 0) return undefined
  if (typeof error === 'object' && Object.keys(error).length === 0) return undefined
  return shortError(typeof error === 'string' ? error : JSON.stringify(error), limit('jobErrorLength'))
}

// The public SDK sends `output: {}` beside an error when nothing else was returned.
function meaningful(output: Json | undefined): Json | undefined {
  return output === undefined || output === '{}' || output === 'null' ? undefined : output
}

// A worker that posts {"output": {"error": ..., more}} instead of taking the error out itself.
function innerError(output: unknown): { error: string; rest: string | undefined } | undefined {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return undefined
  const { error, ...rest } = output as Record<string, unknown>
  const text = errorText(error)
  if (text === undefined) return undefined
  return { error: text, rest: Object.keys(rest).length === 0 ? undefined : JSON.stringify(rest) }
}

/** The report that stands for a result that cannot be read. @param problem begins with what it did, like `it took ...` */
export function unreadReport(problem: string): Report {
  return failure(`The result of the handler cannot be read: ${problem}. Return less, or upload it and return its URL.`)
}

/** The report that stands for a result above the size limit. */
export function tooLargeReport(limitText: string): Report {
  return failure(
    `The result of the handler exceeds the ${limitText} maximum. Return less, or upload it and return its URL.`,
  )
}

// A sentence; a preview of a picture is longer, and is not read for it.
const PROGRESS_MAX = 4000

/**
 * Why a job that its worker has already taken waits all the same: the bridge reports it while the server that it calls
 * does not answer, as `{"waiting": "..."}`. Source: ours, so that a start of a minute can be told from a job that
 * hangs.
 * @param progress JSON of what the worker reported last
 * @returns undefined where it does not wait
 */
export function reportedWait(progress: string): string | undefined {
  if (progress.length > PROGRESS_MAX) return undefined
  const value: unknown = JSON.parse(progress)
  if (typeof value !== 'object' || value === null || !('waiting' in value)) return undefined
  return typeof value.waiting === 'string' && value.waiting !== '' ? value.waiting : undefined
}

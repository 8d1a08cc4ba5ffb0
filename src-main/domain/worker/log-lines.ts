/** Lines that workers print: read, given to jobs, looked at for results that were not sent, with secrets taken out. */

import { keepEnds } from '../text.ts'

/** A line of a worker as people read it. */
export type ReadableLine = { readonly jobId: string | undefined; readonly level: string; readonly line: string }

const CUT_MARK = ' … (cut) … '

/**
 * Reads one line that a worker printed. The public worker SDK and svc_worker print JSON with `requestId`, `message` and
 * `level`; anything else is a plain line.
 * @param maxLength longest line that is stored, in characters
 */
export function readLogLine(raw: string, maxLength: number): ReadableLine {
  const { jobId, level, line } = parse(raw)
  return {
    jobId,
    level,
    line: keepEnds(line, maxLength, CUT_MARK),
  }
}

// Of a line that is JSON, in characters. Source: ours, sixteen times the longest that is stored.
const PARSED_MAX = 256 * 1024

function parse(raw: string): ReadableLine {
  const plain = { jobId: undefined, level: 'INFO', line: raw }
  if (!raw.startsWith('{') || raw.length > PARSED_MAX) return plain
  try {
    const value: unknown = JSON.parse(raw)
    if (typeof value !== 'object' || value === null || !('message' in value) || typeof value.message !== 'string')
      return plain
    const jobId = 'requestId' in value && typeof value.requestId === 'string' ? value.requestId : undefined
    const level = 'level' in value && typeof value.level === 'string' ? value.level.toUpperCase() : 'INFO'
    return { jobId, level, line: value.message }
  } catch {
    return plain // a brace at the start is no promise of JSON
  }
}

/** When a worker ran a job, wall ms; `to` undefined: it still does. */
type JobSpan = { readonly jobId: string; readonly from: number; readonly to?: number | undefined }

/**
 * How late the engine may have noted a line, ms; source: ours. It reads a pipe as soon as something is in it, but on a
 * busy machine the result of a job can overtake the last line of it.
 */
const LATE_MS = 20

/**
 * The job that a line belongs to, by the time at which it was written: the one that ran then, else one that had just
 * ended. Undefined when none did or several at once: then nobody can say.
 * @param spans - what the worker ran lately, oldest first
 * @param at - when the line was written, wall ms
 */
export function jobAt(spans: readonly JobSpan[], at: number): string | undefined {
  const running = spans.filter(({ from, to }) => from <= at && (to === undefined || at <= to))
  if (running.length > 0) return running.length === 1 ? running[0]?.jobId : undefined
  return spans.findLast(({ to }) => to !== undefined && to < at && at - to <= LATE_MS)?.jobId
}

/**
 * What a line of the public SDK says about the result of a job; undefined: nothing. Source: observed, 1.7.11 to 1.12.
 */
type UnsentResult =
  /** The handler yielded a chunk, which is then sent. */
  | { readonly kind: 'yielded' }
  /** Something could not be written as JSON: the result, or progress or a chunk before it. */
  | { readonly kind: 'unsent'; readonly problem: string }
  /** The worker is done with the job. `problem`: it gave up on it, so that no result comes. */
  | { readonly kind: 'done'; readonly problem: string | undefined }

const UNSENT = /^Error while returning job result\. \| (.+)$/s
const GIVEN_UP = /^Error handling job: (.+)$/s
const FINISHED = 'Finished.'
const YIELDED = /^(?:Async )?Generator output: /
const NO_JSON = /^Object of type (\w+) is not JSON serializable$/

/** Reads a line that names its job. */
export function readUnsentResult(line: string): UnsentResult | undefined {
  if (YIELDED.test(line)) return { kind: 'yielded' }
  if (line === FINISHED) return { kind: 'done', problem: undefined }
  const unsent = UNSENT.exec(line)?.[1]
  if (unsent !== undefined) return { kind: 'unsent', problem: unsent.trim() }
  const givenUp = GIVEN_UP.exec(line)?.[1]
  return givenUp === undefined ? undefined : { kind: 'done', problem: givenUp.trim() }
}

/** The type that could not be sent, like `bytes`; else the whole problem. */
export function unsentKind(problem: string): string {
  return NO_JSON.exec(problem)?.[1] ?? problem
}

/** After this line the public SDK prints the exception of the job as JSON, without the id of the job. */
export const EXCEPTION_FOLLOWS = 'Captured Handler Exception'

// Shorter ones stand in every line by chance, and would make logs unreadable. Source: ours.
const SHORTEST = 6
const MASK = '***'

/**
 * What takes secrets out of a line. Of a value with several lines each line is one; the longest go first, so that one
 * which holds another leaves no rest.
 */
export function createMask(secrets: readonly string[]): (line: string) => string {
  const parts = [...new Set(secrets.flatMap((secret) => secret.split(/\r?\n/)).map((part) => part.trim()))]
  const hidden = parts.filter((part) => part.length >= SHORTEST).sort((a, b) => b.length - a.length)
  if (hidden.length === 0) return (line) => line
  return (line) => hidden.reduce((text, part) => text.replaceAll(part, MASK), line)
}

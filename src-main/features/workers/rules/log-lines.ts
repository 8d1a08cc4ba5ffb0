import { asText, isRecord, plainJson } from '../../../lib/json/plain.ts'
import { keepEnds } from '../../../lib/text.ts'

export type ReadableLine = { readonly jobId: string | undefined; readonly level: string; readonly line: string }

const CUT_MARK = ' … (cut) … '

/** The exception at the end of a traceback, as Python and Node print it. */
export const ERROR_LINE =
  /^(?:Uncaught )?[A-Za-z_][\w.]*(?:Error|Exception)(?: \[\w+\])?(?::|$)|^(?:Error|Exception)(?: \[\w+\])?:/

/**
 * Parses JSON with `requestId`, `message` and `level`, as the public SDK and svc_worker print, else a plain line.
 * @param maxLength characters stored
 */
export function readLogLine(raw: string, maxLength: number): ReadableLine {
  const { jobId, level, line } = parse(raw)
  return {
    jobId,
    level,
    line: keepEnds(line, maxLength, CUT_MARK),
  }
}

// Longest JSON line that is parsed, in characters. Source: ours, sixteen times the longest stored.
const PARSED_MAX = 256 * 1024

function parse(raw: string): ReadableLine {
  const plain = { jobId: undefined, level: ERROR_LINE.test(raw) ? 'ERROR' : 'INFO', line: raw }
  if (!raw.startsWith('{') || raw.length > PARSED_MAX) return plain
  const value = plainJson(raw)
  if (!isRecord(value) || typeof value.message !== 'string') return plain
  return { jobId: asText(value.requestId), level: asText(value.level)?.toUpperCase() ?? 'INFO', line: value.message }
}

/** Wall-clock ms; `to` undefined: still running. */
type JobSpan = { readonly jobId: string; readonly from: number; readonly to?: number | undefined }

/** Delay of a line's timestamp, ms; source: ours. On a busy machine a job's result can overtake its last line. */
const LATE_MS = 20

/**
 * Finds the job at that time, else one just ended; undefined if none or several.
 * @param spans oldest first
 * @param at wall-clock ms
 */
export function jobAt(spans: readonly JobSpan[], at: number): string | undefined {
  const running = spans.filter(({ from, to }) => from <= at && (to === undefined || at <= to))
  if (running.length > 0) return running.length === 1 ? running[0]?.jobId : undefined
  return spans.findLast(({ to }) => to !== undefined && to < at && at - to <= LATE_MS)?.jobId
}

/** A public SDK line about a result; undefined: none. Source: observed, 1.7.11 to 1.12. */
type UnsentResult =
  | { readonly kind: 'yielded' }
  /** The result, progress or a chunk was not valid JSON. */
  | { readonly kind: 'unsent'; readonly problem: string }
  /** The worker finished the job. `problem`: no result will come. */
  | { readonly kind: 'done'; readonly problem: string | undefined }

const UNSENT = /^Error while returning job result\. \| (.+)$/s
const GIVEN_UP = /^Error handling job: (.+)$/s
const FINISHED = 'Finished.'
const YIELDED = /^(?:Async )?Generator output: /
const NO_JSON = /^Object of type (\w+) is not JSON serializable$/

export function readUnsentResult(line: string): UnsentResult | undefined {
  if (YIELDED.test(line)) return { kind: 'yielded' }
  if (line === FINISHED) return { kind: 'done', problem: undefined }
  const unsent = UNSENT.exec(line)?.[1]
  if (unsent !== undefined) return { kind: 'unsent', problem: unsent.trim() }
  const givenUp = GIVEN_UP.exec(line)?.[1]
  return givenUp === undefined ? undefined : { kind: 'done', problem: givenUp.trim() }
}

/** Returns a type like `bytes`, else the whole problem. */
export function unsentKind(problem: string): string {
  return NO_JSON.exec(problem)?.[1] ?? problem
}

/** The public SDK then prints the job's exception as JSON, without the job id. */
export const EXCEPTION_FOLLOWS = 'Captured Handler Exception'

// Shorter values occur in any line by chance. Source: ours.
const SHORTEST = 6
const MASK = '***'

/** Multi-line values are masked per line, longest first, in case one contains another. */
export function createMask(secrets: readonly string[]): (line: string) => string {
  const parts = [...new Set(secrets.flatMap((secret) => secret.split(/\r?\n/)).map((part) => part.trim()))]
  const hidden = parts.filter((part) => part.length >= SHORTEST).sort((a, b) => b.length - a.length)
  if (hidden.length === 0) return (line) => line
  return (line) => hidden.reduce((text, part) => text.replaceAll(part, MASK), line)
}

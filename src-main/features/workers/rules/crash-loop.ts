import type { WorkerPool } from '../../../contract/endpoint.ts'
import { asText, isRecord, plainJson } from '../../../lib/json/plain.ts'
import { durationText, inSeconds, keepEnds, remainingSeconds } from '../../../lib/text.ts'
import { ERROR_LINE } from './log-lines.ts'
import { workerOf } from './pools.ts'

/** How a worker ended. Times are monotonic ms. Source: ours. */
export type WorkerExit = {
  readonly at: number
  readonly livedMs: number
  readonly becameReady: boolean
  readonly jobsDone: number
  readonly ordered: boolean
  readonly reason: string
  readonly code?: number | undefined
}

export type CrashLoop = {
  /** Earliest next start, steady ms; if it has passed, a try is due. */
  readonly backOffUntil: number
  readonly reason: string
  readonly count: number
  /** When the first of them started, or failed after it had done jobs, and when the last one ended, steady ms. */
  readonly since: number
  readonly lastAt: number
  readonly lastWords: string
  readonly needsChange: boolean
}

/**
 * A ready worker that ends sooner without a job has crashed, ms; source: ours, imports of large libraries take that
 * long.
 */
const SHORT_LIFE_MS = 20_000

/** Pause after the first crash, ms, doubled by each further one. Source: ours, a typing error is fixed in seconds. */
const FIRST_DELAY_MS = 1000

/** Longest pause, ms; source: ours, a person who fixed the cause waits for it. */
const MAX_DELAY_MS = 60_000

/** A crash this long before the next start, ms, is unrelated; source: ours: ten times the longest pause. */
const FORGET_MS = 10 * MAX_DELAY_MS

/** Crashes with the same last line that are no accident; source: ours: the third comes about 3 s after the first. */
const SAME_FAILURES = 3

/** Shell exit codes for a program that is not executable or not found. Source: POSIX, Shell Command Language 2.8.2. */
const NO_PROGRAM_CODES: readonly (number | undefined)[] = [126, 127]

const didWell = (exit: WorkerExit) => exit.jobsDone > 0 || (exit.becameReady && exit.livedMs >= SHORT_LIFE_MS)

const isCrash = (exit: WorkerExit) => !exit.becameReady || !didWell(exit)

/** Crashes since the last worker that did its duty, newest first; requested stops do not count. */
function latestCrashes(exits: readonly WorkerExit[], now: number): readonly WorkerExit[] {
  const crashes: WorkerExit[] = []
  // A program that was never ready will not recover by itself, however long ago it was tried.
  let nextStartedAt = exits.findLast(({ ordered }) => !ordered)?.becameReady === false ? Number.NEGATIVE_INFINITY : now
  for (const exit of exits.toReversed()) {
    if (exit.ordered) {
      if (didWell(exit)) break
      continue
    }
    if (!isCrash(exit) || nextStartedAt - exit.at > FORGET_MS) break
    crashes.push(exit)
    nextStartedAt = exit.at - exit.livedMs
  }
  return crashes
}

/**
 * Delays the next start: 1 s after the first crash, then 2 s, 4 s ... 60 s. Source: ours, against endless failing
 * starts.
 * @param exits of the workers of one pool
 * @param now monotonic ms
 * @returns undefined if the last worker did not crash
 */
export function evaluateCrashLoop(
  exits: readonly WorkerExit[],
  now: number,
  pool: WorkerPool = 'main',
): CrashLoop | undefined {
  const crashes = latestCrashes(exits, now)
  const last = crashes[0]
  const first = crashes.at(-1)
  if (last === undefined || first === undefined) return undefined
  const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (crashes.length - 1))
  const before = failedBefore(exits, first)
  const count = crashes.length + (before === undefined ? 0 : 1)
  const since = before?.at ?? first.at - first.livedMs
  // It may have failed before it ran: without its image, say.
  const happened =
    count === 1
      ? `failed ${inSeconds(last.livedMs)} after its start`
      : `failed ${count} times within ${spanOf(last.at - since)}`
  return {
    backOffUntil: last.at + delayMs,
    reason: `${workerOf(pool)} ${happened}: ${last.reason}`,
    count,
    since,
    lastAt: last.at,
    lastWords: last.reason,
    needsChange: willFailAgain(crashes),
  }
}

/** It did its duty and failed then: it counts, and delays nothing. */
function failedBefore(exits: readonly WorkerExit[], first: WorkerExit): WorkerExit | undefined {
  const before = exits[exits.indexOf(first) - 1]
  if (before === undefined || before.ordered || before.code === 0) return undefined
  const pauseMs = first.at - first.livedMs - before.at
  return didWell(before) && pauseMs <= FORGET_MS ? before : undefined
}

/** Whether the next try is hopeless: the program is missing, or its start fails as before. */
function willFailAgain(crashes: readonly WorkerExit[]): boolean {
  const latest = crashes.slice(0, SAME_FAILURES)
  if (latest.some(({ becameReady }) => becameReady)) return false
  if (NO_PROGRAM_CODES.includes(latest[0]?.code)) return true
  return latest.length === SAME_FAILURES && new Set(latest.map(({ reason }) => withoutNumbers(reason))).size === 1
}

// Ports, process ids and memory addresses vary between tries.
const withoutNumbers = (text: string) => text.replace(/\d[\da-fx]*/gi, '0')

// Above this minutes are easier to read than seconds, ms; source: ours.
const MINUTES_FROM_MS = 120_000

function spanOf(ms: number): string {
  return ms < MINUTES_FROM_MS ? remainingSeconds(ms) : durationText(Math.ceil(ms / 60_000) * 60_000)
}

type ProcessExit = { readonly code?: number | undefined; readonly signal?: string | undefined }

/** Most characters; source: ours, because the line is part of a sentence. */
const MAX_LENGTH = 300

// The code of programs that report their failure themselves.
const FAILED = 1

/** Lines searched; source: ours: three long tracebacks; all 50,000 would take time. */
const LINES_READ = 300

const TRACEBACK = /^Traceback \(most recent call last\)/

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*[A-Za-z]`, 'g')

// Our worker's report of a failed job, which it survives. Source: svc_worker/_run_job.py
const FAILED_JOB = /^job failed\n/

// The public SDK prints an uncaught exception as a Python list of traceback lines, cut in the middle above 4096
// characters. Source: observed, 1.12.
const UNCAUGHT = /^Uncaught exception \| \[/
const SDK_CUT = /\n\.\.\.TRUNCATED \d+ CHARACTERS\.\.\.\n/
const ITEM = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/gs
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' }

function listedLines(message: string): string {
  const items = message.replace(SDK_CUT, '').matchAll(ITEM)
  const text = [...items].map(([, single, double]) => single ?? double ?? '').join('')
  return text === '' ? message : text.replace(/\\(.)/gs, (_, letter: string) => ESCAPES[letter] ?? letter)
}

function unwrap(line: string): readonly string[] {
  const own = line.split(/\r?\n/)
  if (!line.trimStart().startsWith('{')) return own
  const read = plainJson(line)
  const message = isRecord(read) ? asText(read.message) : undefined
  if (message === undefined) return own
  if (FAILED_JOB.test(message)) return []
  return (UNCAUGHT.test(message) ? listedLines(message) : message).split(/\r?\n/)
}

/** Index of the exception line of the last traceback, or -1; the name can be anything. */
function tracebackEnd(lines: readonly string[]): number {
  const start = lines.findLastIndex((line) => TRACEBACK.test(line))
  return start < 0 ? -1 : lines.findIndex((line, at) => at > start && /^\S/.test(line))
}

// Syntax errors need the file and line, up to four lines above.
const SYNTAX_ERROR = /^(?:SyntaxError|IndentationError|TabError): /
const LOCATION = /^\s+File "(?:[^"]*\/)?([^"/]+)", line (\d+)$/
const LOCATION_LINES_ABOVE = 4

function withLocation(lines: readonly string[], at: number): string {
  const text = lines[at] ?? ''
  if (!SYNTAX_ERROR.test(text)) return text
  const above = lines.slice(Math.max(0, at - LOCATION_LINES_ABOVE), at).findLast((line) => LOCATION.test(line))
  const [, file, line] = LOCATION.exec(above ?? '') ?? []
  return file === undefined ? text : `${text} (${file}, line ${line})`
}

export function exitStatus({ code, signal }: ProcessExit): string | undefined {
  if (signal !== undefined) return `killed by ${signal}`
  return code === undefined ? undefined : `exit code ${code}`
}

/**
 * Finds the exit reason: the last exception, with location for syntax errors, else exit status and last line. Source:
 * ours.
 * @param lines oldest first; JSON lines by their `message`
 * @returns one line, at most 300 characters
 */
export function lastLine(lines: readonly string[], exit: ProcessExit): string {
  const read = lines
    .slice(-LINES_READ)
    .flatMap(unwrap)
    .map((line) => line.replace(COLOURS, '').trimEnd())
  const error = Math.max(
    tracebackEnd(read),
    read.findLastIndex((line) => ERROR_LINE.test(line)),
  )
  if (error >= 0) return keepEnds(withLocation(read, error), MAX_LENGTH)
  const last = read.findLast((line) => line !== '')?.trim()
  const how = exitStatus(exit)
  if (how === undefined) return keepEnds(last ?? 'ended without output', MAX_LENGTH)
  // A program that exits with the usual code has printed why.
  if (last !== undefined && exit.signal === undefined && exit.code === FAILED) return keepEnds(last, MAX_LENGTH)
  if (last !== undefined) return keepEnds(`${how}, after: ${last}`, MAX_LENGTH)
  return exit.code === 0 ? `${how} and no output: a worker's program has to run until it is stopped` : how
}

/** How workers end by themselves: their last output, whether that was a crash, and how long the next start waits. */
import { durationText, inSeconds, keepEnds, remainingSeconds } from '../text.ts'

/** How a worker of an endpoint ended. Times are steady ms. Source: ours. */
export type WorkerExit = {
  readonly at: number
  readonly livedMs: number
  /** Whether it ever asked for a job. */
  readonly becameReady: boolean
  readonly jobsDone: number
  /** Whether we asked it to leave, for no failure of its own. */
  readonly ordered: boolean
  /** The line of its output that says why, as `lastWords` finds it. */
  readonly reason: string
  /** Exit code of its process, if it has one. */
  readonly code?: number | undefined
}

/** The verdict on an endpoint whose workers end by themselves. Source: ours. */
export type CrashLoop = {
  /** No worker starts before this time, steady ms; it may be over, then the next try is on. */
  readonly backOffUntil: number
  /** What a person reads. */
  readonly reason: string
  /** How many workers crashed in a row. */
  readonly count: number
  /** When the first of them started, or failed after it had done jobs, and when the last one ended, steady ms. */
  readonly since: number
  readonly lastAt: number
  /** That line of the last one. */
  readonly lastWords: string
  /** Whether the next try will fail as well, as far as anybody can tell: somebody has to change something. */
  readonly needsChange: boolean
}

/**
 * A ready worker that ends before this, ms, and did no job has crashed; source: ours, because imports of large
 * libraries take that long.
 */
const SHORT_LIFE_MS = 20_000

/**
 * Pause after the first crash, ms; each further one doubles it. Source: ours, because a typing error is mended in
 * seconds.
 */
const FIRST_DELAY_MS = 1000

/** Longest pause, ms; source: ours, because a person who has mended the cause waits for it. */
const MAX_DELAY_MS = 60_000

/** A crash this long before the next start, ms, is another story; source: ours: ten times the longest pause. */
const FORGET_MS = 10 * MAX_DELAY_MS

/**
 * So many crashes with the same last line are no accident; source: ours: the third one comes about 3 s after the first.
 */
const SAME_FAILURES = 3

/**
 * Exit codes of a shell that cannot run the program: not executable, not found. Source: POSIX, Shell Command Language
 * 2.8.2.
 */
const NO_PROGRAM_CODES: readonly (number | undefined)[] = [126, 127]

const didWell = (exit: WorkerExit) => exit.jobsDone > 0 || (exit.becameReady && exit.livedMs >= SHORT_LIFE_MS)

const isCrash = (exit: WorkerExit) => !exit.becameReady || !didWell(exit)

/**
 * The crashes since the last worker that did its duty, newest first. Exits on our order tell nothing about the program.
 */
function latestCrashes(exits: readonly WorkerExit[], now: number): readonly WorkerExit[] {
  const crashes: WorkerExit[] = []
  // A program that never got ready will not do so by itself, however long ago it was tried.
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
 * Evaluates whether the workers of an endpoint crash, and until when the next start has to wait: 1 s after the first
 * crash, then 2 s, 4 s ... 60 s. Source: ours, because a start that fails at once would otherwise be repeated without
 * end.
 * @param exits - how its recent workers ended, newest last; a few dozen are enough
 * @param now - steady ms
 * @returns undefined if its last worker did not crash
 */
export function evaluateCrashLoop(exits: readonly WorkerExit[], now: number): CrashLoop | undefined {
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
    reason: `worker ${happened}: ${last.reason}`,
    count,
    since,
    lastAt: last.at,
    lastWords: last.reason,
    needsChange: willFailAgain(crashes),
  }
}

/** The worker before the first crash, if it did its duty and failed then: it counts, and delays nothing. */
function failedBefore(exits: readonly WorkerExit[], first: WorkerExit): WorkerExit | undefined {
  const before = exits[exits.indexOf(first) - 1]
  if (before === undefined || before.ordered || before.code === 0) return undefined
  const pauseMs = first.at - first.livedMs - before.at
  return didWell(before) && pauseMs <= FORGET_MS ? before : undefined
}

/**
 * Whether the latest crashes, newest first, leave no hope: the program is not there, or it fails at its start as
 * before.
 */
function willFailAgain(crashes: readonly WorkerExit[]): boolean {
  const latest = crashes.slice(0, SAME_FAILURES)
  if (latest.some(({ becameReady }) => becameReady)) return false
  if (NO_PROGRAM_CODES.includes(latest[0]?.code)) return true
  return latest.length === SAME_FAILURES && new Set(latest.map(({ reason }) => withoutNumbers(reason))).size === 1
}

// Ports, process ids and addresses in memory differ from try to try.
const withoutNumbers = (text: string) => text.replace(/\d[\da-fx]*/gi, '0')

// From here on minutes are read at a glance and seconds are not, ms; source: ours.
const MINUTES_FROM_MS = 120_000

function spanOf(ms: number): string {
  return ms < MINUTES_FROM_MS ? remainingSeconds(ms) : durationText(Math.ceil(ms / 60_000) * 60_000)
}

/** How a process ended; neither field is set if nobody knows. */
type ProcessExit = { readonly code?: number | undefined; readonly signal?: string | undefined }

/** Most characters of that line; source: ours, because they stand inside a sentence. */
const MAX_LENGTH = 300

// The code of a program that reports its failure itself.
const FAILED = 1

/** How many of the last lines are read; source: ours: three long tracebacks, and to read all 50,000 would cost time. */
const LINES_READ = 300

/** A line such as `ModuleNotFoundError: ...`, `torch.cuda.OutOfMemoryError: ...`, `Error [ERR_X]: ...`. */
const ERROR_LINE = /^(?:Uncaught )?[A-Za-z_][\w.]*(?:Error|Exception)(?: \[\w+\])?(?::|$)|^Error(?: \[\w+\])?:/

const TRACEBACK = /^Traceback \(most recent call last\)/

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*[A-Za-z]`, 'g')

// How our worker reports a job that failed, after which it lives on: not why it ended. Source: svc_worker/_run_job.py
const FAILED_JOB = /^job failed\n/

// The public SDK prints an uncaught exception as a Python list of the lines of its traceback, cut in the middle above
// 4096 letters. Source: observed, 1.12.
const UNCAUGHT = /^Uncaught exception \| \[/
const SDK_CUT = /\n\.\.\.TRUNCATED \d+ CHARACTERS\.\.\.\n/
const ITEM = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/gs
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' }

function listedLines(message: string): string {
  const items = message.replace(SDK_CUT, '').matchAll(ITEM)
  const text = [...items].map(([, single, double]) => single ?? double ?? '').join('')
  return text === '' ? message : text.replace(/\\(.)/gs, (_, letter: string) => ESCAPES[letter] ?? letter)
}

/** The lines inside a log line: those of its `message` if it is a JSON object with one, else itself. */
function unwrap(line: string): readonly string[] {
  const own = line.split(/\r?\n/)
  if (!line.trimStart().startsWith('{')) return own
  try {
    const { message } = JSON.parse(line)
    if (typeof message !== 'string') return own
    if (FAILED_JOB.test(message)) return []
    return (UNCAUGHT.test(message) ? listedLines(message) : message).split(/\r?\n/)
  } catch {
    return own // a brace at the start is no promise of JSON
  }
}

/** Index of the line that names the exception of the last traceback, -1 without one; it may be of any name. */
function tracebackEnd(lines: readonly string[]): number {
  const start = lines.findLastIndex((line) => TRACEBACK.test(line))
  return start < 0 ? -1 : lines.findIndex((line, at) => at > start && /^\S/.test(line))
}

// What Python finds wrong with a source says nothing without file and line, which stand up to four lines above it.
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

/**
 * The line that tells a person why a worker ended: the last exception it printed, with file and line where its source
 * could not be read, else how it ended and its last line. Source: ours, because that is the line a person looks for
 * in the log.
 * @param lines - the last lines of its output, oldest first; JSON log lines are read by their `message`
 * @param exit - its exit code or the signal that killed it
 * @returns at most 300 characters, on one line
 * @example lastWords(['Traceback (most recent call last):', ' File "a.py", line 1', 'KeyError: 1', ''], { code: 1 }) //
 * 'KeyError: 1'
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
  const ended = exit.code === undefined ? undefined : `exit code ${exit.code}`
  const how = exit.signal === undefined ? ended : `killed by ${exit.signal}`
  if (how === undefined) return keepEnds(last ?? 'ended without output', MAX_LENGTH)
  // A program that fails with the usual code has printed why.
  if (last !== undefined && exit.signal === undefined && exit.code === FAILED) return keepEnds(last, MAX_LENGTH)
  return keepEnds(last === undefined ? how : `${how}, after: ${last}`, MAX_LENGTH)
}

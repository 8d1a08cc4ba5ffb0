/** How a process ended; neither field is set if nobody knows. */
export type ProcessExit = { readonly code?: number | undefined; readonly signal?: string | undefined }

/** Longest last words, characters; source: ours, because they stand inside a sentence. */
const MAX_LENGTH = 300

/** How many of the last lines are read; source: ours: three long tracebacks, and 50,000 kept lines cost nothing. */
const LINES_READ = 300

/** A line such as `ModuleNotFoundError: ...`, `torch.cuda.OutOfMemoryError: ...`, `Error [ERR_X]: ...`. */
const ERROR_LINE = /^(?:Uncaught )?[A-Za-z_][\w.]*(?:Error|Exception)(?: \[\w+\])?(?::|$)|^Error(?: \[\w+\])?:/

const TRACEBACK = /^Traceback \(most recent call last\)/

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*[A-Za-z]`, 'g')

// How our worker tells of a job that failed, after which it lives on: not why it ended. Source: svc_worker/_run_job.py
const FAILED_JOB = /^job failed\n/

/** The lines inside a log line: those of its `message` if it is a JSON object with one, else itself. */
function unwrap(line: string): readonly string[] {
  const own = line.split(/\r?\n/)
  if (!line.trimStart().startsWith('{')) return own
  try {
    const { message } = JSON.parse(line)
    if (typeof message !== 'string') return own
    return FAILED_JOB.test(message) ? [] : message.split(/\r?\n/)
  } catch {
    return own // a brace at the start is no promise of JSON
  }
}

/** Index of the line that names the exception of the last traceback, -1 without one; it may be of any name. */
function tracebackEnd(lines: readonly string[]): number {
  const start = lines.findLastIndex((line) => TRACEBACK.test(line))
  return start < 0 ? -1 : lines.findIndex((line, at) => at > start && /^\S/.test(line))
}

// What Python finds wrong with a source says nothing without its place, which stands up to four lines above it.
const SYNTAX_ERROR = /^(?:SyntaxError|IndentationError|TabError): /
const PLACE = /^\s+File "(?:[^"]*\/)?([^"/]+)", line (\d+)$/
const PLACE_LINES_ABOVE = 4

function withPlace(lines: readonly string[], at: number): string {
  const text = lines[at] ?? ''
  if (!SYNTAX_ERROR.test(text)) return text
  const above = lines.slice(Math.max(0, at - PLACE_LINES_ABOVE), at).findLast((line) => PLACE.test(line))
  const [, file, line] = PLACE.exec(above ?? '') ?? []
  return file === undefined ? text : `${text} (${file}, line ${line})`
}

function shorten(text: string): string {
  if (text.length <= MAX_LENGTH) return text
  // A cut pair of code units would be no character.
  return `${text.slice(0, MAX_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/**
 * The words that tell a person why a worker ended: the last exception it printed, with its place where its source could not
 * be read, else its last line, else how it ended.
 * Source: ours, because that is the line a person looks for in the log.
 * @param lines - the last lines of its output, oldest first; JSON log lines are read by their `message`
 * @param exit - its exit code or the signal that killed it
 * @returns at most 300 characters, on one line
 * @example lastWords(['Traceback (most recent call last):', '  File "a.py", line 1', 'KeyError: 1', ''], { code: 1 }) // 'KeyError: 1'
 */
export function lastWords(lines: readonly string[], exit: ProcessExit): string {
  const read = lines
    .slice(-LINES_READ)
    .flatMap(unwrap)
    .map((line) => line.replace(COLOURS, '').trimEnd())
  const error = Math.max(
    tracebackEnd(read),
    read.findLastIndex((line) => ERROR_LINE.test(line)),
  )
  if (error >= 0) return shorten(withPlace(read, error))
  const last = read.findLast((line) => line !== '')?.trim()
  // Who is killed has no time to say why: the signal comes first.
  if (exit.signal !== undefined)
    return shorten(`killed by ${exit.signal}${last === undefined ? '' : `, after: ${last}`}`)
  if (last !== undefined) return shorten(last)
  return exit.code === undefined ? 'ended without a word' : `exit code ${exit.code}`
}

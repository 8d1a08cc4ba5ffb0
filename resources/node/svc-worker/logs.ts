/**
 * JSON log lines, one write each: {"requestId": job, "message": text, "level": ...}, `requestId` only within a job.
 * Child processes' output passes unchanged.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { writeSync } from 'node:fs'
import { format } from 'node:util'

export const currentJob: AsyncLocalStorage<string> = new AsyncLocalStorage()

type Level = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'

// UTF-8 bytes per message. Source: ours; a page of log stays readable.
const LONGEST_MESSAGE_BYTES = 16 * 1024
// Cuts the middle: a stack may end with its cause.
const CUT_MARK = ' ... [cut] ... '
const [STDOUT, STDERR] = [1, 2]

export function report(message: string, level: Level): void {
  writeLine(STDOUT, message, level, currentJob.getStore())
}

const LEVEL_OF = { log: 'INFO', info: 'INFO', debug: 'DEBUG', warn: 'WARN', error: 'ERROR' } as const
const flushers: ((jobId: string) => void)[] = []

/** Replaces the console and both streams. Call before user code is imported. */
export function install(): void {
  for (const [name, level] of Object.entries(LEVEL_OF)) {
    const descriptor = level === 'WARN' || level === 'ERROR' ? STDERR : STDOUT
    const write = (...values: readonly unknown[]) =>
      writeLine(descriptor, format(...values), level, currentJob.getStore())
    Object.assign(globalThis.console, { [name]: write })
  }
  process.stdout.write = lineWriter(STDOUT, 'INFO')
  process.stderr.write = lineWriter(STDERR, 'ERROR')
}

export function flushJob(jobId: string): void {
  for (const flush of flushers) flush(jobId)
}

// Partial lines are kept per job, so that parallel jobs do not mix.
function lineWriter(descriptor: number, level: Level): typeof process.stdout.write {
  const unfinished = new Map<string | undefined, string>()
  flushers.push((jobId) => {
    const rest = unfinished.get(jobId)
    unfinished.delete(jobId)
    if (rest !== undefined) writeLine(descriptor, rest, level, jobId)
  })

  return (chunk: string | Uint8Array, second?: unknown, third?: unknown) => {
    const jobId = currentJob.getStore()
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
    const lines = ((unfinished.get(jobId) ?? '') + text).split('\n')
    const rest = afterReturn(lines.pop() ?? '')
    unfinished.delete(jobId)
    // Longer text is never shown, so it need not be kept.
    if (rest !== '') unfinished.set(jobId, rest.slice(0, LONGEST_MESSAGE_BYTES + 1))
    for (const line of lines) writeLine(descriptor, afterReturn(line), level, jobId)
    const done = typeof second === 'function' ? second : third
    if (typeof done === 'function') process.nextTick(done)
    return true
  }
}

/** Resolves carriage returns as a terminal would; a final one may belong to a line end. */
function afterReturn(line: string): string {
  if (!line.includes('\r')) return line
  const end = line.endsWith('\r') ? '\r' : ''
  return (
    line
      .slice(0, line.length - end.length)
      .split('\r')
      .at(-1) + end
  )
}

function writeLine(descriptor: number, message: string, level: Level, jobId: string | undefined): void {
  const text = cut(message.replace(/\r$/, ''))
  const line = Buffer.from(`${JSON.stringify({ requestId: jobId, message: text, level })}\n`)
  try {
    for (let at = 0; at < line.length; ) at += writeSync(descriptor, line, at)
  } catch {
    // A full disk must not fail a job, so the line is lost.
  }
}

function cut(message: string): string {
  if (message.length <= LONGEST_MESSAGE_BYTES / 4) return message
  const bytes = Buffer.from(message)
  if (bytes.length <= LONGEST_MESSAGE_BYTES) return message
  const half = LONGEST_MESSAGE_BYTES / 2
  const start = bytes.toString('utf8', 0, half).replace(/\uFFFD$/, '')
  return start + CUT_MARK + bytes.toString('utf8', bytes.length - half).replace(/^\uFFFD+/, '')
}

/** Writes `text` unformatted as the end of the log, then exits. */
export function fail(text: string, code = 1): never {
  const line = `${text.trimEnd()}\n`
  try {
    writeSync(2, line)
  } catch {
    // On a full disk nothing can be written; the exit code shows the failure.
  }
  process.exit(code)
}

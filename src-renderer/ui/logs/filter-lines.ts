import type { LogLine } from '../../../src-main/contract/management.ts'

/** Which lines are shown. */
export type LogFilter = {
  /** Text that a line holds, whatever its case; empty: all. */
  readonly text: string
  /** Least level; `debug` is all. */
  readonly level: LogLevel
}

/** Levels from the least on. */
export const LOG_LEVELS = ['debug', 'info', 'warning', 'error'] as const

/** A level of a log line. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The level of a line by its word, whatever a library calls it. */
export function levelOf(word: string): LogLevel {
  const lower = word.toLowerCase()
  if (/^(err|fatal|crit|panic)/.test(lower)) return 'error'
  if (lower.startsWith('warn')) return 'warning'
  return /^(debug|trace)/.test(lower) ? 'debug' : 'info'
}

/** The lines that a filter lets through. */
export function filterLines(lines: readonly LogLine[], { text, level }: LogFilter): readonly LogLine[] {
  const least = LOG_LEVELS.indexOf(level)
  const wanted = text.toLowerCase()
  if (wanted === '' && least === 0) return lines
  return lines.filter(
    (one) => LOG_LEVELS.indexOf(levelOf(one.level)) >= least && one.line.toLowerCase().includes(wanted),
  )
}

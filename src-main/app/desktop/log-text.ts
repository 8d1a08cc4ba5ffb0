import { closeSync, openSync } from 'node:fs'
import { errorCode } from '../../lib/error-code.ts'
import { readTail } from './read-tail.ts'

const LOG_TAIL_BYTES = 256 * 1024
const LEVELS: Readonly<Record<number, string>> = { 30: 'INFO', 40: 'WARN', 50: 'ERROR' }

export function logText(files: readonly string[]): string {
  return files.map((file) => `${file}\n\n${tailOfFile(file)}`).join('\n\n\n')
}

function tailOfFile(path: string): string {
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    return readTail(fd, LOG_TAIL_BYTES).trimEnd().split('\n').map(formatLogLine).join('\n') || '(empty)'
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? '(empty)' : `This file cannot be read: ${(error as Error).message}`
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Formats a JSON line as `2026-11-28 20:15:01.123Z WARN message {"more":"fields"}`; other lines stay unchanged. */
export function formatLogLine(line: string): string {
  try {
    const { time, level, msg, ...rest } = Object(JSON.parse(line)) as Readonly<Record<string, unknown>>
    if (typeof time !== 'number' || typeof msg !== 'string') return line
    const at = new Date(time).toISOString().replace('T', ' ')
    const fields = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
    return `${at} ${LEVELS[Number(level)] ?? level} ${msg}${fields}`
  } catch {
    return line
  }
}

/**
 * Worker output goes to a file, so workers survive a killed service and no line is lost. The read position is stored
 * next to it; the file is truncated past the limit, and excess output is dropped with a notice.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { limit } from '../../contract/limits.ts'
import { MIB } from '../../lib/units.ts'
import { LINE_COST_BYTES, LINES_AT_ONCE, type LineBudget } from '../line-budget.ts'

export type OutputFile = ReturnType<typeof openOutputFile>

const READ_BYTES = MIB
const LINE_END = 10
// Fixed width, so that each position overwrites the last in one call.
const POSITION_DIGITS = 16
const NO_BUDGET: LineBudget = { left: () => Number.POSITIVE_INFINITY, take: () => undefined }

/**
 * Resumes where an earlier reader stopped.
 * @param positionPath stores the position; created if missing
 */
export function openOutputFile(path: string, positionPath: string, budget: LineBudget) {
  const file = openSync(path, 'r+')
  const positionFile = openSync(positionPath, constants.O_RDWR | constants.O_CREAT, 0o600)
  let offset = readPosition(positionFile)
  let closed = false
  let moreWaits = false

  function empty(): void {
    ftruncateSync(file, 0)
    offset = 0
  }

  function readSome(rate: LineBudget, last: 'waits for its end' | 'is given out'): readonly string[] {
    const size = fstatSync(file).size
    if (size < offset) offset = 0
    const bytes = Buffer.allocUnsafe(Math.min(size - offset, READ_BYTES))
    const count = bytes.length === 0 ? 0 : readSync(file, bytes, 0, bytes.length, offset)
    const read = bytes.subarray(0, count)
    const wholeOnly = last === 'waits for its end' && (count < READ_BYTES || read.includes(LINE_END))
    const { lines, taken } = cutLines(read, rate, wholeOnly)
    offset += taken
    moreWaits = count === READ_BYTES || rate.left() <= 0
    return lines
  }

  function readLines(): readonly string[] {
    if (closed) return []
    const lines = readSome(budget, 'waits for its end')
    const unread = fstatSync(file).size - offset
    if (unread > limit('logFileBytes')) {
      empty()
      return [...lines, leftOut(unread)]
    }
    if (unread === 0 && offset > limit('logFileBytes')) empty()
    return lines
  }

  return {
    readLines,
    /** The rest of an ended worker, without budget, including an unterminated line. */
    readRest(): readonly string[] {
      if (closed) return []
      const unread = fstatSync(file).size - offset
      offset += Math.max(0, unread - READ_BYTES)
      const lines = readSome(NO_BUDGET, 'is given out')
      if (unread <= READ_BYTES && lines.length <= LINES_AT_ONCE) return lines
      const newest = lines.slice(-LINES_AT_ONCE)
      return [leftOut(unread - Buffer.byteLength(newest.join('\n'))), ...newest]
    },
    moreWaits: (): boolean => !closed && moreWaits,
    position: (): number => offset,
    remember(position: number) {
      if (!closed) writeSync(positionFile, String(position).padStart(POSITION_DIGITS), 0)
    },
    close() {
      if (closed) return
      closed = true
      closeSync(file)
      closeSync(positionFile)
    },
  }
}

function leftOut(bytes: number): string {
  const megabytes = (bytes / 1e6).toFixed(1)
  return `${megabytes} MB of output are left out here: the worker printed faster than lines can be stored.`
}

function cutLines(
  bytes: Buffer,
  budget: LineBudget,
  wholeOnly: boolean,
): { readonly lines: readonly string[]; readonly taken: number } {
  const lines: string[] = []
  let taken = 0
  while (taken < bytes.length && budget.left() > 0) {
    const end = bytes.indexOf(LINE_END, taken)
    if (end === -1 && wholeOnly) break
    const next = end === -1 ? bytes.length : end + 1
    lines.push(lineText(bytes, taken, end === -1 ? next : end))
    budget.take(next - taken + LINE_COST_BYTES)
    taken = next
  }
  return { lines, taken }
}

function lineText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end)
  return text.endsWith('\r') ? text.slice(0, -1) : text
}

function readPosition(file: number): number {
  const bytes = Buffer.alloc(POSITION_DIGITS)
  const position = Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, POSITION_DIGITS, 0)))
  return Number.isSafeInteger(position) ? position : 0
}

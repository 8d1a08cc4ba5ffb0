/**
 * The output of a worker goes to a file, not to a pipe: the worker lives on when the service is killed, no line is
 * lost, and what was printed before a result can be read at the moment of the result. Only whole lines are given out;
 * a file that was read past the limit is emptied (the worker appends, so it goes on at the start).
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs'
import { limit } from '../../contract/limits.ts'

/** A reader of a growing file. */
export type OutputFile = {
  /** The whole lines written since the last call; at most about 1 MiB of them. */
  readonly readLines: () => readonly string[]
  /** The same, and what stands after the last line end. */
  readonly readRest: () => readonly string[]
  readonly close: () => void
}

const READ_BYTES = 1024 * 1024
const LINE_END = 10

/** Opens the output of a worker for reading. @param from 'end' skips what is there, for a worker that is adopted */
export function openOutputFile(path: string, from: 'start' | 'end'): OutputFile {
  const file = openSync(path, 'r+')
  let offset = from === 'end' ? fstatSync(file).size : 0
  let rest: Buffer = Buffer.alloc(0)
  let closed = false

  function readNew(): Buffer {
    const size = fstatSync(file).size
    if (size < offset) offset = 0 // somebody emptied it
    const length = Math.min(size - offset, READ_BYTES)
    if (length <= 0) return Buffer.alloc(0)
    const bytes = Buffer.allocUnsafe(length)
    const count = readSync(file, bytes, 0, length, offset)
    offset += count
    if (offset > limit('logFileBytes') && fstatSync(file).size === offset) {
      ftruncateSync(file, 0)
      offset = 0
    }
    return bytes.subarray(0, count)
  }

  function readLines(): readonly string[] {
    if (closed) return []
    const bytes = readNew()
    if (bytes.length === 0) return []
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    const end = all.lastIndexOf(LINE_END)
    // A line that never ends is given out in pieces.
    if (end === -1 && all.length < READ_BYTES) {
      rest = Buffer.from(all)
      return []
    }
    const cut = end === -1 ? all.length : end
    rest = Buffer.from(all.subarray(cut + 1))
    return splitLines(all.subarray(0, cut).toString('utf8'))
  }

  return {
    readLines,
    readRest() {
      const lines: string[] = []
      for (let more = readLines(); more.length > 0; more = readLines()) lines.push(...more)
      const last = rest.toString('utf8')
      rest = Buffer.alloc(0)
      return last === '' ? lines : [...lines, ...splitLines(last)]
    },
    close() {
      if (!closed) closeSync(file)
      closed = true
    },
  }
}

function splitLines(text: string): readonly string[] {
  return text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
}

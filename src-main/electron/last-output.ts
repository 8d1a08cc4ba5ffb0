import { appendFileSync, renameSync, statSync } from 'node:fs'
import { MIB } from '../contract/units.ts'

/** Keeps what a process prints: its end in memory for the notice, and all in a file for whoever looks closer. */
type OutputRecord = {
  readonly onOutput: (chunk: Uint8Array | string) => void
  /** The line that says most of why it ended, cut to a notice; empty: it printed nothing. */
  readonly line: () => string
}

const MAX_CHARACTERS = 8192
const LINE_CHARACTERS = 300

// A file of this size is put aside when a process begins; the one before it goes. 1 MiB holds hundreds of crashes.
const FILE_BYTES = MIB

/** Begins. @param file where all of it is added */
export function recordOutput(file: string): OutputRecord {
  let text = ''
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > FILE_BYTES) renameSync(file, `${file}.old`)
  return {
    onOutput(chunk) {
      const piece = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
      text = (text + piece).slice(-MAX_CHARACTERS)
      try {
        appendFileSync(file, piece, { mode: 0o600 })
      } catch {
        // A full disk must not take the desktop along; the notice still has the end.
      }
    },
    line: () => tellingLine(text).slice(0, LINE_CHARACTERS),
  }
}

/** An uncaught error is printed with its message in a line of its own, above the stack and an empty line. */
function tellingLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  const error = lines.findLast((line) => /^(?:Uncaught )?\w*Error\b.*:/.test(line))
  return error ?? lines.findLast((line) => line !== '') ?? ''
}

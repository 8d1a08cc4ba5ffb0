/** The end of what a process prints: kept in memory for the notice, and in a file for whoever looks closer. */
import { appendFileSync, renameSync, statSync } from 'node:fs'

/** Keeps it. */
export type LastWords = {
  readonly hear: (chunk: Uint8Array | string) => void
  /** The line that says most of why it ended, cut to a notice; empty: it printed nothing. */
  readonly line: () => string
}

const KEPT_CHARACTERS = 8192
const LINE_CHARACTERS = 300

// A file of this size is put aside when a process begins; the one before it goes. 1 MiB holds hundreds of crashes.
const FILE_BYTES = 1024 * 1024

/** Begins. @param file where all of it is added */
export function keepLastWords(file: string): LastWords {
  let text = ''
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > FILE_BYTES) renameSync(file, `${file}.old`)
  return {
    hear(chunk) {
      const piece = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
      text = (text + piece).slice(-KEPT_CHARACTERS)
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

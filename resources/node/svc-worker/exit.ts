/** The ways in which a worker process ends. */
import { writeSync } from 'node:fs'

/** Ends in order: what the user gave to `process.on('exit')` runs. */
export function leave(code: number): never {
  process.exit(code)
}

/** Writes `text` raw, so that its last line is the last line of the log, and ends. */
export function fail(text: string, code = 1): never {
  const line = `${text.trimEnd()}\n`
  try {
    writeSync(2, line)
  } catch {
    // Nobody can be told on a full disk; the exit code says that something is wrong.
  }
  process.exit(code)
}

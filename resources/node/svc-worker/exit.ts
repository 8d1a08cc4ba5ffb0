import { writeSync } from 'node:fs'

export function leave(code: number): never {
  process.exit(code)
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

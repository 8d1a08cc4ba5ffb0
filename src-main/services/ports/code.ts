/** The port of the files that workers of this machine run. */
import type { CodeEntry } from '../../domain/worker/code-entry.ts'

/**
 * Files that changed together: paths relative to the folder, sorted. `at` is when the first was noticed,
 * ms since the epoch.
 */
export type CodeFilesChange = { readonly files: readonly string[]; readonly at: number }

/** Is notified of changes. */
export type CodeListener = {
  readonly onChange: (change: CodeFilesChange) => void
  /** From now on files are looked at from time to time, since the system refuses to watch. Told once. */
  readonly onPolling: (why: string) => void
  /** ms since the epoch. */
  readonly now: () => number
}

/** The watch of a program's files. */
export type CodeWatch = {
  /** Settles when all later changes are noticed. */
  readonly ready: Promise<void>
  /** A hash of the content of all watched files. */
  readonly fingerprint: () => string
  /** Watched files that were written after a time, ms since the epoch. */
  readonly writtenAfter: (at: number) => Promise<readonly string[]>
  readonly close: () => void
}

/** Watches a file that is run, and what it imports from the folder. */
export type WatchCode = (entry: CodeEntry, listener: CodeListener) => CodeWatch

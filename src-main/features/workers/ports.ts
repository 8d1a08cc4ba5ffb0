import type { CodeEntry } from './rules/code-entry.ts'

/** Files that changed together: relative sorted paths. `at` is the first notice, ms since the epoch. */
export type CodeFilesChange = { readonly files: readonly string[]; readonly at: number }

export type CodeListener = {
  readonly onChange: (change: CodeFilesChange) => void
  readonly onPolling: (why: string) => void
  readonly now: () => number
}

export type CodeWatch = {
  readonly ready: Promise<void>
  readonly fingerprint: () => string
  /** Watched files written after a time in ms since the epoch. */
  readonly writtenAfter: (at: number) => Promise<readonly string[]>
  readonly close: () => void
}

/**
 * Tells a ComfyUI server to unload its models, and waits until it has. Never rejects.
 * @returns why they may still be loaded, like `answered with HTTP 500`; undefined: they are not, or the server has ended
 */
export type FreeMemory = (server: string, signal: AbortSignal) => Promise<string | undefined>

export type WatchCode = (entry: CodeEntry, listener: CodeListener) => CodeWatch

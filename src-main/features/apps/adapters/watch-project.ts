/**
 * Batches changes, as editors save through a second file and branch switches touch many; polls while watching is
 * impossible.
 */
import { existsSync } from 'node:fs'
import { type EntryChange, type IsWatched, pollFolders, watchFolders } from './watch-folders.ts'

/** `files`: sorted relative paths; empty if unknown. `at`: the first change, ms since the epoch. */
export type ProjectChange = { readonly files: readonly string[]; readonly at: number }

export type ProjectListener = {
  readonly onChange: (change: ProjectChange) => void
  readonly onThere: (isThere: boolean) => void
  readonly onPolling: (why: string) => void
  readonly now: () => number
}

// ms after the last change, and at most after the first. Source: ours; they cover an editor's rename and a branch
// switch.
const QUIET_MS = 30
const LONGEST_MS = 300

export function watchProject(
  project: string,
  { onChange, onThere, onPolling, now }: ProjectListener,
  isWatched?: IsWatched,
): { readonly close: () => void } {
  const changed = new Map<string, EntryChange>()
  let at: number | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let stop = () => {}

  function notice(path: string, change: EntryChange): void {
    const first = changed.get(path)
    // A temporary file that an editor renames afterwards is gone again.
    if (first === 'came' && change === 'went') changed.delete(path)
    else changed.set(path, first ?? change)
    reportSoon()
  }

  function reportSoon(): void {
    const since = at ?? now()
    at = since
    clearTimeout(timer)
    timer = setTimeout(flush, Math.max(0, Math.min(QUIET_MS, since + LONGEST_MS - now())), since)
  }

  function flush(since: number): void {
    const files = [...changed.keys()].sort()
    changed.clear()
    at = undefined
    onChange({ files, at: since })
  }

  function pollBecause({ message }: Error): void {
    onPolling(message)
    stop = pollFolders(project, { onChange: notice, onThere }, { wasThere: true, isWatched })
    reportSoon()
  }

  function pollUntilThere(): void {
    onThere(false)
    const watchAgain = (isThere: boolean) => {
      if (!isThere) return
      stop()
      onThere(true)
      start()
    }
    stop = pollFolders(project, { onChange: notice, onThere: watchAgain }, { wasThere: false, isWatched })
  }

  function withoutWatch(reason: Error): void {
    if (existsSync(project)) pollBecause(reason)
    else pollUntilThere()
  }

  function start(): void {
    if (closed) return
    try {
      stop = watchFolders(project, { onChange: notice, onEnd: withoutWatch }, isWatched)
    } catch (error) {
      withoutWatch(error as Error)
    }
  }

  start()
  return {
    close() {
      closed = true
      clearTimeout(timer)
      stop()
    },
  }
}

/**
 * Reports when a project changes. Changes that come together are reported together: an editor saves through a second
 * file, and a change of branch touches many. Where the system cannot watch, and while the project is not there, the
 * files are looked at from time to time.
 */
import { existsSync } from 'node:fs'
import { type EntryChange, type IsWatched, pollFolders, watchFolders } from './watch-folders.ts'

/**
 * Files that changed together: relative paths, sorted; none where it is not known which. `at` is when the first was
 * noticed, ms since the epoch.
 */
export type ProjectChange = { readonly files: readonly string[]; readonly at: number }

/** Who is notified of changes. */
export type ProjectListener = {
  readonly onChange: (change: ProjectChange) => void
  /** The folder of the project is not there any more, or is there again. */
  readonly onThere: (isThere: boolean) => void
  /** From now on files are looked at from time to time, since the system refuses to watch. */
  readonly onPolling: (why: string) => void
  /** ms since the epoch. */
  readonly now: () => number
}

// After the last of several changes, and after the first at most, in ms. Source: ours; an editor renames within one of
// them, and a change of branch in the other.
const QUIET_MS = 30
const LONGEST_MS = 300

/** Watches a project until it is closed. @param project absolute folder @param isWatched without it all folders are */
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
    // What an editor writes to rename it afterwards has come and gone.
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
    // What changed before the first look is not reported.
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

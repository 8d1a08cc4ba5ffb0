import { type FSWatcher, readdirSync, statSync, type WatchEventType, watch } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { errorCode } from '../../../lib/error-code.ts'
import { isLeftAlone } from '../rules/left-out.ts'

export type EntryChange = 'came' | 'changed' | 'went'

export type WatchListener = {
  readonly onChange: (path: string, change: EntryChange) => void
  /** The watch ended by itself: the project is gone, or the system refuses further watches. */
  readonly onEnd: (reason: Error) => void
}

const ROOT = ''

export type IsWatched = (folder: string) => boolean

/**
 * One watch per folder: recursive watches of Node and chokidar put one on every Linux file and hit the limit.
 * @throws Error with the system's code
 */
export function watchFolders(
  project: string,
  { onChange, onEnd }: WatchListener,
  isWatched: IsWatched = () => true,
): () => void {
  const watchers = new Map<string, FSWatcher>()
  const entries = new Set<string>()
  let ended = false

  function end(): void {
    ended = true
    forget(ROOT)
  }

  function endWith(reason: Error): void {
    if (ended) return
    end()
    onEnd(reason)
  }

  function add(folder: string, { isNew }: { readonly isNew: boolean }): void {
    const path = join(project, folder)
    const watcher = watch(path, (event, name) => noticed(folder, event, name))
    watchers.set(folder, watcher.on('error', endWith))
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (isLeftAlone(entry.name)) continue
      const inner = below(folder, entry.name)
      if (entry.isDirectory()) addIfThere(inner, { isNew })
      else if (isNew) report(inner)
      entries.add(inner)
    }
  }

  function addIfThere(folder: string, options: { readonly isNew: boolean }): void {
    if (!isWatched(folder)) return
    try {
      add(folder, options)
    } catch (error) {
      forget(folder)
      if (!isAbsent(error)) throw error
    }
  }

  function forget(folder: string): void {
    const isIn = (name: string) => folder === ROOT || name.startsWith(`${folder}/`)
    for (const [name, watcher] of watchers) {
      if (name !== folder && !isIn(name)) continue
      watcher.close()
      watchers.delete(name)
    }
    for (const name of entries) if (isIn(name)) entries.delete(name)
  }

  function report(path: string): void {
    const wasThere = entries.has(path)
    const isThere = kindOf(path) !== undefined
    if (isThere) entries.add(path)
    else entries.delete(path)
    if (wasThere || isThere) onChange(path, !wasThere ? 'came' : isThere ? 'changed' : 'went')
  }

  function noticed(folder: string, event: WatchEventType, name: string | null): void {
    if (ended || (name !== null && isLeftAlone(name))) return
    try {
      const path = name === null ? folder : below(folder, name)
      const found = kindOf(path)
      // Reported under its own name, as if inside itself: the folder, or an entry of that name, was removed or renamed.
      const mayBeItself = name === basename(join(project, folder)) && found === undefined
      if (event === 'rename') renewed(mayBeItself ? folder : path)
      report(mayBeItself ? folder : path)
    } catch (error) {
      endWith(error as Error)
    }
  }

  function renewed(path: string): void {
    forget(path)
    if (path === ROOT) add(ROOT, { isNew: true })
    else if (kindOf(path) === 'folder') addIfThere(path, { isNew: true })
  }

  function kindOf(path: string): 'folder' | 'file' | undefined {
    const found = statSync(join(project, path), { throwIfNoEntry: false })
    return found && (found.isDirectory() ? 'folder' : 'file')
  }

  try {
    add(ROOT, { isNew: false })
  } catch (error) {
    end()
    throw error
  }
  return end
}

function below(folder: string, name: string): string {
  return folder === ROOT ? name : `${folder}/${name}`
}

function isAbsent(error: unknown): boolean {
  return /^(ENOENT|ENOTDIR)$/.test(errorCode(error))
}

// Polling interval, in ms; source: ours. Checking 2,000 files takes about 50 ms of one core.
const EVERY_MS = 500

/**
 * Polls times and sizes; a missing project has no files and may return.
 * @param wasThere false: everything found counts as changed
 * @returns a function that stops polling
 */
export function pollFolders(
  project: string,
  {
    onChange,
    onThere,
  }: {
    readonly onChange: (path: string, change: EntryChange) => void
    readonly onThere: (isThere: boolean) => void
  },
  { wasThere, isWatched = () => true }: { readonly wasThere: boolean; readonly isWatched?: IsWatched | undefined },
): () => void {
  let ended = false
  let timer: NodeJS.Timeout | undefined
  let before: ReadonlyMap<string, string> | undefined = wasThere ? undefined : new Map()

  async function check(): Promise<void> {
    const now = await statesIn(project, isWatched)
    if (ended) return
    if (before !== undefined) {
      if (before.has(ROOT) !== now.has(ROOT)) onThere(now.has(ROOT))
      for (const path of new Set([...before.keys(), ...now.keys()])) {
        if (path === ROOT || before.get(path) === now.get(path)) continue
        onChange(path, !before.has(path) ? 'came' : now.has(path) ? 'changed' : 'went')
      }
    }
    before = now
    if (!ended) timer = setTimeout(check, EVERY_MS)
  }

  void check()
  return () => {
    ended = true
    clearTimeout(timer)
  }
}

async function statesIn(project: string, isWatched: IsWatched): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>()
  async function walk(folder: string): Promise<void> {
    const entries = await readdir(join(project, folder), { withFileTypes: true }).catch(() => undefined)
    if (entries === undefined) return
    if (folder === ROOT) states.set(ROOT, '')
    await Promise.all(
      entries.map(async (entry) => {
        if (isLeftAlone(entry.name)) return
        const path = folder === ROOT ? entry.name : `${folder}/${entry.name}`
        if (entry.isDirectory()) return isWatched(path) ? walk(path) : undefined
        const found = await stat(join(project, path)).catch(() => undefined)
        if (found !== undefined) states.set(path, `${found.mtimeMs} ${found.size} ${found.ino}`)
      }),
    )
  }
  await walk(ROOT)
  return states
}

import { type FSWatcher, readdirSync, statSync, type WatchEventType, watch } from 'node:fs'
import { basename, join } from 'node:path'
import { isLeftAlone } from './left-alone.ts'

/** What became of an entry of a project. */
export type EntryChange = 'came' | 'changed' | 'went'

/** What a watch tells. Paths are relative to the project, with forward slashes. */
export type WatchListener = {
  readonly onChange: (path: string, change: EntryChange) => void
  /** The watch ended by itself: the project is not there any more, or the system refuses further watches. */
  readonly onEnd: (reason: Error) => void
}

const ROOT = ''

/**
 * Watches a project, one watch for each of its folders. The recursive watch of Node puts one on every file on Linux, also
 * in folders that nobody wants, and soon meets the limit of the system. A folder that comes is watched from then on, and
 * all that is in it by then counts as changed. The same holds for one of which only the name is known to have changed
 * hands: a folder that was removed and made again can have the inode of before.
 * @returns how to end it
 * @throws Error with the system's code where the folder cannot be watched
 */
export function watchFolders(project: string, { onChange, onEnd }: WatchListener): () => void {
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
      else if (isNew) tell(inner)
      entries.add(inner)
    }
  }

  function addIfThere(folder: string, options: { readonly isNew: boolean }): void {
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

  function tell(path: string): void {
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
      // Told with its own name, as if it were in itself: the folder was removed or renamed, or an entry of that name was.
      const mayBeItself = name === basename(join(project, folder)) && found === undefined
      if (event === 'rename') renewed(mayBeItself ? folder : path)
      tell(mayBeItself ? folder : path)
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
  return error instanceof Error && 'code' in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code))
}

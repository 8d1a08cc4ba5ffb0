/** Watches only folders with imported files, so that a handler may be in a home folder. */
import { createHash } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { extname, join, posix } from 'node:path'
import { isHandlerFile } from '../../../contract/endpoint.ts'
import { watchProject } from '../../apps/adapters/watch-project.ts'
import type { CodeListener, CodeWatch } from '../ports.ts'
import type { CodeEntry } from '../rules/code-entry.ts'
import { readImportedFiles } from './imported-files.ts'

const ROOT = ''

export function watchCode(entry: CodeEntry, { onChange, onPolling, now }: CodeListener): CodeWatch {
  let known: ReadonlyMap<string, string> | undefined
  let folders: ReadonlySet<string> = new Set([ROOT])
  let closed = false
  let isPolling = false
  let close = open()
  let looks = look(now())

  function open(): () => void {
    return watchProject(
      entry.folder,
      {
        onChange(change) {
          if (change.files.length === 0 || change.files.some(mayConcern)) looks = looks.then(() => look(change.at))
        },
        onThere: () => {},
        onPolling(why) {
          if (!isPolling) onPolling(why)
          isPolling = true
        },
        now,
      },
      (path) => folders.has(path),
    ).close
  }

  // A handler that writes results next to itself is not read again for each one.
  function mayConcern(path: string): boolean {
    return known?.has(path) === true || isHandlerFile(path) || extname(path) === ''
  }

  async function look(at: number): Promise<void> {
    const files = await readImportedFiles(entry)
    // Some editors remove a file before they write it again.
    if (closed || files.size === 0) return
    const changed = known === undefined ? [] : differences(known, files)
    known = files
    if (changed.length > 0) {
      await dropCompiled(entry.folder, changed)
      if (closed) return
      onChange({ files: changed, at })
    }
    const wanted = foldersOf(files)
    if (wanted.symmetricDifference(folders).size === 0) return
    folders = wanted
    close()
    close = open()
    // Something may have changed before the watches began.
    await look(at)
  }

  return {
    ready: looks,
    fingerprint: () =>
      createHash('sha256')
        .update(JSON.stringify([...(known ?? [])].sort()))
        .digest('hex'),
    async writtenAfter(at) {
      const files = [...(known?.keys() ?? [])].sort()
      // Unlike the modification time, this one cannot be set by a copy.
      const times = await Promise.all(files.map((path) => stat(join(entry.folder, path)).catch(() => undefined)))
      const written = files.filter((_path, index) => (times[index]?.ctimeMs ?? 0) > at)
      await dropCompiled(entry.folder, written)
      return written
    },
    close() {
      closed = true
      close()
    },
  }
}

// Python compares sources by whole seconds and sizes, and would run the first of two quick saves.
async function dropCompiled(folder: string, files: readonly string[]): Promise<void> {
  for (const path of files) {
    const { dir, name, ext } = posix.parse(path)
    if (ext !== '.py') continue
    const cache = join(folder, dir, '__pycache__')
    const compiled = (await readdir(cache).catch(() => [])).filter(
      (entry) => entry.startsWith(`${name}.`) && entry.endsWith('.pyc'),
    )
    // A file that a container made as root stays, which matters only for two quick saves.
    await Promise.allSettled(compiled.map((entry) => rm(join(cache, entry))))
  }
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort()
}

function foldersOf(files: ReadonlyMap<string, string>): ReadonlySet<string> {
  const folders = new Set([ROOT])
  for (const path of files.keys())
    for (let at = posix.dirname(path); at !== '.'; at = posix.dirname(at)) folders.add(at)
  return folders
}

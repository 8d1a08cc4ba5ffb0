import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isLeftAlone } from '../rules/left-out.ts'

export type SourceStamp = { readonly stamp: string; readonly newestAt: number }

// Parallel file checks: enough to keep the disk busy, few enough not to block the service.
const AT_ONCE = 128

/**
 * Changes with any file, from times and sizes alone.
 * @param files relative paths with forward slashes from the last listing
 */
export async function sourceStamp(project: string, files: readonly string[]): Promise<SourceStamp> {
  const folders = [...new Set(['', ...files.flatMap(foldersAround)])]
  // A folder's time changes when an entry is added or removed. One without files of the build may get its first.
  const besides = (await Promise.all(folders.map((folder) => foldersIn(project, folder)))).flat()
  const rules = ['.runpodignore', ...folders.map((folder) => `${folder}.gitignore`)]
  const paths = [...new Set([...files, ...folders, ...besides, ...rules])].sort()
  const hash = createHash('sha256')
  let newestAt = 0
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    const stamps = await Promise.all(paths.slice(from, from + AT_ONCE).map((path) => stampOf(project, path)))
    hash.update(stamps.map(({ stamp }) => stamp).join('\n'))
    newestAt = Math.max(newestAt, ...stamps.map(({ at }) => at))
  }
  return { stamp: hash.digest('hex'), newestAt }
}

async function stampOf(project: string, path: string): Promise<{ readonly stamp: string; readonly at: number }> {
  const found = await stat(join(project, path)).catch(() => undefined)
  if (found === undefined) return { stamp: path, at: 0 }
  // The time of the entry, which tools that preserve modification times cannot set.
  return { stamp: `${path} ${found.ctimeMs} ${found.size} ${found.ino}`, at: found.ctimeMs }
}

function foldersAround(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1))
}

async function foldersIn(project: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(project, folder), { withFileTypes: true }).catch(() => [])
  return entries.flatMap((entry) =>
    entry.isDirectory() && !isLeftAlone(entry.name) ? [`${folder}${entry.name}/`] : [],
  )
}

import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { comparePaths } from '../domain/app/fingerprint.ts'

/** All files below a folder as sorted relative paths with forward slashes, without what Python compiled. */
export async function listFiles(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile() && !/\.py[co]$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort(comparePaths)
}

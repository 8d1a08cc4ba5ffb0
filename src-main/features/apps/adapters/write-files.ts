import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../../../lib/error-code.ts'

/**
 * Writes atomically: to a temporary name, then renames.
 * @param write receives the temporary name; on failure nothing is left
 */
export async function makeFile<Result>(path: string, write: (path: string) => Promise<Result>): Promise<Result> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const other = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.new`)
  try {
    const result = await write(other)
    await rename(other, path)
    return result
  } catch (error) {
    await rm(other, { force: true })
    throw error
  }
}

export function makeTextFile(path: string, text: string): Promise<void> {
  return makeFile(path, (other) => writeFile(other, text))
}

/**
 * Renames a complete folder. If another process was faster, its folder stays: names identify the content, so both are
 * the same.
 */
export async function putInPlace(begun: string, folder: string): Promise<void> {
  try {
    await rename(begun, folder)
  } catch (error) {
    if (!/^(ENOTEMPTY|EEXIST)$/.test(errorCode(error))) throw error
  }
}

// Parallel syncs; mostly waiting for the disk, on four threads anyway. Source: ours.
const AT_ONCE = 32

/**
 * Syncs files and folders so that power loss leaves them whole. Source: ours, 0.4 s for 5,000 files of 8 KB, or 1.9 s
 * if synced after each.
 * @param paths absolute
 */
export async function syncFiles(paths: Iterable<string>): Promise<void> {
  const rest = paths[Symbol.iterator]()
  const syncSome = async () => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      await using file = await open(next.value)
      await file.sync()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, syncSome))
}

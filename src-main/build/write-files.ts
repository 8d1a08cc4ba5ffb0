/** Files that are whole or not there, and put onto the disk before somebody names them. */
import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../domain/error-code.ts'

/**
 * Makes a file whole or not at all: it is written under another name beside it, and then renamed.
 * @param write gets the other name; where it fails nothing is left
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

/** Writes a text whole or not at all. */
export function makeTextFile(path: string, text: string): Promise<void> {
  return makeFile(path, (other) => writeFile(other, text))
}

/**
 * Gives a folder that is whole its name. Where another one was quicker its folder stays: names say what is in them, so
 * that both are the same.
 */
export async function putInPlace(begun: string, folder: string): Promise<void> {
  try {
    await rename(begun, folder)
  } catch (error) {
    if (!/^(ENOTEMPTY|EEXIST)$/.test(errorCode(error))) throw error
  }
}

// Most of a sync is waiting for the disk, which does many at once; four threads do them anyway. Ours.
const AT_ONCE = 32

/**
 * Brings files and folders onto the disk, with the names in these folders: after a loss of power they are whole.
 * Source: ours, 5,000 files of 8 KB take 0.4 s; to ask the disk after each one that is written takes 1.9 s.
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

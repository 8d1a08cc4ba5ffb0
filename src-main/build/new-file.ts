import { randomBytes } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

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

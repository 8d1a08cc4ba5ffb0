import { randomBytes } from 'node:crypto'
import { chmod, constants, copyFile, link, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { WriteAppFolder } from '../ports/build.ts'
import { fileMode, isExecutableMode } from './file-modes.ts'
import { appEntries, type OurPackages, packageEntries } from './pack-artifact.ts'
import { FILES_AT_ONCE, type FileToRead, unreadable } from './read-files.ts'
import type { TarEntry } from './tar-part.ts'

/**
 * Writes a local app folder: packages are linked, as they can take gigabytes; the app is copied, so that saves do not
 * change running releases.
 */
export function createFolderWriter(ours: OurPackages): WriteAppFolder {
  return async (content, output, signal) => {
    const app = await appEntries(content, ours)
    const packages = content.packages === undefined ? [] : (await packageEntries(content.packages, app)).entries
    await mkdir(dirname(output), { recursive: true })
    const begun = `${output}.${randomBytes(6).toString('hex')}.new`
    try {
      await makeFolders(begun, [...packages, ...app])
      await forEach(packages, (entry) => linkOrCopy(entry, join(begun, entry.name)), signal)
      await forEach(app, (entry) => writeEntry(entry, join(begun, entry.name)), signal)
      await rename(begun, output)
    } catch (error) {
      await rm(begun, { recursive: true, force: true })
      throw error
    }
    return { files: packages.length + app.length }
  }
}

async function makeFolders(root: string, entries: readonly { readonly name: string }[]): Promise<void> {
  const folders = new Set(entries.map(({ name }) => dirname(name)))
  await mkdir(root)
  await forEach([...folders], (folder) => mkdir(join(root, folder), { recursive: true }))
}

async function writeEntry(entry: TarEntry, target: string): Promise<void> {
  if ('text' in entry) return writeFile(target, entry.text, { mode: fileMode(false) })
  return copy(entry, target)
}

async function copy({ name, path }: FileToRead, target: string): Promise<void> {
  try {
    const { mode } = await stat(path)
    await copyFile(path, target, constants.COPYFILE_FICLONE)
    const wanted = fileMode(isExecutableMode(mode))
    if ((mode & 0o777) !== wanted) await chmod(target, wanted)
  } catch (error) {
    throw unreadable(name, error)
  }
}

async function linkOrCopy(entry: FileToRead, target: string): Promise<void> {
  try {
    await link(entry.path, target)
  } catch {
    // Another disk, a file system without links, or too many of them: then it takes space.
    await copy(entry, target)
  }
}

/** Settles when nothing is running any more, even after a failure, so that cleaning up finds everything. */
async function forEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  const failures: unknown[] = []
  let next = 0
  const worker = async () => {
    while (next < items.length && failures.length === 0 && signal?.aborted !== true) {
      await work(items[next++] as Item).catch((error) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: Math.min(FILES_AT_ONCE, items.length) }, worker))
  signal?.throwIfAborted()
  if (failures.length > 0) throw failures[0]
}

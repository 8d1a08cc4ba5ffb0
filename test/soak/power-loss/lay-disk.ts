/** Makes the files of a disk after a cut. */
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bytesOf, type Choose, type CutDisk, type DiskFile } from './disk-model.ts'

/** Makes a data folder as a cut left it. */
export function layDisk(data: string, { folders, files }: CutDisk, choose: Choose, store: Store): void {
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { recursive: true })
  for (const folder of folders) mkdirSync(join(data, folder))
  for (const { path, file } of files) {
    // Files that are written only once can be shared by all disks; those of the folder itself are changed.
    if (file.pending.length === 0 && path.includes('/')) linkSync(store(file), join(data, path))
    else writeFileSync(join(data, path), bytesOf(file, choose))
  }
}

/** Gives the path of a settled file; it is written at the first use. */
export type Store = (file: DiskFile) => string

/** Keeps settled files in a folder, on the file system of the disks. */
export function createStore(folder: string): Store {
  const known = new Set<string>()
  return (file) => {
    const path = join(folder, `${file.id}-${file.version}`)
    if (known.has(path)) return path
    known.add(path)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, file.settled)
    return path
  }
}

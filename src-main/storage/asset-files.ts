/**
 * Files of assets: each under the SHA-256 of its bytes in the folder `assets`, written once, durable before a record
 * names it. What a crash leaves without a record goes with the sweep.
 */
import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { bytesInMemory, openStoredBytes, unlessMissing } from './stored-bytes.ts'
import { createDurableWriter, createFolderMaker, createTurns, fileError, syncFolder } from './write-files.ts'

/** Files of assets, by the SHA-256 of their bytes. Nothing here belongs inside a Writer's work. */
type AssetFiles = ReturnType<typeof openAssetFiles>

/** Files in a folder of the data folder; it is made at the first use. */
export function openAssetFiles(dataFolder: string) {
  const { inTurn, idle } = createTurns()
  const writeDurably = createDurableWriter()
  const makeFolder = createFolderMaker()
  const folder = join(dataFolder, 'assets')
  const pathOf = (id: string) => join(folder, id)

  // The name of its own until it is whole: a file cut off by a crash must not have the name of its bytes.
  async function write(id: string, bytes: Uint8Array): Promise<void> {
    await makeFolder(folder)
    if (await touch(pathOf(id))) return
    const part = join(folder, `.${randomUUID()}.new`)
    try {
      await writeDurably(part, bytes)
      await rename(part, pathOf(id))
      await syncFolder(folder)
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  }

  return {
    /** Makes the file durable unless it is there. @throws AppError DISK_FULL, DATABASE_BUSY */
    store: (id: string, bytes: Uint8Array) =>
      inTurn(id, () =>
        write(id, bytes).catch((error) => {
          throw fileError(error, 'an asset could not be stored')
        }),
      ),
    /** Undefined: it is missing; so does `read`. */
    open: (id: string) => openStoredBytes(pathOf(id)),
    read: (id: string): Promise<Uint8Array<ArrayBuffer> | undefined> => unlessMissing(readFile(pathOf(id))),
    async remove(ids: readonly string[]) {
      for (const id of ids) await inTurn(id, () => rm(pathOf(id), { force: true }))
    },
    /** Names of the files that were written before, in wall ms. */
    async olderThan(before: number): Promise<readonly string[]> {
      const names = (await unlessMissing(readdir(folder))) ?? []
      const old: string[] = []
      for (const name of names) {
        const found = await unlessMissing(stat(pathOf(name)))
        if (found !== undefined && found.mtimeMs < before) old.push(name)
      }
      return old
    },
    /** Waits for what is under way. */
    close: idle,
  }
}

/** Files in memory, for a database that is. */
export function assetsInMemory(): AssetFiles {
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  return {
    store: async (id, bytes) => void files.set(id, new Uint8Array(bytes)),
    async open(id) {
      const bytes = files.get(id)
      return bytes && bytesInMemory(bytes)
    },
    read: async (id) => files.get(id),
    async remove(ids) {
      for (const id of ids) files.delete(id)
    },
    olderThan: async () => [...files.keys()],
    close: async () => undefined,
  }
}

// One that lies there without a record must not be swept before it gets one.
async function touch(path: string): Promise<boolean> {
  const now = new Date() // the file system's own clock: it wrote the time of the file
  return (await unlessMissing(utimes(path, now, now).then(() => true))) === true
}

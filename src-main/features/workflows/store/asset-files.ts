/**
 * Asset files named by SHA-256, written once and durable before a record names them. The sweep removes those a crash
 * leaves without a record.
 */
import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { bytesInMemory, openStoredBytes, unlessMissing } from '../../../database/stored-bytes.ts'
import { createDurableWriter, createFolderMaker, fileError, syncFolder } from '../../../database/write-files.ts'
import { createTurns } from '../../../lib/turns.ts'

/** Asset files by SHA-256. Not to be used inside a Writer's work. */
type AssetFiles = ReturnType<typeof openAssetFiles>

export function openAssetFiles(dataFolder: string) {
  const { inTurn, idle } = createTurns()
  const writeDurably = createDurableWriter()
  const makeFolder = createFolderMaker()
  const folder = join(dataFolder, 'assets')
  const pathOf = (id: string) => join(folder, id)

  // Under a temporary name until complete: a file truncated by a crash must not bear its hash.
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
    /**
     * Stores the file durably unless present.
     * @throws AppError DISK_FULL, DATABASE_BUSY
     */
    store: (id: string, bytes: Uint8Array) =>
      inTurn(id, () =>
        write(id, bytes).catch((error) => {
          throw fileError(error, 'an asset could not be stored')
        }),
      ),
    open: (id: string) => openStoredBytes(pathOf(id)),
    read: (id: string): Promise<Uint8Array<ArrayBuffer> | undefined> => unlessMissing(readFile(pathOf(id))),
    async remove(ids: readonly string[]) {
      for (const id of ids) await inTurn(id, () => rm(pathOf(id), { force: true }))
    },
    /** Names of files written before a time in wall ms. */
    async olderThan(before: number): Promise<readonly string[]> {
      const names = (await unlessMissing(readdir(folder))) ?? []
      const old: string[] = []
      for (const name of names) {
        const found = await unlessMissing(stat(pathOf(name)))
        if (found !== undefined && found.mtimeMs < before) old.push(name)
      }
      return old
    },
    close: idle,
  }
}

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

async function touch(path: string): Promise<boolean> {
  const now = new Date()
  return (await unlessMissing(utimes(path, now, now).then(() => true))) === true
}

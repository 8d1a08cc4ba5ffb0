/**
 * Asset files named by SHA-256, written once and durable before a record names them. The sweep removes those a crash
 * leaves without a record.
 */
import { createHash, randomUUID } from 'node:crypto'
import { copyFile, link, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { bytesInMemory, openStoredBytes, unlessMissing } from '../../../database/stored-bytes.ts'
import {
  createDurableWriter,
  createFolderMaker,
  fileError,
  PRIVATE_FILE,
  syncFolder,
  writeAll,
} from '../../../database/write-files.ts'
import { createTurns } from '../../../lib/turns.ts'
import { MIB } from '../../../lib/units.ts'

export type ReceivedFile = {
  /** SHA-256. */
  readonly id: string
  readonly bytes: number
  /** Enough to tell its type and the size of a picture. */
  readonly head: Uint8Array
  /** Stores it durably unless present. May be called again, until `drop`. */
  readonly store: () => Promise<void>
  readonly read: () => Promise<Uint8Array<ArrayBuffer>>
  readonly drop: () => Promise<void>
}

// The size of a JPEG may come after texts and thumbnails of 64 KiB each. Source: ours.
const HEAD_BYTES = MIB

/** Asset files by SHA-256. Not to be used inside a Writer's work. */
type AssetFiles = ReturnType<typeof openAssetFiles>

export function openAssetFiles(dataFolder: string) {
  const { inTurn, idle } = createTurns()
  const writeDurably = createDurableWriter()
  const makeFolder = createFolderMaker()
  const folder = join(dataFolder, 'assets')
  const pathOf = (id: string) => join(folder, id)

  const newPart = () => join(folder, `.${randomUUID()}.new`)

  const store = (id: string, write: (part: string) => Promise<void>) =>
    inTurn(id, () => orFileError(storeNow(id, write)))

  // Under a temporary name until complete: a file truncated by a crash must not bear its hash.
  async function storeNow(id: string, write: (part: string) => Promise<void>): Promise<void> {
    await makeFolder(folder)
    if (await touch(pathOf(id))) return
    const part = newPart()
    try {
      await write(part)
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
    store: (id: string, bytes: Uint8Array) => store(id, (part) => writeDurably(part, bytes)),
    /**
     * Writes a file as it arrives.
     * @throws AppError DISK_FULL, DATABASE_BUSY; an error of the pieces
     */
    async receive(pieces: AsyncIterable<Uint8Array>): Promise<ReceivedFile> {
      await orFileError(makeFolder(folder))
      const path = newPart()
      const drop = () => rm(path, { force: true })
      try {
        const received = await writePieces(path, pieces)
        const { id } = received
        return {
          ...received,
          store: () => store(id, (part) => linkOrCopy(path, part)),
          read: () => readFile(path),
          drop,
        }
      } catch (error) {
        await drop()
        throw error
      }
    },
    open: (id: string) => openStoredBytes(pathOf(id)),
    read: (id: string): Promise<Uint8Array<ArrayBuffer> | undefined> => unlessMissing(readFile(pathOf(id))),
    async remove(ids: readonly string[]) {
      for (const id of ids) await inTurn(id, () => rm(pathOf(id), { force: true }))
    },
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
    async receive(pieces) {
      const all = Uint8Array.from(await buffer(Readable.from(pieces)))
      const id = createHash('sha256').update(all).digest('hex')
      const store = async () => void files.set(id, all)
      return { id, bytes: all.length, head: all, store, read: async () => all, drop: async () => undefined }
    },
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

const orFileError = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error) => {
    throw fileError(error, 'an asset could not be stored')
  })

async function writePieces(path: string, pieces: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  let [head, bytes] = [Buffer.alloc(0), 0]
  await using file = await orFileError(open(path, 'wx', PRIVATE_FILE))
  for await (const piece of pieces) {
    hash.update(piece)
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, piece])
    await orFileError(writeAll(file, piece, bytes))
    bytes += piece.length
  }
  await orFileError(file.datasync())
  return { id: hash.digest('hex'), bytes, head }
}

// Some file systems have no hard links.
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(async () => {
    await copyFile(from, to)
    await using file = await open(to, 'r+')
    await file.datasync()
  })
}

/** Reads files piece by piece, so that a slow reader of a large one takes the memory of a piece. */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { KIB } from '../contract/units.ts'
import { errorCode } from '../domain/error-code.ts'
import type { StoredBytes } from '../domain/json/json.ts'

// A piece costs a turn of the event loop, and two or three of them are in memory for each reader. Source: ours.
const PIECE_BYTES = 64 * KIB

/** A copy of a whole file in memory, for as long as it is there. */
type Held = { readonly look: () => Uint8Array<ArrayBuffer> | undefined; readonly drop: () => void }

const NOT_HELD: Held = { look: () => undefined, drop: () => undefined }

/**
 * Opens a file, or its copy in memory. The file itself is opened by the first read, so that bytes which nobody reads
 * leave nothing open.
 * @param held dropped after it was read to its end
 * @returns undefined if the file is missing
 */
export async function openStoredBytes(path: string, held: Held = NOT_HELD): Promise<StoredBytes | undefined> {
  const bytes = held.look()?.length ?? (await unlessMissing(stat(path)))?.size
  if (bytes === undefined) return undefined
  return {
    bytes,
    async *read({ start = 0, end = bytes } = {}) {
      let file: FileHandle | undefined
      try {
        for (let at = start; at < end; ) {
          const most = Math.min(PIECE_BYTES, end - at)
          const whole = held.look()
          if (whole === undefined) file ??= await open(path)
          // A copy: a view would keep all of it in memory for as long as its reader takes.
          const piece =
            whole === undefined ? await readAt(file, at, most) : new Uint8Array(whole.subarray(at, at + most))
          if (piece.length === 0) throw new Error('a file became shorter while it was read')
          at += piece.length
          if (at === bytes) held.drop()
          yield piece
        }
      } finally {
        await file?.close()
      }
    },
  }
}

/** Bytes in memory, for a database that is. */
export function bytesInMemory(whole: Uint8Array<ArrayBuffer>): StoredBytes {
  return {
    bytes: whole.length,
    async *read({ start = 0, end = whole.length } = {}) {
      yield whole.subarray(start, end)
    },
  }
}

async function readAt(file: FileHandle | undefined, at: number, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const piece = new Uint8Array(most)
  const read = await file?.read(piece, 0, most, at)
  return piece.subarray(0, read?.bytesRead ?? 0)
}

/** The result of a call of the file system; undefined if the file is missing. */
export async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

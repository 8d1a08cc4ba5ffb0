/** A slow reader of a large file costs only one piece of memory. */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { errorCode } from '../lib/error-code.ts'
import type { StoredBytes } from '../lib/json/bytes.ts'
import { KIB } from '../lib/units.ts'

// Each piece costs an event loop turn, and every reader holds two or three. Source: ours.
const PIECE_BYTES = 64 * KIB

type Held = { readonly look: () => Uint8Array<ArrayBuffer> | undefined; readonly drop: () => void }

const NOT_HELD: Held = { look: () => undefined, drop: () => undefined }

/**
 * Opens a file or its in-memory copy. The file is opened by the first read, so unread bytes leave no handle.
 * @param held released after the last byte
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
          // Copied, since a view would keep the whole buffer in memory while its reader takes it.
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

export async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

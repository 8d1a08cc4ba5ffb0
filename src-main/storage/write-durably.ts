/**
 * Writes a new file past the page cache, from memory straight to the disk. 20 MB through the cache need 5,000 pages of
 * it; where these are fresh, as in most virtual machines, that takes five times as long as the disk does, and on any
 * machine they push pages of the database out. Direct writes want memory and lengths in whole blocks, so the bytes go
 * through two aligned pieces in turn: one is filled while the other is written. File systems that know no direct
 * writes get ordinary ones from the same pieces.
 */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'

// Covers the block of every common disk, which is 512 or 4096 bytes.
const BLOCK_BYTES = 4096
// A quarter of it is slower by a fifth, as the event loop must begin each write; more is no faster.
const PIECE_BYTES = 4 * 1024 * 1024
const WASM_PAGE_BYTES = 64 * 1024

const NEW_FILE = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY
const PRIVATE = 0o600

/** Writes a file; it is on the disk, with its name, when the promise settles. */
export type DurableWriter = (path: string, bytes: Uint8Array) => Promise<void>

/** Makes a writer. It writes one file at a time, as they share the pieces and the disk; the first use takes 8 MiB. */
export function createDurableWriter(): DurableWriter {
  let pieces: readonly Buffer[] | undefined
  let last: Promise<void> = Promise.resolve()
  return (path, bytes) => {
    pieces ??= alignedPieces()
    const mine = pieces
    const writing = last.then(() => writeFile(path, bytes, mine))
    last = writing.catch(() => undefined)
    return writing
  }
}

// Node's types leave this to those of a browser.
declare const WebAssembly: {
  readonly Memory: new (size: {
    readonly initial: number
    readonly maximum: number
  }) => {
    readonly buffer: ArrayBuffer
  }
}

// Memory of WebAssembly is the only one in Node that begins at a page for sure.
function alignedPieces(): readonly Buffer[] {
  const pages = (2 * PIECE_BYTES) / WASM_PAGE_BYTES
  const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages })
  return [Buffer.from(buffer, 0, PIECE_BYTES), Buffer.from(buffer, PIECE_BYTES, PIECE_BYTES)]
}

async function writeFile(path: string, bytes: Uint8Array, pieces: readonly Buffer[]): Promise<void> {
  await withFile(await openDirect(path), async (file) => {
    await writeInPieces(file, bytes, pieces)
    await file.truncate(bytes.length) // the last block was filled up
    await file.datasync()
  })
  await withFile(await open(dirname(path)), (folder) => folder.sync()) // the name is an entry of the folder
}

async function openDirect(path: string): Promise<FileHandle> {
  try {
    return await open(path, NEW_FILE | constants.O_DIRECT, PRIVATE)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EINVAL')) throw error
    return open(path, NEW_FILE, PRIVATE)
  }
}

async function writeInPieces(file: FileHandle, bytes: Uint8Array, pieces: readonly Buffer[]): Promise<void> {
  let writing: Promise<void> = Promise.resolve()
  for (let at = 0, turn = 0; at < bytes.length; at += PIECE_BYTES, turn++) {
    const piece = pieces[turn % pieces.length] as Buffer
    const part = bytes.subarray(at, at + PIECE_BYTES)
    piece.set(part)
    await writing
    writing = writeAll(file, piece.subarray(0, Math.ceil(part.length / BLOCK_BYTES) * BLOCK_BYTES), at)
  }
  await writing
}

async function writeAll(file: FileHandle, piece: Buffer, at: number): Promise<void> {
  for (let written = 0; written < piece.length; )
    written += (await file.write(piece, written, piece.length - written, at + written)).bytesWritten
}

async function withFile(file: FileHandle, use: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await use(file)
  } finally {
    await file.close()
  }
}

/**
 * Writes files with direct I/O: 20 MB need 5,000 cache pages, which if fresh take five times as long as the disk, and
 * evict database pages. Two aligned pieces alternate; other file systems get ordinary writes.
 */
import { closeSync, constants, fsyncSync, openSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../contract/errors.ts'
import { errorCode } from '../lib/error-code.ts'
import { KIB, MIB } from '../lib/units.ts'

// A multiple of common disk block sizes, 512 or 4096 bytes.
const BLOCK_BYTES = 4096
// A quarter of it is a fifth slower, as the event loop starts each write; more is no faster.
const PIECE_BYTES = 4 * MIB
const WASM_PAGE_BYTES = 64 * KIB

const NEW_FILE = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY
/** Mode of files only the service's user may read: inputs, outputs, keys. */
export const PRIVATE_FILE = 0o600
export const PRIVATE_FOLDER = 0o700

/** Writes a file; it is on disk, with its name, when the promise resolves. */
type DurableWriter = (path: string, bytes: Uint8Array) => Promise<void>

/** Writes one file at a time, since they share the pieces and the disk; the first use allocates 8 MiB. */
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

// Declared here, because Node's types leave it to those of browsers.
declare const WebAssembly: {
  readonly Memory: new (size: {
    readonly initial: number
    readonly maximum: number
  }) => {
    readonly buffer: ArrayBuffer
  }
}

// WebAssembly memory is the only memory in Node that is certainly page-aligned.
function alignedPieces(): readonly Buffer[] {
  const pages = (2 * PIECE_BYTES) / WASM_PAGE_BYTES
  const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages })
  return [Buffer.from(buffer, 0, PIECE_BYTES), Buffer.from(buffer, PIECE_BYTES, PIECE_BYTES)]
}

async function writeFile(path: string, bytes: Uint8Array, pieces: readonly Buffer[]): Promise<void> {
  await withFile(await openDirect(path), async (file) => {
    await writeInPieces(file, bytes, pieces)
    await file.truncate(bytes.length) // the last block was padded
    await file.datasync()
  })
  await syncFolder(dirname(path))
}

async function openDirect(path: string): Promise<FileHandle> {
  try {
    return await open(path, NEW_FILE | constants.O_DIRECT, PRIVATE_FILE)
  } catch (error) {
    if (errorCode(error) !== 'EINVAL') throw error
    return open(path, NEW_FILE, PRIVATE_FILE)
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

export async function writeAll(file: FileHandle, piece: Uint8Array, at: number): Promise<void> {
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

// Windows cannot sync folders; it stores the name with the file.
const SYNCS_FOLDERS = process.platform !== 'win32'

/** Syncs a folder's entries: syncing a file does not put its name on disk. */
export async function syncFolder(path: string): Promise<void> {
  if (SYNCS_FOLDERS) await withFile(await open(path), (folder) => folder.sync())
}

export function syncFolderNow(path: string): void {
  if (!SYNCS_FOLDERS) return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/**
 * Creates durable folders. The first use syncs an existing folder, as a killed service may have left a file without its
 * name on disk.
 */
export function createFolderMaker(): (path: string) => Promise<string> {
  const synced = new Set<string>()
  return async (path) => {
    const first = await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER })
    if (first === undefined && synced.has(path)) return path
    await syncFolder(path)
    const above = dirname(first ?? path)
    for (let folder = dirname(path); folder.length >= above.length; folder = dirname(folder)) await syncFolder(folder)
    synced.add(path)
    return path
  }
}

/** @param what start of the reason, like "a payload could not be stored" */
export function fileError(error: unknown, what: string): AppError {
  const code = errorCode(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return new AppError('DISK_FULL', {}, { cause: error })
  return new AppError('DATABASE_BUSY', { why: `${what} (${code})` }, { cause: error })
}

/**
 * How storage writes files: past the page cache, and those of one name in turn. A new file goes from memory straight to
 * the disk. 20 MB through the cache need 5,000 pages of it; where these are fresh, as in most virtual machines, that
 * takes five times as long as the disk does, and on any machine they push pages of the database out. Direct writes want
 * memory and lengths in whole blocks, so the bytes go through two aligned pieces in turn: one is filled while the other
 * is written. File systems that know no direct writes get ordinary ones from the same pieces.
 */
import { closeSync, constants, fsyncSync, openSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../contract/errors.ts'
import { KIB, MIB } from '../contract/units.ts'
import { errorCode } from '../domain/error-code.ts'

// Covers the block of every common disk, which is 512 or 4096 bytes.
const BLOCK_BYTES = 4096
// A quarter of it is slower by a fifth, as the event loop must begin each write; more is no faster.
const PIECE_BYTES = 4 * MIB
const WASM_PAGE_BYTES = 64 * KIB

const NEW_FILE = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY
/** Mode of what only the user of the service may read: inputs, outputs, keys. */
export const PRIVATE_FILE = 0o600
/** The same of a folder. */
export const PRIVATE_FOLDER = 0o700

/** Writes a file; it is on the disk, with its name, when the promise resolves. */
type DurableWriter = (path: string, bytes: Uint8Array) => Promise<void>

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

/** Writes all of a piece at a position: the system may take less at a time. */
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

// Windows syncs no folders: it keeps a name with its file.
const SYNCS_FOLDERS = process.platform !== 'win32'

/** Brings the names in a folder onto the disk: each is an entry of the folder, and a sync of its file says nothing. */
export async function syncFolder(path: string): Promise<void> {
  if (SYNCS_FOLDERS) await withFile(await open(path), (folder) => folder.sync())
}

/** The same at once, for what happens at the start or hardly ever. */
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
 * Makes what makes folders that are on the disk, with the names in them. The first use of a folder syncs it: a service
 * that was killed may have left a file there whose name is not on the disk yet, and who sends it again is told that it
 * is there.
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

/**
 * The error for a caller whose file cannot be written.
 * @param what begins the reason, like "a payload could not be stored"
 */
export function fileError(error: unknown, what: string): AppError {
  const code = errorCode(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return new AppError('DISK_FULL', {}, { cause: error })
  return new AppError('DATABASE_BUSY', { why: `${what} (${code})` }, { cause: error })
}

/** Does what is asked for one name one after the other, and what is asked for others beside it. */
export type InTurn = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

/** Makes the turns of names; `idle` waits until nothing is under way. */
export function createTurns(): { readonly inTurn: InTurn; readonly idle: () => Promise<void> } {
  const last = new Map<string, Promise<unknown>>()
  return {
    inTurn(name, work) {
      const result = (last.get(name) ?? Promise.resolve()).then(work)
      // Whoever comes next waits for the end, however it ends; the caller gets the error.
      const ended = result
        .catch(() => undefined)
        .then(() => {
          if (last.get(name) === ended) last.delete(name)
        })
      last.set(name, ended)
      return result
    },
    async idle() {
      while (last.size > 0) await Promise.all(last.values())
    },
  }
}

/**
 * Unpacks artifacts. All of an archive is checked while it is read: `check-entries` says what it may hold, and the
 * first entry that it may not ends it. Small files are written beside the reading, many at once; large ones pass
 * through. All is on the disk before the folder gets its name: whoever finds the name after a loss of power finds whole
 * files.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import { AppError } from '../contract/errors.ts'
import { limit } from '../contract/limits.ts'
import { MANIFEST_FILE } from '../contract/manifest.ts'
import { PLATFORM_MANIFEST_FILE } from '../contract/platform-manifest.ts'
import { KIB } from '../contract/units.ts'
import { errorCode } from '../domain/error-code.ts'
import { sizeText } from '../domain/text.ts'
import type { ReadManifest, UnpackArtifact } from '../services/ports/apps.ts'
import { type ArchiveLimits, createEntryCheck, RefusedArchive, tooLarge } from './check-entries.ts'
import { FOLDER_MODE, fileMode, isExecutableMode } from './file-modes.ts'
import { FILES_AT_ONCE, WHOLE_BYTES } from './read-files.ts'
import { putInPlace, syncFiles } from './write-files.ts'

// A quarter of the time for archives of many small files, against the 16 KiB that are usual.
const INFLATED_BYTES = 256 * KIB

const BLOCK_BYTES = 512
// Two empty blocks end an archive.
const END_BYTES = 2 * BLOCK_BYTES

// 1980-01-01: reproducible archives, such as those of our own builds, give every file this time. If two versions of a
// file had this time and the same size, a cache of compiled files could not tell them apart.
const NO_TIME = Date.UTC(1980, 0, 1)

type Body = AsyncIterable<unknown>

/** Unpacks with the limits of artifacts. */
export const unpackArtifact: UnpackArtifact = createUnpacker({
  bytes: limit('unpackedBytes'),
  files: limit('unpackedFiles'),
})

/**
 * Makes what unpacks artifacts; `bytes` are those of the archive without its compression.
 * @param sync as `syncFiles`
 */
export function createUnpacker(limits: ArchiveLimits, sync = syncFiles): UnpackArtifact {
  return async (file, folder, signal) => {
    await mkdir(dirname(folder), { recursive: true })
    const begun = await mkdtemp(join(dirname(folder), `.${basename(folder)}.`))
    try {
      const written = await unpackInto(begun, file, limits, signal)
      await chmod(begun, FOLDER_MODE)
      await sync([...written, begun])
      signal.throwIfAborted()
      await putInPlace(begun, folder)
      await sync([dirname(folder)])
    } catch (error) {
      throw signal.aborted ? signal.reason : unpackError(error)
    } finally {
      await rm(begun, { recursive: true, force: true })
    }
  }
}

/** @returns paths of all that was made */
async function unpackInto(
  root: string,
  file: string,
  limits: ArchiveLimits,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const made: string[] = []
  const check = createEntryCheck(limits)
  const writes = createWrites()
  const gunzip = createGunzip({ chunkSize: INFLATED_BYTES })
  const tar = extract()
  const { mtimeMs: arrivedAt } = await stat(file)
  let inflated = 0
  let endOfEntries = 0
  let taking: Promise<void> = Promise.resolve()

  async function take(header: Header, body: Body): Promise<void> {
    const entry = check(header)
    if (entry === undefined) return
    for (const folder of entry.newFolders) {
      await mkdir(join(root, folder), FOLDER_MODE)
      made.push(join(root, folder))
    }
    if (entry.kind === 'folder') return
    // 'wx' makes a new file or fails: it follows no link and changes nothing that is there.
    const options = { flag: 'wx', mode: fileMode(isExecutableMode(header.mode)) } as const
    const path = join(root, entry.path)
    made.push(path)
    if (header.size > WHOLE_BYTES) {
      await pipeline(body, createWriteStream(path, { ...options, flags: options.flag }))
      return keepTime(path, header.mtime)
    }
    const content = await readAll(body, header.size)
    await writes.add(async () => {
      await writeFile(path, content, options)
      await keepTime(path, header.mtime)
    })
  }

  // Python uses a compiled file only if the time recorded in it is that of the source file.
  async function keepTime(path: string, time: Date | undefined): Promise<void> {
    if (time !== undefined && time.getTime() > NO_TIME && time.getTime() <= arrivedAt) await utimes(path, time, time)
  }

  tar.on('entry', (header, body, next) => {
    endOfEntries = body.offset + BLOCK_BYTES + Math.ceil(header.size / BLOCK_BYTES) * BLOCK_BYTES
    // It fails with the archive, which tells why; an error that nobody listens to would end the process.
    body.on('error', () => {})
    taking = take(header, body)
    taking.then(() => next(), next)
  })
  async function* bounded(pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      inflated += piece.length
      if (inflated > limits.bytes) throw new RefusedArchive(tooLarge(limits))
      yield piece
    }
  }
  try {
    await pipeline(createReadStream(file), gunzip, bounded, tar, { signal })
    await taking
    if (inflated - endOfEntries < END_BYTES) throw new RefusedArchive('it is cut off')
    // Zeros after the last part, and all that follows them, are skipped by gunzip without an error.
    if (gunzip.bytesWritten !== (await stat(file)).size) throw new RefusedArchive('there is data after its end')
  } finally {
    // Nothing may be written any more when the folder is removed; the error is that of the archive.
    await taking.catch(() => undefined)
    await writes.idle()
  }
  writes.throwIfFailed()
  return made
}

async function readAll(body: Body, size: number): Promise<Buffer> {
  if (size === 0) return Buffer.alloc(0)
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece as Buffer)
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
}

/** Runs writes beside each other, so many at once; after one that failed no other is begun. */
function createWrites() {
  const running = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined
  const throwIfFailed = () => {
    if (failure !== undefined) throw failure.error
  }
  return {
    throwIfFailed,
    async add(write: () => Promise<void>): Promise<void> {
      while (running.size >= FILES_AT_ONCE) await Promise.race(running)
      throwIfFailed()
      const one = write()
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => running.delete(one))
      running.add(one)
    },
    async idle(): Promise<void> {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/** The error for a person. */
function unpackError(error: unknown): Error {
  const code = errorCode(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return new AppError('DISK_FULL', {}, { cause: error })
  return new Error(`The artifact cannot be unpacked: ${reasonOf(error, code)}. Build the app and deploy again.`, {
    cause: error,
  })
}

function reasonOf(error: unknown, code: string): string {
  const { message } = error as Error
  if (error instanceof RefusedArchive) return message
  if (code.startsWith('Z_')) return 'it is not a gzip file, or it is incomplete or damaged'
  if (code !== '') return message
  return `it is not a tar archive, or it is incomplete or damaged (${message.replace(/[.?]$/, '')})`
}

/** Reads the manifest of a folder, ours or that of SDK 2.0. */
export const readManifest: ReadManifest = async (folder) => {
  // One that depends on where the service was started is nobody's wish.
  if (!isAbsolute(folder)) return undefined
  for (const name of [MANIFEST_FILE, PLATFORM_MANIFEST_FILE]) {
    try {
      const path = join(folder, name)
      const { size } = await stat(path)
      if (size > limit('manifestBytes')) {
        const why = `has ${sizeText(size)}, and the limit is ${sizeText(limit('manifestBytes'))}`
        throw new AppError('BAD_FIELD', { field: name, why })
      }
      return await readFile(path, 'utf8')
    } catch (error) {
      if (!/^(ENOENT|ENOTDIR)$/.test(errorCode(error))) throw error
    }
  }
  return undefined
}

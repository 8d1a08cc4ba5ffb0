/**
 * Checks entries while reading and stops at the first forbidden one; syncs all before naming the folder, so power loss
 * leaves no partial files.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import { MANIFEST_FILE } from '../../../contract/manifest.ts'
import { PLATFORM_MANIFEST_FILE } from '../../../contract/platform-manifest.ts'
import { errorCode } from '../../../lib/error-code.ts'
import { sizeText } from '../../../lib/text.ts'
import { KIB } from '../../../lib/units.ts'
import type { ReadManifest, UnpackArtifact } from '../ports/artifacts.ts'
import { type ArchiveLimits, createEntryCheck, RefusedArchive, tooLarge } from './check-entries.ts'
import { FOLDER_MODE, fileMode, isExecutableMode } from './file-modes.ts'
import { FILES_AT_ONCE, WHOLE_BYTES } from './read-files.ts'
import { putInPlace, syncFiles } from './write-files.ts'

// A quarter of the time for archives of many small files, compared with the default of 16 KiB.
const INFLATED_BYTES = 256 * KIB

const BLOCK_BYTES = 512
const END_BYTES = 2 * BLOCK_BYTES

// 1980-01-01, the fixed time in reproducible archives; two versions of equal size would be indistinguishable to
// Python's bytecode cache.
const NO_TIME = Date.UTC(1980, 0, 1)

type Body = AsyncIterable<unknown>

export const unpackArtifact: UnpackArtifact = createUnpacker({
  bytes: limit('unpackedBytes'),
  files: limit('unpackedFiles'),
})

/** Limits apply to uncompressed bytes. */
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
    // 'wx' creates a new file or fails: it follows no link and changes nothing that exists.
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

  // Python uses a compiled file only if its recorded time is that of the source file.
  async function keepTime(path: string, time: Date | undefined): Promise<void> {
    if (time !== undefined && time.getTime() > NO_TIME && time.getTime() <= arrivedAt) await utimes(path, time, time)
  }

  tar.on('entry', (header, body, next) => {
    endOfEntries = body.offset + BLOCK_BYTES + Math.ceil(header.size / BLOCK_BYTES) * BLOCK_BYTES
    // It fails with the archive, which tells why; an error without a listener would end the process.
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
    // gunzip silently skips zeros after the last part, and everything after them.
    if (gunzip.bytesWritten !== (await stat(file)).size) throw new RefusedArchive('there is data after its end')
  } finally {
    // No write may still run when the folder is removed; the archive's error is the one reported.
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

export const readManifest: ReadManifest = async (folder) => {
  // A path relative to the service's start folder is a mistake.
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

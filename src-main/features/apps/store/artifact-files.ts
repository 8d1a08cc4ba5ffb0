/**
 * Artifact files. `SHA.tar.gz` is complete, `SHA.TOTAL.part` an upload whose length is its progress, so it resumes
 * after a restart. Only a verified file on disk gets a complete name; one artifact's operations are sequential.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, mkdtemp, open, readdir, rename, rm, stat, unlink, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ArtifactStatus } from '../../../contract/app.ts'
import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import { unlessMissing } from '../../../database/stored-bytes.ts'
import { createFolderMaker, fileError, PRIVATE_FILE, syncFolder } from '../../../database/write-files.ts'
import { createTurns, type InTurn } from '../../../lib/turns.ts'
import { DAY_MS, MIB } from '../../../lib/units.ts'

/** An incomplete upload; sizes in bytes. */
type Part = { readonly path: string; readonly received: number; readonly total: number }

const PART = /^(?<artifact>[0-9a-f]{64})\.(?<total>\d+)\.part$/
const GZIP = Buffer.from([0x1f, 0x8b, 8])
const MISSING: ArtifactStatus = { state: 'missing', received: 0 }

export function openArtifactFiles(dataFolder: string, limitBytes = limit('artifactBytes')) {
  return createArtifactFiles(async () => dataFolder, limitBytes)
}

export function temporaryArtifactFiles() {
  let made: Promise<string> | undefined
  const files = createArtifactFiles(() => {
    made ??= mkdtemp(join(tmpdir(), 'drydock-artifacts-'))
    return made
  }, limit('artifactBytes'))
  return {
    ...files,
    close: async () => {
      await files.close()
      if (made !== undefined) await rm(await made, { recursive: true, force: true })
    },
  }
}

export type ArtifactFiles = ReturnType<typeof createArtifactFiles>

function createArtifactFiles(dataFolder: () => Promise<string>, limitBytes: number) {
  const { inTurn, idle } = createTurns()
  const makeFolder = createFolderMaker()
  const folder = async (...names: readonly string[]) => makeFolder(join(await dataFolder(), ...names))
  const artifacts = () => folder('artifacts')
  const wholePath = async (artifact: string) => join(await artifacts(), `${artifact}.tar.gz`)

  async function statusOf(artifact: string): Promise<ArtifactStatus> {
    const size = await touch(await wholePath(artifact))
    if (size !== undefined) return { state: 'complete', received: size, total: size }
    const part = await findPart(await artifacts(), artifact)
    if (part === undefined) return MISSING
    const { received, total } = part
    if (received < total) return { state: 'partial', received, total }
    const isWhole = (await whyDamaged(part.path, artifact)) === undefined
    return isWhole ? storeWhole(artifact, part) : throwAway(part)
  }

  async function append(artifact: string, offset: number, total: number, bytes: Uint8Array): Promise<ArtifactStatus> {
    if (total > limitBytes) throw new AppError('UPLOAD_TOO_LARGE', { bytes: total, limit: limitBytes })
    const before = await statusOf(artifact)
    if (before.state === 'complete') return before
    // A different total is a different upload: one of them is wrong and would never finish.
    const isOther = before.total !== undefined && before.total !== total
    const received = isOther ? 0 : before.received
    if (offset !== received) throw new AppError('UPLOAD_OFFSET', { received })
    const end = offset + bytes.length
    if (end > total) throw new AppError('UPLOAD_TOO_LARGE', { bytes: end, limit: total })
    if (isOther) await unlink(join(await artifacts(), `${artifact}.${before.total}.part`))
    const path = join(await artifacts(), `${artifact}.${total}.part`)
    await writeAt(path, bytes, offset)
    if (end < total) return { state: 'partial', received: end, total }
    const part = { path, received: end, total }
    const why = await whyDamaged(path, artifact)
    if (why === undefined) return storeWhole(artifact, part)
    await throwAway(part)
    throw new AppError('UPLOAD_DAMAGED', { why })
  }

  async function storeWhole(artifact: string, { path, total }: Part): Promise<ArtifactStatus> {
    await using part = await open(path, 'r+')
    await part.datasync()
    await rename(path, await wholePath(artifact))
    await syncFolder(await artifacts())
    return { state: 'complete', received: total, total }
  }

  async function take(artifact: string, path: string): Promise<void> {
    const { size: total } = await stat(path)
    await chmod(path, PRIVATE_FILE)
    if ((await find(artifact)) !== undefined) await rm(path)
    else await storeWhole(artifact, { path, received: total, total })
  }

  /**
   * Stores a streamed artifact; a broken stream can be resumed.
   * @param part.file from `newFile`
   * @param part.from bytes already there; 0 restarts
   * @param part.total announced bytes
   * @returns its name
   * @throws AppError UPLOAD_OFFSET, UPLOAD_TOO_LARGE, UPLOAD_DAMAGED, DISK_FULL, DATABASE_BUSY if the stream breaks
   */
  async function receive(
    bytes: AsyncIterable<Uint8Array>,
    { file: path, from, total }: { readonly file: string; readonly from: number; readonly total: number },
  ): Promise<string> {
    if (total > limitBytes) throw new AppError('UPLOAD_TOO_LARGE', { bytes: total, limit: limitBytes })
    const received = await sizeOf(path)
    if (from > 0 && from !== received) throw new AppError('UPLOAD_OFFSET', { received })
    try {
      return await receiveWhole(bytes, { path, from, total })
    } catch (error) {
      const told = error instanceof AppError ? error : fileError(error, 'an artifact could not be stored')
      if (told.code !== 'DATABASE_BUSY') await rm(path, { force: true })
      throw told
    }
  }

  async function receiveWhole(bytes: AsyncIterable<Uint8Array>, part: StreamPart): Promise<string> {
    const { artifact, received, isGzip } = await writeStream(bytes, part)
    if (received !== part.total)
      throw new AppError('UPLOAD_DAMAGED', { why: `${received} bytes came, and ${part.total} were announced` })
    if (!isGzip) throw new AppError('UPLOAD_DAMAGED', { why: 'it is not a gzip file' })
    await inTurn(artifact, () => take(artifact, part.path))
    return artifact
  }

  async function find(artifact: string): Promise<string | undefined> {
    const path = await wholePath(artifact)
    return (await touch(path)) === undefined ? undefined : path
  }

  return {
    status: (artifact: string) => inTurn(artifact, () => statusOf(artifact)),
    /**
     * The last part checks the hash of the whole artifact.
     * @throws AppError UPLOAD_OFFSET, UPLOAD_TOO_LARGE, UPLOAD_DAMAGED, DISK_FULL
     */
    append: (
      artifact: string,
      { offset, total }: { readonly offset: number; readonly total: number },
      bytes: Uint8Array,
    ) =>
      inTurn(artifact, async () => {
        try {
          return await append(artifact, offset, total, bytes)
        } catch (error) {
          throw error instanceof AppError ? error : fileError(error, 'an artifact could not be stored')
        }
      }),
    /** A unique absolute path for an artifact built here, whose name is known only afterwards. */
    newFile: async () => join(await artifacts(), madeName()),
    take: (artifact: string, path: string) =>
      inTurn(artifact, () =>
        take(artifact, path).catch((error) => {
          throw fileError(error, 'an artifact could not be stored')
        }),
      ),
    receive,
    receivedIn: sizeOf,
    async dropUnfinished() {
      const folderPath = await artifacts()
      const left = (await readdir(folderPath)).filter((name) => MADE.test(name))
      for (const name of left) await rm(join(folderPath, name), { force: true })
    },
    find: (artifact: string) => inTurn(artifact, () => find(artifact)),
    unpackedFolder: (artifact: string) =>
      inTurn(artifact, async () => {
        const path = join(await folder('unpacked'), artifact)
        await touch(path)
        return path
      }),
    volume: (name: string) => folder('volumes', volumeFolderName(name)),
    /**
     * Deletes artifacts and unpacked folders that are unused and were not touched lately, and abandoned uploads.
     * @param now wall ms
     */
    sweep: async (inUse: ArtifactsInUse, now: number) =>
      sweepArtifactFiles({ artifacts: await artifacts(), unpacked: await folder('unpacked') }, { inUse, now, inTurn }),
    close: idle,
  }
}

/** Size of a requested file, undefined if missing. Touching protects it from the sweep for a while. */
async function touch(path: string): Promise<number | undefined> {
  const now = new Date()
  const found = await unlessMissing(utimes(path, now, now).then(() => stat(path)))
  return found?.size
}

async function sizeOf(path: string): Promise<number> {
  return (await unlessMissing(stat(path)))?.size ?? 0
}

async function findPart(folder: string, artifact: string): Promise<Part | undefined> {
  for (const name of await readdir(folder)) {
    const found = PART.exec(name)?.groups
    if (found?.artifact !== artifact) continue
    const path = join(folder, name)
    return { path, received: (await stat(path)).size, total: Number(found.total) }
  }
  return undefined
}

async function writeAt(path: string, bytes: Uint8Array, offset: number): Promise<void> {
  await using file = await open(path, 'a', PRIVATE_FILE)
  try {
    for (let written = 0; written < bytes.length; )
      written += (await file.write(bytes, written, bytes.length - written)).bytesWritten
  } catch (error) {
    await file.truncate(offset).catch(() => undefined)
    throw error
  }
}

type StreamPart = { readonly path: string; readonly from: number; readonly total: number }

/** Writes a bounded stream to a file; `artifact` is the SHA-256 of the whole file. */
async function writeStream(bytes: AsyncIterable<Uint8Array>, { path, from, total }: StreamPart) {
  const hash = createHash('sha256')
  let head: Buffer = Buffer.alloc(0)
  let received = 0
  const count = (piece: Uint8Array) => {
    received += piece.length
    if (received > total) throw new AppError('UPLOAD_TOO_LARGE', { bytes: received, limit: total })
    if (head.length < GZIP.length) head = Buffer.concat([head, piece]).subarray(0, GZIP.length)
    hash.update(piece)
  }
  if (from > 0) for await (const piece of createReadStream(path, { highWaterMark: MIB })) count(piece as Buffer)
  await using file = await open(path, from > 0 ? 'a' : 'w', PRIVATE_FILE)
  for await (const piece of bytes) {
    count(piece)
    for (let written = 0; written < piece.length; )
      written += (await file.write(piece, written, piece.length - written)).bytesWritten
  }
  return { artifact: hash.digest('hex'), received, isGzip: head.equals(GZIP) }
}

/** Why a file does not match its name; undefined if it does. Completes "... what its name says: ". */
async function whyDamaged(path: string, artifact: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  let head: Buffer = Buffer.alloc(0)
  for await (const piece of createReadStream(path, { highWaterMark: MIB })) {
    if (head.length < GZIP.length) head = Buffer.concat([head, piece as Buffer]).subarray(0, GZIP.length)
    hash.update(piece as Buffer)
  }
  const is = hash.digest('hex')
  if (is !== artifact) return `its SHA-256 is ${is}`
  return head.equals(GZIP) ? undefined : 'it is not a gzip file'
}

async function throwAway({ path }: Part): Promise<ArtifactStatus> {
  await unlink(path)
  return MISSING
}

// Names that every file system keeps unchanged and distinct; without dots, none equals a generated one.
const PLAIN = /^[a-z0-9][a-z0-9_-]{0,62}$/
const SHOWN_CHARACTERS = 40
const HASH_CHARACTERS = 16

function volumeFolderName(name: string): string {
  if (PLAIN.test(name)) return name
  const shown = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .slice(0, SHOWN_CHARACTERS)
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARACTERS)
  return `volume-${shown}.${hash}`
}

// An upload interrupted in the evening can be resumed the next morning.
const UPLOAD_MS = DAY_MS

const WHOLE = /^(?<artifact>[0-9a-f]{64})\.tar\.gz$/
const PART_OF_UPLOAD = /^(?<artifact>[0-9a-f]{64})\.\d+\.part$/
const MADE = /^\.?made-[0-9a-f]+(\..*\.new)?$/
const BEING_DELETED = '.deleted-'

type Folders = { readonly artifacts: string; readonly unpacked: string }
type ArtifactsInUse = { readonly artifacts: ReadonlySet<string>; readonly unpacked: ReadonlySet<string> }
type Options = {
  readonly inUse: ArtifactsInUse
  /** Wall ms. */
  readonly now: number
  readonly inTurn: InTurn
}

async function sweepArtifactFiles(folders: Folders, { inUse, now, inTurn }: Options): Promise<void> {
  for (const name of await readdir(folders.artifacts)) {
    const path = join(folders.artifacts, name)
    const artifact = (WHOLE.exec(name) ?? PART_OF_UPLOAD.exec(name))?.groups?.artifact
    if (artifact === undefined || (WHOLE.test(name) && inUse.artifacts.has(artifact))) continue
    const retentionMs = PART_OF_UPLOAD.test(name) ? UPLOAD_MS : limit('artifactUnusedMs')
    await inTurn(artifact, async () => {
      if (await isOlder(path, now - retentionMs)) await rm(path, { force: true })
    })
  }
  for (const name of (await readdir(folders.artifacts)).filter((entry) => MADE.test(entry))) {
    const path = join(folders.artifacts, name)
    if (await isOlder(path, now - UPLOAD_MS)) await rm(path, { force: true })
  }
  const unpacked = await readdir(folders.unpacked)
  for (const name of unpacked.filter(isBeingDeleted)) await remove(join(folders.unpacked, name))
  for (const name of unpacked) {
    if (inUse.unpacked.has(name) || isBeingDeleted(name)) continue
    // A concurrent request either touches it first or finds that it is gone.
    const gone = await inTurn(name, async () =>
      (await isOlder(join(folders.unpacked, name), now - limit('artifactUnusedMs')))
        ? takeAway(folders.unpacked, name)
        : undefined,
    )
    if (gone !== undefined) await remove(gone)
  }
}

function madeName(): string {
  return `made-${randomBytes(12).toString('hex')}`
}

const isBeingDeleted = (name: string) => name.startsWith(BEING_DELETED)
const remove = (folder: string) => rm(folder, { recursive: true, force: true })

/** Renamed before deletion: half a folder must not keep a complete one's name if the service ends meanwhile. */
async function takeAway(parent: string, name: string): Promise<string> {
  const path = join(parent, `${BEING_DELETED}${name}`)
  await rename(join(parent, name), path)
  return path
}

async function isOlder(path: string, time: number): Promise<boolean> {
  const found = await unlessMissing(stat(path))
  return found !== undefined && found.mtimeMs < time
}

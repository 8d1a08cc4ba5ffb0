/**
 * Artifacts in folders beside the database, and what belongs to them. `artifacts/SHA.tar.gz` is a whole one, and
 * `artifacts/SHA.TOTAL.part` one that is being sent; how much has come is the length of that file, so an upload goes on
 * after a restart. Only a file whose hash was checked, and that is on the disk, gets the name of a whole one.
 * An artifact that is built here comes in at once, under a name of its own until then.
 * `unpacked/` and `volumes/` are filled by others. What is done with one artifact is done one after the other.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, open, readdir, rename, rm, stat, unlink, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ArtifactStatus } from '../contract/app.ts'
import { AppError } from '../contract/errors.ts'
import { limit } from '../contract/limits.ts'
import type { ArtifactFiles } from '../services/ports/apps.ts'
import { codeOf, fileError } from './file-error.ts'
import { createTurns } from './in-turn.ts'
import { madeName, sweepArtifactFiles } from './sweep-artifact-files.ts'
import { volumeFolderName } from './volume-folder-name.ts'

/** The artifacts with what only storage itself uses. */
export type OpenArtifactFiles = ArtifactFiles & {
  /** Waits for what is under way. */
  readonly close: () => Promise<void>
}

/** An upload that is not whole yet, in bytes. */
type Part = { readonly path: string; readonly received: number; readonly total: number }

const PART = /^(?<artifact>[0-9a-f]{64})\.(?<total>\d+)\.part$/
const GZIP = Buffer.from([0x1f, 0x8b, 8])
const PRIVATE_FOLDER = { recursive: true, mode: 0o700 } as const
const PRIVATE_FILE = 0o600
const MISSING: ArtifactStatus = { state: 'missing', received: 0 }

/** Artifacts of a data folder; nothing is made before it is needed. @param limitBytes of one artifact */
export function openArtifactFiles(dataFolder: string, limitBytes = limit('artifactBytes')): OpenArtifactFiles {
  return createArtifactFiles(async () => dataFolder, limitBytes)
}

/** Artifacts for a database in memory: their folder is made at the first use, and removed by `close`. */
export function temporaryArtifactFiles(): OpenArtifactFiles {
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

function createArtifactFiles(dataFolder: () => Promise<string>, limitBytes: number): OpenArtifactFiles {
  const { inTurn, idle } = createTurns()
  const folder = async (...names: readonly string[]) => {
    const path = join(await dataFolder(), ...names)
    await mkdir(path, PRIVATE_FOLDER)
    return path
  }
  const artifacts = () => folder('artifacts')
  const wholePath = async (artifact: string) => join(await artifacts(), `${artifact}.tar.gz`)

  async function statusOf(artifact: string): Promise<ArtifactStatus> {
    const size = await touch(await wholePath(artifact))
    if (size !== undefined) return { state: 'complete', received: size, total: size }
    const part = await findPart(await artifacts(), artifact)
    if (part === undefined) return MISSING
    const { received, total } = part
    if (received < total) return { state: 'partial', received, total }
    // All was here when the service ended, and nobody would send any more of it.
    const isWhole = (await whyDamaged(part.path, artifact)) === undefined
    return isWhole ? keepWhole(artifact, part) : throwAway(part)
  }

  async function append(artifact: string, offset: number, total: number, bytes: Uint8Array): Promise<ArtifactStatus> {
    if (total > limitBytes) throw new AppError('UPLOAD_TOO_LARGE', { bytes: total, limit: limitBytes })
    const before = await statusOf(artifact)
    if (before.state === 'complete') return before
    // Another total is another upload: one of the two is wrong, and nobody would end the other.
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
    if (why === undefined) return keepWhole(artifact, part)
    await throwAway(part)
    throw new AppError('UPLOAD_DAMAGED', { why })
  }

  async function keepWhole(artifact: string, { path, total }: Part): Promise<ArtifactStatus> {
    await using part = await open(path, 'r+')
    await part.datasync() // also of one that came before the service was started
    await rename(path, await wholePath(artifact))
    await using opened = await open(await artifacts())
    await opened.sync() // the name is an entry of the folder
    return { state: 'complete', received: total, total }
  }

  async function take(artifact: string, path: string): Promise<void> {
    const { size: total } = await stat(path)
    await chmod(path, PRIVATE_FILE)
    // The same source gives the same artifact, so it may be here.
    if ((await find(artifact)) !== undefined) await rm(path)
    else await keepWhole(artifact, { path, received: total, total })
  }

  async function find(artifact: string): Promise<string | undefined> {
    const path = await wholePath(artifact)
    return (await touch(path)) === undefined ? undefined : path
  }

  return {
    status: (artifact) => inTurn(artifact, () => statusOf(artifact)),
    append: (artifact, { offset, total }, bytes) =>
      inTurn(artifact, async () => {
        try {
          return await append(artifact, offset, total, bytes)
        } catch (error) {
          throw error instanceof AppError ? error : fileError(error, 'an artifact could not be stored')
        }
      }),
    newFile: async () => join(await artifacts(), madeName()),
    take: (artifact, path) =>
      inTurn(artifact, () =>
        take(artifact, path).catch((error) => {
          throw fileError(error, 'an artifact could not be kept')
        }),
      ),
    find: (artifact) => inTurn(artifact, () => find(artifact)),
    unpackedFolder: (artifact) =>
      inTurn(artifact, async () => {
        const path = join(await folder('unpacked'), artifact)
        await touch(path)
        return path
      }),
    volume: (name) => folder('volumes', volumeFolderName(name)),
    sweep: async (inUse, now) =>
      sweepArtifactFiles({ artifacts: await artifacts(), unpacked: await folder('unpacked') }, { inUse, now, inTurn }),
    close: idle,
  }
}

/** The size of a file that somebody asked for; undefined where it is missing. The sweep leaves it for a while. */
async function touch(path: string): Promise<number | undefined> {
  try {
    const now = new Date() // the file system's own clock: it wrote the time of the file
    await utimes(path, now, now)
    return (await stat(path)).size
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
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

/** Writes to the end of a part; where that fails, the part is as before. */
async function writeAt(path: string, bytes: Uint8Array, offset: number): Promise<void> {
  await using file = await open(path, 'a', PRIVATE_FILE)
  try {
    for (let written = 0; written < bytes.length; )
      written += (await file.write(bytes, written, bytes.length - written)).bytesWritten
  } catch (error) {
    // Where it cannot be cut off either, the length says what came, and the hash is checked in the end.
    await file.truncate(offset).catch(() => undefined)
    throw error
  }
}

/** Why a file is not the artifact of this name; undefined: it is. The text completes "... what its name says: ". */
async function whyDamaged(path: string, artifact: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  let head: Buffer = Buffer.alloc(0)
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    if (head.length < GZIP.length) head = Buffer.concat([head, piece as Buffer]).subarray(0, GZIP.length)
    hash.update(piece as Buffer)
  }
  const is = hash.digest('hex')
  if (is !== artifact) return `its SHA-256 is ${is}`
  return head.equals(GZIP) ? undefined : 'it is no gzip file'
}

async function throwAway({ path }: Part): Promise<ArtifactStatus> {
  await unlink(path)
  return MISSING
}

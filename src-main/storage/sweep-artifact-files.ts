import { randomBytes } from 'node:crypto'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArtifactFiles } from '../services/ports/apps.ts'
import { codeOf } from './file-error.ts'
import type { InTurn } from './in-turn.ts'

const HOUR = 60 * 60 * 1000
// Longer than the time from an upload to the release that names it, also where a person looks at the plan in between.
const UNUSED_MS = HOUR
// Who was cut off in the evening goes on in the morning.
const UPLOAD_MS = 24 * HOUR

const WHOLE = /^(?<artifact>[0-9a-f]{64})\.tar\.gz$/
const PART = /^(?<artifact>[0-9a-f]{64})\.\d+\.part$/
// What a build of the service writes, and what it writes until that is whole.
const MADE = /^\.?made-[0-9a-f]+(\..*\.new)?$/
const BEING_DELETED = '.deleted-'

type Folders = { readonly artifacts: string; readonly unpacked: string }
type Options = {
  readonly inUse: Parameters<ArtifactFiles['sweep']>[0]
  /** Wall ms. */
  readonly now: number
  readonly inTurn: InTurn
}

/** Deletes what `ArtifactFiles.sweep` says. What is being written is left alone: it was touched lately. */
export async function sweepArtifactFiles(folders: Folders, { inUse, now, inTurn }: Options): Promise<void> {
  for (const name of await readdir(folders.artifacts)) {
    const path = join(folders.artifacts, name)
    const artifact = (WHOLE.exec(name) ?? PART.exec(name))?.groups?.artifact
    if (artifact === undefined || (WHOLE.test(name) && inUse.artifacts.has(artifact))) continue
    const keptMs = PART.test(name) ? UPLOAD_MS : UNUSED_MS
    await inTurn(artifact, async () => {
      if (await isOlder(path, now - keptMs)) await rm(path, { force: true })
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
    // Whoever asks for it in this moment touches it first, or finds that it is gone.
    const gone = await inTurn(name, async () =>
      (await isOlder(join(folders.unpacked, name), now - UNUSED_MS)) ? takeAway(folders.unpacked, name) : undefined,
    )
    if (gone !== undefined) await remove(gone)
  }
}

/** A name for an artifact that is being made here. One that a killed service left is swept. */
export function madeName(): string {
  return `made-${randomBytes(12).toString('hex')}`
}

const isBeingDeleted = (name: string) => name.startsWith(BEING_DELETED)
const remove = (folder: string) => rm(folder, { recursive: true, force: true })

/** Under another name first: half a folder must not have the name of a whole one, should the service end meanwhile. */
async function takeAway(parent: string, name: string): Promise<string> {
  const path = join(parent, `${BEING_DELETED}${name}`)
  await rename(join(parent, name), path)
  return path
}

/** Whether it is there and was last touched before a time, in wall ms. */
async function isOlder(path: string, time: number): Promise<boolean> {
  try {
    return (await stat(path)).mtimeMs < time
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

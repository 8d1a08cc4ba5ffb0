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
  for (const name of await readdir(folders.unpacked)) {
    const path = join(folders.unpacked, name)
    if (!inUse.unpacked.has(name) && (await isOlder(path, now - UNUSED_MS))) await removeFolder(folders.unpacked, name)
  }
}

/** Under another name first: half a folder must not have the name of a whole one, should the service end meanwhile. */
async function removeFolder(parent: string, name: string): Promise<void> {
  const path = join(parent, name.startsWith(BEING_DELETED) ? name : `${BEING_DELETED}${name}`)
  if (path !== join(parent, name)) await rename(join(parent, name), path)
  await rm(path, { recursive: true, force: true })
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

import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { StartError } from '../../lib/start-error.ts'

export type DataFolder = ReturnType<typeof openDataFolder>

export const serviceFile = z.object({
  pid: z.number().int(),
  url: z.string(),
  workerUrl: z.string(),
  startedAt: z.number().int(),
  version: z.string(),
  /** Inode of the database: that of a copied folder differs. */
  database: z.number(),
})

export type ServiceFile = z.infer<typeof serviceFile>

export function openDataFolder(path: string) {
  const folder = resolve(path)
  try {
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (made !== undefined) syncNames(folder, made)
    chmodSync(folder, 0o700)
  } catch (error) {
    throw new StartError(
      'data',
      `The data folder ${folder} cannot be used: ${(error as Error).message}. Choose another one with --data.`,
      { cause: error },
    )
  }
  return {
    folder,
    database: join(folder, 'drydock.db'),
    lock: join(folder, 'drydock.lock'),
    keyFile: join(folder, 'account.key'),
    serviceFile: join(folder, 'service.json'),
    workers: join(folder, 'workers'),
    log: join(folder, 'drydock.log'),
  }
}

/**
 * Renames a data folder so that the next start creates an empty one.
 * @returns its new path
 */
export function moveAside(path: string, now: number): string {
  const folder = resolve(path)
  const moved = `${folder}-until-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '')}`
  try {
    renameSync(folder, moved)
    syncFolder(dirname(folder))
  } catch (error) {
    throw new StartError('data', `The data folder ${folder} cannot be renamed: ${(error as Error).message}.`, {
      cause: error,
    })
  }
  return moved
}

/** Atomically writes an owner-only file, which survives a power loss once this returns. */
export function writePrivate(path: string, text: string): void {
  preparePrivate(path, text)()
}

export function preparePrivate(path: string, text: string): () => void {
  const fresh = `${path}.new`
  rmSync(fresh, { force: true })
  writeFileSync(fresh, text, { mode: 0o600, flush: true })
  return () => {
    renameSync(fresh, path)
    syncFolder(dirname(path))
  }
}

// A power cut loses a new folder unless its parent is synced.
function syncNames(folder: string, first: string): void {
  try {
    for (let name = folder; name.length >= first.length; name = dirname(name)) syncFolder(dirname(name))
  } catch {
    return
  }
}

// Windows cannot sync folders; it stores the name with the file.
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

export function readServiceFile(path: string): ServiceFile | undefined {
  try {
    return serviceFile.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined
  }
}

/** Data folders of a user's previews, each named after its app, with a random suffix. */
export async function previewFolders(data: string): Promise<readonly string[]> {
  const previews = join(data, 'previews')
  const names = await readdir(previews).catch(() => [])
  return names.map((name) => join(previews, name))
}

/**
 * Warns if a killed service's write-ahead log is missing, since SQLite silently opens the database as of its last
 * checkpoint.
 */
export function lostLogWarning({ database, folder, serviceFile }: DataFolder): string | undefined {
  const log = `${database}-wal`
  if (!existsSync(serviceFile) || !existsSync(database) || existsSync(log)) return undefined
  return `${basename(log)} is missing in ${folder}, although the last service did not stop in order: the newest jobs and changes may be lost. If you have a copy of the whole folder, restore it.`
}

export function readKey(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

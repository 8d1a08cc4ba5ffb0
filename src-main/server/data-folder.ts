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
import { basename, dirname, join, resolve } from 'node:path'
import { z } from 'zod'

/** The files of a data folder. */
export type DataFolder = {
  readonly folder: string
  readonly database: string
  readonly lock: string
  readonly keyFile: string
  readonly serviceFile: string
  readonly workers: string
  readonly log: string
}

/** What a running service writes about itself, for the CLI and for a second start. */
export const serviceFile = z.object({
  pid: z.number().int(),
  url: z.string(),
  workerUrl: z.string(),
  startedAt: z.number().int(),
  version: z.string(),
  /** Inode of the database: that of a copied folder differs. */
  database: z.number(),
})

/** What is known of a running service. */
export type ServiceFile = z.infer<typeof serviceFile>

/**
 * Makes the data folder, open to its user only.
 * @throws StartError 'data' when it cannot be made or written
 */
export function openDataFolder(path: string): DataFolder {
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
 * Renames a data folder, so that the next start makes an empty one.
 * @param now ms since the epoch
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

/** Writes a file that only its user can read, whole or not at all. It survives a power loss when this returns. */
export function writePrivate(path: string, text: string): void {
  preparePrivate(path, text)()
}

/** Writes a new file next to the current one. @returns a function that replaces the current one */
export function preparePrivate(path: string, text: string): () => void {
  const fresh = `${path}.new`
  rmSync(fresh, { force: true })
  writeFileSync(fresh, text, { mode: 0o600, flush: true })
  return () => {
    renameSync(fresh, path)
    syncFolder(dirname(path))
  }
}

// A power cut takes a new folder away unless the one above it is synced. One that cannot be opened is left to the system.
function syncNames(folder: string, first: string): void {
  try {
    for (let name = folder; name.length >= first.length; name = dirname(name)) syncFolder(dirname(name))
  } catch {
    return
  }
}

// Windows syncs no folders: it keeps a name with its file.
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Reads what a running service wrote about itself; undefined where there is nothing to read. */
export function readServiceFile(path: string): ServiceFile | undefined {
  try {
    return serviceFile.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined // none runs, or it is just being written
  }
}

/**
 * The warning that the last service was killed, which leaves its file and the write-ahead log, and that the log is gone.
 * SQLite opens the database as it was at its last checkpoint, in silence.
 */
export function lostLogWarning({ database, folder, serviceFile }: DataFolder): string | undefined {
  const log = `${database}-wal`
  if (!existsSync(serviceFile) || !existsSync(database) || existsSync(log)) return undefined
  return `${basename(log)} is missing in ${folder}, although the last service did not stop in order: the newest jobs and changes may be lost. If you have a copy of the whole folder, restore it.`
}

/** Reads the account key; undefined where there is none. */
export function readKey(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch {
    return undefined // the first start
  }
}

/** The error codes that `drydock serve` prints, by kind of failed start. */
export const START_CODES = {
  locked: 'DATA_FOLDER_IN_USE',
  'port-taken': 'PORT_TAKEN',
  address: 'ADDRESS_UNUSABLE',
  data: 'DATA_FOLDER_UNUSABLE',
  version: 'DATA_FOLDER_OF_OTHER_VERSION',
} as const

/** Why the service did not start, for a person. */
export class StartError extends Error {
  readonly kind: keyof typeof START_CODES

  constructor(kind: StartError['kind'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartError'
    this.kind = kind
  }
}

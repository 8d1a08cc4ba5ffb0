import { statSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'
import { otherUserOf } from '../database/database-users.ts'
import { DatabaseUnusable, OtherVersion } from '../database/open-database.ts'
import { errorCode } from '../lib/error-code.ts'
import { openStorage, type Storage } from './open-storage.ts'
import { isDamage } from './recover-database.ts'

export type OpenedFolder = {
  readonly kind: 'open'
  readonly storage: Storage
  readonly keepLock: () => boolean
  /**
   * Checks that the database file is still the open one. A deleted file is saved again from the open database, which
   * must not be used afterwards.
   */
  readonly keepDatabase: () => 'kept' | 'saved again' | 'replaced'
  readonly close: () => Promise<void>
}

/** @returns 'locked' if another process has it, with its id if known; 'unusable' with a sentence for the user */
export function openFolderStorage(files: {
  readonly lock: string
  readonly database: string
}):
  | OpenedFolder
  | { readonly kind: 'locked'; readonly pid: number | undefined }
  | { readonly kind: 'unusable'; readonly message: string; readonly fault: 'damaged' | 'other-version' | undefined } {
  // Before locking, because a service whose lock file was deleted may be relocking it.
  const pid = otherUserOf(files.database)
  let lock = pid === undefined ? lockFolder(files.lock) : undefined
  if (lock === undefined) return { kind: 'locked', pid }
  try {
    const storage = openStorage(files.database)
    const keepLock = () => {
      if (lock?.isThere() === true) return true
      const next = lockFolder(files.lock)
      if (next === undefined) return otherUserOf(files.database) === undefined
      lock?.release()
      lock = next
      return true
    }
    const { ino } = statSync(files.database)
    const keepDatabase = () => {
      const found = statSync(files.database, { throwIfNoEntry: false })
      if (found !== undefined) return found.ino === ino ? 'kept' : 'replaced'
      storage.saveAgain()
      return 'saved again'
    }
    const close = async () => {
      await storage.close()
      lock?.release()
    }
    return { kind: 'open', storage, keepLock, keepDatabase, close }
  } catch (error) {
    lock.release()
    if (error instanceof DatabaseUnusable)
      return { kind: 'unusable', message: error.message, fault: faultOf(error.cause) }
    throw error
  }
}

function faultOf(cause: unknown): 'damaged' | 'other-version' | undefined {
  if (cause instanceof OtherVersion) return 'other-version'
  return isDamage(cause) ? 'damaged' : undefined
}

type FolderLock = {
  readonly isThere: () => boolean
  readonly release: () => void
}

/**
 * The OS lock, held through SQLite since Node has none, ends with the process.
 * @param file lock file, created if missing
 * @returns undefined if another process holds it
 */
function lockFolder(file: string): FolderLock | undefined {
  const db = new BetterSqlite(file, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
    const { ino } = statSync(file)
    return {
      isThere: () => statSync(file, { throwIfNoEntry: false })?.ino === ino,
      release: () => {
        if (!db.open) return
        db.exec('ROLLBACK')
        db.close()
      },
    }
  } catch (error) {
    db.close()
    if (errorCode(error).startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
}

import BetterSqlite from 'better-sqlite3'
import { errorCode } from '../domain/error-code.ts'
import type { Storage } from '../services/ports/storage.ts'
import { DatabaseUnusable } from './open-database.ts'
import { openStorage } from './open-storage.ts'

/** An open data folder: its lock is held until close. */
export type OpenedFolder = { readonly kind: 'open'; readonly storage: Storage; readonly close: () => Promise<void> }

/**
 * Locks a data folder and opens its database.
 * @param now ms since the epoch
 * @returns 'locked' when another service has it, 'unusable' with a sentence for a person when it cannot be opened
 */
export function openFolderStorage(
  files: { readonly lock: string; readonly database: string },
  now: number,
): OpenedFolder | { readonly kind: 'locked' } | { readonly kind: 'unusable'; readonly message: string } {
  const lock = lockFolder(files.lock)
  if (lock === undefined) return { kind: 'locked' }
  try {
    const storage = openStorage(files.database, now)
    const close = async () => {
      await storage.close()
      lock.release()
    }
    return { kind: 'open', storage, close }
  } catch (error) {
    lock.release()
    if (error instanceof DatabaseUnusable) return { kind: 'unusable', message: error.message }
    throw error
  }
}

/** The lock of a data folder, held by this process. */
type FolderLock = { readonly release: () => void }

/**
 * Locks a data folder for one service. The lock is one of the operating system, so it ends with the process however
 * that ends; SQLite holds it, because Node has no call for it.
 * @param file path of the lock file, made if missing
 * @returns undefined when another process holds it
 */
function lockFolder(file: string): FolderLock | undefined {
  const db = new BetterSqlite(file, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
    return {
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

import BetterSqlite from 'better-sqlite3'

/** A held lock. */
export type FolderLock = { readonly release: () => void }

/**
 * Locks a data folder for one service. The lock is one of the operating system, so it ends with the process however
 * that ends; SQLite holds it, because Node has no call for it.
 * @param file path of the lock file, made if missing
 * @returns undefined when another process holds it
 */
export function lockFolder(file: string): FolderLock | undefined {
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
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
}

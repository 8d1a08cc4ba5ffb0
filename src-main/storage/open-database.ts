import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import BetterSqlite, { type Database } from 'better-sqlite3'
import { migrate } from './migrate.ts'

// 16 MiB page cache. Four times as much was not faster, also with a million waiting jobs, because the system keeps the file
// in its own cache; and the service stayed 50 MB larger, since the allocator cannot give back what lies between others.
const PRAGMAS = [
  'journal_mode = WAL',
  'synchronous = FULL', // an accepted job survives power loss; better-sqlite3 compiles WAL to NORMAL
  'foreign_keys = ON',
  'busy_timeout = 2000',
  'cache_size = -16384',
  'temp_store = MEMORY',
  // 64 MB: a thread of its own writes the log back (checkpoint-thread); the writer does it only when that falls behind.
  'wal_autocheckpoint = 16000',
  'journal_size_limit = 67108864',
]

/** The data file cannot be used; the message says which file and why, for a person. */
export class DatabaseUnusable extends Error {}

/**
 * Opens the database file and brings its schema up to date.
 * @param file path, or ':memory:' in tests
 * @param now ms since the epoch
 * @throws DatabaseUnusable when it cannot be opened, is damaged or is newer; nothing is changed then
 */
export function openDatabase(file: string, now: number): Database {
  let db: Database | undefined
  try {
    if (file !== ':memory:') makePrivate(file)
    db = new BetterSqlite(file)
    // The first read, before any pragma writes: a file that is no database must stay as it is.
    db.prepare('SELECT COUNT(*) FROM sqlite_schema').get()
    for (const pragma of PRAGMAS) db.pragma(pragma)
    migrate(db, now)
    return db
  } catch (error) {
    db?.close()
    const why = error instanceof Error ? error.message : String(error)
    throw new DatabaseUnusable(`The database ${file} cannot be opened: ${why}. Nothing was changed.`, { cause: error })
  }
}

// Jobs hold what users send: the file, and with it WAL and index, can be read by its user only.
function makePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
}

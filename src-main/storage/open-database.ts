import { closeSync, copyFileSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import BetterSqlite, { type Database } from 'better-sqlite3'
import { SCHEMA, SCHEMA_VERSION } from './schema.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER, syncFolderNow } from './write-files.ts'

// 16 MiB page cache. Four times as much was not faster, also with a million waiting jobs, because the system keeps the
// file in its own cache; and the service stayed 50 MB larger, since the allocator cannot give back what lies between
// others.
const PRAGMAS = [
  'journal_mode = WAL',
  // A commit is in the log, and on the disk when the log is synced: log-sync does that beside the event loop.
  'synchronous = NORMAL',
  // On macOS a plain sync does not even reach the disk.
  'fullfsync = ON',
  'checkpoint_fullfsync = ON',
  'foreign_keys = ON',
  'busy_timeout = 2000',
  'cache_size = -16384',
  'temp_store = MEMORY',
  // 128 MB: a thread of its own writes the log back (checkpoint-thread); the writer does it only when that is too slow.
  'wal_autocheckpoint = 32000',
  'journal_size_limit = 67108864',
]

/** The data file cannot be used; the message says which file and why, for a person. */
export class DatabaseUnusable extends Error {}

/** The tables are those of another version of Drydock. */
export class OtherVersion extends Error {}

/**
 * Opens the database file, and makes its tables if it is new.
 * @param file path, or ':memory:' in tests
 * @throws DatabaseUnusable when it cannot be opened, is damaged or has another version; nothing is changed then
 */
export function openDatabase(file: string): Database {
  if (file === ':memory:') return prepared(new BetterSqlite(file))
  let db: Database | undefined
  try {
    makePrivate(file)
    renewLog(file)
    db = new BetterSqlite(file)
    // The first read, before any pragma writes: a file that is no database must stay as it is.
    db.prepare('SELECT COUNT(*) FROM sqlite_schema').get()
    return prepared(db)
  } catch (error) {
    db?.close()
    const why = error instanceof Error ? error.message : String(error)
    throw new DatabaseUnusable(`The database ${file} cannot be opened: ${why}. Nothing was changed.`, { cause: error })
  }
}

function prepared(db: Database): Database {
  const version = db.pragma('user_version', { simple: true })
  const isNew = db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  if (!isNew && version !== SCHEMA_VERSION) throw new OtherVersion('it was made by another version of Drydock')
  for (const pragma of PRAGMAS) db.pragma(pragma)
  // The first read makes the log of a file that had none.
  db.prepare('SELECT 1 FROM sqlite_schema').get()
  if (isNew) db.transaction(() => db.exec(SCHEMA).pragma(`user_version = ${SCHEMA_VERSION}`)).immediate()
  return db
}

// Jobs hold what users send: the file, and with it WAL and index, can be read by its user only.
function makePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER })
  closeSync(openSync(file, 'a', PRIVATE_FILE))
}

// A service that was killed leaves a log whose end may be in the memory of the system alone, and after a failed sync a
// second one proves nothing. What will be told from now on must be on the disk, so the log is written anew.
function renewLog(file: string): void {
  const log = `${file}-wal`
  const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0
  if (bytes === 0) return
  const copy = `${log}.new`
  try {
    copyFileSync(log, copy)
    syncFile(copy)
    renameSync(copy, log)
    syncFolderNow(dirname(file))
  } catch (error) {
    rmSync(copy, { force: true })
    throw error
  }
}

function syncFile(path: string): void {
  const opened = openSync(path, 'r+')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** How many pages the log of a database holds, written back or not. */
export function pageCount(db: Database): number {
  return (db.pragma('wal_checkpoint(NOOP)') as [{ log: number }])[0].log
}

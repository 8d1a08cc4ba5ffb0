import { closeSync, copyFileSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import BetterSqlite, { type Database } from 'better-sqlite3'
import { SCHEMA, SCHEMA_VERSION } from './schema.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER, syncFolderNow } from './write-files.ts'

// 16 MiB page cache. Four times as much was not faster even with a million waiting jobs, as the system caches the file;
// the process stayed 50 MB larger.
const PRAGMAS = [
  'journal_mode = WAL',
  // Commits reach the log; log-sync brings them to disk off the event loop.
  'synchronous = NORMAL',
  // On macOS a plain sync does not reach the disk.
  'fullfsync = ON',
  'checkpoint_fullfsync = ON',
  'foreign_keys = ON',
  'busy_timeout = 2000',
  'cache_size = -16384',
  'temp_store = MEMORY',
  // 128 MB: checkpoint-thread writes the log back; the writer does so only if that is too slow.
  'wal_autocheckpoint = 32000',
  'journal_size_limit = 67108864',
]

/** The data file is unusable; the message tells the user which and why. */
export class DatabaseUnusable extends Error {}

export class OtherVersion extends Error {}

/**
 * @param file path, or ':memory:' in tests
 * @throws DatabaseUnusable if it cannot be opened, is damaged or has another version; nothing is changed then
 */
export function openDatabase(file: string): Database {
  if (file === ':memory:') return openInMemory()
  let db: Database | undefined
  try {
    makePrivate(file)
    renewLog(file)
    db = new BetterSqlite(file)
    // First read, before any pragma writes: a file that is no database must stay intact.
    db.prepare('SELECT COUNT(*) FROM sqlite_schema').get()
    return prepared(db)
  } catch (error) {
    db?.close()
    const why = error instanceof Error ? error.message : String(error)
    throw new DatabaseUnusable(`The database ${file} cannot be opened: ${why}. Nothing was changed.`, { cause: error })
  }
}

// Tests open thousands of them, and to create the tables takes several times as long as to copy them.
let empty: Buffer | undefined
function openInMemory(): Database {
  empty ??= prepared(new BetterSqlite(':memory:')).serialize()
  return prepared(new BetterSqlite(empty))
}

function prepared(db: Database): Database {
  const version = db.pragma('user_version', { simple: true })
  const isNew = db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  if (!isNew && version !== SCHEMA_VERSION) throw new OtherVersion('it was made by another version of Drydock')
  for (const pragma of PRAGMAS) db.pragma(pragma)
  db.prepare('SELECT 1 FROM sqlite_schema').get()
  if (isNew) db.transaction(() => db.exec(SCHEMA).pragma(`user_version = ${SCHEMA_VERSION}`)).immediate()
  return db
}

// Jobs hold user data: the file, its WAL and index are readable only by its user.
function makePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER })
  closeSync(openSync(file, 'a', PRIVATE_FILE))
}

// After a kill, the end of the log may exist only in system memory, and after a failed sync a second proves nothing;
// rewriting makes it durable.
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

export function pageCount(db: Database): number {
  return (db.pragma('wal_checkpoint(NOOP)') as [{ log: number }])[0].log
}

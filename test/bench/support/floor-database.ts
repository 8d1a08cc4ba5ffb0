import BetterSqlite, { type Database, type Statement } from 'better-sqlite3'

/** A database with one plain table, as durable as ours. */
export function openFloorDatabase(file: string): { readonly db: Database; readonly insert: Statement } {
  const db = new BetterSqlite(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('CREATE TABLE jobs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, body TEXT NOT NULL) STRICT')
  return { db, insert: db.prepare('INSERT INTO jobs (id, body) VALUES (?, ?)') }
}

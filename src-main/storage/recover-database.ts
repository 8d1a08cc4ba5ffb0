import BetterSqlite, { type Database } from 'better-sqlite3'
import { PLACE } from '../database/database-place.ts'
import { openDatabase } from '../database/open-database.ts'
import { INDEXED_UP_TO } from '../features/jobs/store/search-index.ts'
import { errorCode } from '../lib/error-code.ts'

export type RecoveredTable = {
  readonly table: string
  readonly rows: number
  readonly isWhole: boolean
}

type Row = readonly unknown[]

const TABLES = `SELECT name, wr AS hasNoRowid FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`
const TRIGGERS = `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`
// A job without its input cannot run, and no code expects one.
const JOBS_WITHOUT_INPUT = `DELETE FROM jobs WHERE seq NOT IN (SELECT seq FROM job_inputs)`
const DRAFTS_OF_UPLOADS = `
  UPDATE batches SET state = 'DRAFT' WHERE total > (SELECT COUNT(*) FROM batch_lines WHERE batch = batches.seq)`
const HIGHEST_ROWID = 2n ** 63n - 1n

export function findDamage(file: string): string | undefined {
  let db: Database | undefined
  try {
    db = new BetterSqlite(file, { readonly: true, fileMustExist: true })
    const fault = String(db.pragma('quick_check(1)', { simple: true }))
    return fault === 'ok' ? undefined : fault
  } catch (error) {
    if (!isDamage(error)) throw error
    return (error as Error).message
  } finally {
    db?.close()
  }
}

/**
 * Only reads the damaged database.
 * @param fresh path of a nonexistent file
 */
export function recoverDatabase(damaged: string, fresh: string): readonly RecoveredTable[] {
  const from = new BetterSqlite(damaged, { readonly: true, fileMustExist: true })
  const to = openDatabase(fresh)
  try {
    to.pragma('foreign_keys = OFF')
    return to.transaction(() => copyAll(from, to))()
  } finally {
    from.close()
    to.close()
  }
}

function copyAll(from: Database, to: Database): readonly RecoveredTable[] {
  const triggers = to.prepare<[], { readonly name: string; readonly sql: string }>(TRIGGERS).all()
  for (const { name } of triggers) to.exec(`DROP TRIGGER ${name}`)
  const tables = to.prepare<[], { readonly name: string; readonly hasNoRowid: number }>(TABLES).all()
  const recovered = tables.map(({ name, hasNoRowid }) => copyTable(from, to, name, hasNoRowid === 1))
  copySequences(from, to)
  copyBatchStates(from, to)
  const lost = removeUnusable(to)
  // The search index is rebuilt, and the new database is no copy of the damaged one.
  to.prepare('DELETE FROM service_state WHERE name IN (?, ?)').run(INDEXED_UP_TO, PLACE)
  for (const { sql } of triggers) to.exec(sql)
  return recovered.map(({ table, rows, isWhole }) => {
    const removed = lost.get(table) ?? 0
    return { table, rows: rows - removed, isWhole: isWhole && removed === 0 }
  })
}

// Lost row numbers must not be reused: secrets, for example, are stored by environment number.
function copySequences(from: Database, to: Database): void {
  type Sequence = { readonly name: string; readonly seq: number }
  const set = to.prepare<[Sequence]>('UPDATE sqlite_sequence SET seq = max(seq, @seq) WHERE name = @name')
  const insert = to.prepare<[Sequence]>('INSERT INTO sqlite_sequence (name, seq) VALUES (@name, @seq)')
  try {
    for (const sequence of from.prepare<[], Sequence>('SELECT name, seq FROM sqlite_sequence').iterate())
      if (set.run(sequence).changes === 0) insert.run(sequence)
  } catch (error) {
    if (!isDamage(error)) throw error
  }
}

// Before batches had states, each line became a job when it arrived. An incomplete upload continues as a draft.
function copyBatchStates(from: Database, to: Database): void {
  const cancel = to.prepare<[number]>(`UPDATE batches SET state = 'CANCELLED' WHERE seq = ?`)
  try {
    if (!columnsOf(from, 'batches').includes('cancelled')) return
    to.prepare(DRAFTS_OF_UPLOADS).run()
    for (const seq of from.prepare<[], number>('SELECT seq FROM batches WHERE cancelled = 1').pluck().iterate())
      cancel.run(seq)
  } catch (error) {
    if (!isDamage(error)) throw error
  }
}

function removeUnusable(to: Database): ReadonlyMap<string, number> {
  const lost = new Map([['jobs', to.prepare(JOBS_WITHOUT_INPUT).run().changes]])
  type Orphan = { readonly table: string; readonly rowid: number | null }
  const findOrphans = () => (to.pragma('foreign_key_check') as readonly Orphan[]).filter(({ rowid }) => rowid !== null)
  for (let orphans = findOrphans(); orphans.length > 0; orphans = findOrphans())
    for (const { table, rowid } of orphans) {
      const { changes } = to.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(rowid)
      lost.set(table, (lost.get(table) ?? 0) + changes)
    }
  return lost
}

function copyTable(from: Database, to: Database, table: string, hasNoRowid: boolean): RecoveredTable {
  to.exec(`DELETE FROM ${table}`)
  const count = () => to.prepare<[], number>(`SELECT COUNT(*) FROM ${table}`).pluck().get() ?? 0
  let isWhole = true
  try {
    // Older versions may lack tables and columns, which then get defaults.
    const there = columnsOf(from, table)
    const columns = columnsOf(to, table).filter((column) => there.includes(column))
    if (columns.length === 0) return { table, rows: 0, isWhole }
    const insert = to.prepare(`INSERT OR IGNORE INTO ${table} (${columns}) VALUES (${columns.map(() => '?')})`)
    const put = (row: Row) => {
      try {
        if (insert.run(...row).changes > 0) return
      } catch (error) {
        if (!errorCode(error).startsWith('SQLITE_CONSTRAINT')) throw error
      }
      isWhole = false
    }
    const copy = hasNoRowid ? copyByKey : copyByRowid
    if (!copy(from, `SELECT ${columns}`, table, put)) isWhole = false
  } catch (error) {
    if (!isDamage(error)) throw error
    isWhole = false
  }
  return { table, rows: count(), isWhole }
}

const columnsOf = (db: Database, table: string): readonly string[] =>
  db.prepare<[string], string>('SELECT name FROM pragma_table_info(?) ORDER BY cid').pluck().all(table)

type Copy = (from: Database, select: string, table: string, put: (row: Row) => void) => boolean

// Copies rows in order up to the damage, then backwards from the end.
const copyByKey: Copy = (from, select, table, put) => {
  const key = from
    .prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
    .pluck()
    .all(table)
  const order = (direction: string) => key.map((column) => `${column} ${direction}`)
  if (copyRows(from, `${select} FROM ${table} ORDER BY ${order('ASC')}`, [], put)) return true
  copyRows(from, `${select} FROM ${table} ORDER BY ${order('DESC')}`, [], put)
  return false
}

// Skips damaged parts: searches by row number find the rows behind them.
const copyByRowid: Copy = (from, select, table, put) => {
  const rows = `${select}, rowid FROM ${table} WHERE rowid > ? AND rowid < ? ORDER BY rowid`
  let after = -1n
  const putNumbered = (row: Row) => {
    const rowid = row.at(-1) as bigint
    if (rowid > after) after = rowid
    put(row.slice(0, -1))
  }
  for (let isWhole = true; ; isWhole = false) {
    if (copyRows(from, rows, [after, HIGHEST_ROWID], putNumbered)) return isWhole
    const next = nextReadable(from, rows, after)
    if (next === undefined) return false
    copyRows(from, `${rows} DESC`, [after, next], putNumbered)
    after = next - 1n
  }
}

function nextReadable(from: Database, rows: string, after: bigint): bigint | undefined {
  for (let step = 1n; after + step < HIGHEST_ROWID; step *= 2n) {
    let next: bigint | undefined
    const isEnd = copyRows(from, `${rows} LIMIT 1`, [after + step, HIGHEST_ROWID], (row) => {
      next = row.at(-1) as bigint
    })
    if (next !== undefined && next > after + step) return next
    if (isEnd && next === undefined) return undefined
  }
  return undefined
}

function copyRows(from: Database, sql: string, values: readonly bigint[], put: (row: Row) => void): boolean {
  const rows = from.prepare<bigint[], Row>(sql).raw().safeIntegers()
  try {
    for (const row of rows.iterate(...values)) put(row)
    return true
  } catch (error) {
    if (!isDamage(error)) throw error
    return false
  }
}

export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(errorCode(error))

import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src-main/database/open-database.ts'
import { findDamage, recoverDatabase } from '../../../src-main/storage/recover-database.ts'

const PAGE_BYTES = 4096
const ROWS = 5000

/** A database with 5,000 log lines, numbered from 1, and as many states by name. */
function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-recover-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'damaged.db')
  const db = openDatabase(file)
  db.pragma('foreign_keys = OFF')
  const line = db.prepare(
    `INSERT INTO log_lines (endpoint_id, worker_id, level, at, line) VALUES ('e', 'w', 'info', ?, ?)`,
  )
  db.exec('DELETE FROM service_state')
  const state = db.prepare(`INSERT INTO service_state (name, value) VALUES (?, ?)`)
  db.transaction(() => {
    for (let n = 1; n <= ROWS; n++) {
      line.run(n, `line ${n}`.padEnd(200, '.'))
      state.run(`state-${String(n).padStart(5, '0')}`, JSON.stringify(n))
    }
  })()
  const pagesOf = (table: string) =>
    db
      .prepare<[string], number>(`SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path`)
      .pluck()
      .all(table)
  const pages = { lines: pagesOf('log_lines'), states: pagesOf('service_state') }
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  const damage = (page: number) =>
    writeSync(openSync(file, 'r+'), Buffer.alloc(PAGE_BYTES, 0xff), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES)
  const recover = () => {
    const before = readFileSync(file)
    const fresh = join(folder, 'fresh.db')
    const tables = recoverDatabase(file, fresh)
    expect(readFileSync(file).equals(before)).toBe(true)
    const after = new BetterSqlite(fresh, { readonly: true })
    onTestFinished(() => void after.close())
    expect(after.pragma('integrity_check', { simple: true })).toBe('ok')
    const column = (sql: string) => after.prepare<[], unknown>(sql).pluck().all()
    return {
      fresh,
      column,
      table: (name: string) => tables.find(({ table }) => table === name),
      lines: column('SELECT at FROM log_lines ORDER BY at') as readonly number[],
      states: column('SELECT CAST(value AS INTEGER) FROM service_state ORDER BY name') as readonly number[],
    }
  }
  /** Gives the last row of a page of lines the number of a row far before it. */
  const misnumber = (page: number) => {
    const fd = openSync(file, 'r+')
    const bytes = Buffer.alloc(PAGE_BYTES)
    readSync(fd, bytes, 0, PAGE_BYTES, (page - 1) * PAGE_BYTES)
    const cell = bytes.readUInt16BE(8 + 2 * (bytes.readUInt16BE(3) - 1))
    // Size and number of the row are two bytes each: a row has 128 bytes or more, and numbers are above 127.
    writeSync(fd, Buffer.from([0x81, 0]), 0, 2, (page - 1) * PAGE_BYTES + cell + 2)
    closeSync(fd)
  }
  return { file, pages, damage, misnumber, recover }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

test('all rows of a database without damage are saved', () => {
  const { file, recover } = setup()
  expect(findDamage(file)).toBeUndefined()
  const { table, lines, states } = recover()
  expect(lines).toEqual(numbers(1, ROWS))
  expect(states).toEqual(numbers(1, ROWS))
  expect([table('log_lines'), table('service_state')]).toEqual([
    { table: 'log_lines', rows: ROWS, isWhole: true },
    { table: 'service_state', rows: ROWS, isWhole: true },
  ])
})

test('all rows outside of damaged pages are saved', () => {
  const { file, pages, damage, recover } = setup()
  const { lines: leaves } = pages
  for (const at of [0, 40, 41, 90, leaves.length - 1]) damage(leaves[at] ?? 0)
  expect(findDamage(file)).toMatch(/./)
  const { table, lines, states } = recover()
  expect(table('log_lines')).toEqual({ table: 'log_lines', rows: lines.length, isWhole: false })
  // A page holds 17 of these lines.
  expect(lines.length).toBeGreaterThanOrEqual(ROWS - 5 * 18)
  expect(lines.length).toBeLessThan(ROWS)
  expect(states).toEqual(numbers(1, ROWS))
})

test('a damaged row with a lower number before a damaged page does not lead back to where it was', () => {
  const { pages, damage, misnumber, recover } = setup()
  misnumber(pages.lines[60] ?? 0)
  damage(pages.lines[61] ?? 0)
  const { table, lines } = recover()
  expect(table('log_lines')).toEqual({ table: 'log_lines', rows: lines.length, isWhole: false })
  expect(lines.length).toBeGreaterThanOrEqual(ROWS - 2 * 18)
  expect(lines.at(-1)).toBe(ROWS)
})

test('rows of an older version, which lack a column, are saved with its default', () => {
  const { file, recover } = setup()
  const older = new BetterSqlite(file)
  older.exec(`
    INSERT INTO workflow_runs (id, endpoint_id, title, status, created_at, results, errors, files, words)
    VALUES ('run', 'e', 'Title', 'IN_QUEUE', 0, '[]', '[]', '[]', '');
    ALTER TABLE workflow_runs DROP COLUMN previews`)
  older.close()
  const { table, column } = recover()
  expect(table('workflow_runs')).toEqual({ table: 'workflow_runs', rows: 1, isWhole: true })
  expect(column('SELECT previews FROM workflow_runs')).toEqual(['[]'])
})

test('rows that belong to a lost row are removed, and those that belong to them', () => {
  const { file, recover } = setup()
  const damaged = new BetterSqlite(file)
  damaged.pragma('foreign_keys = OFF')
  damaged.exec(`
    INSERT INTO environments (app, name, created_at) VALUES ('lost', 'production', 0);
    INSERT INTO releases (environment_id, number, state, fingerprint, folder, manifest, runs_on, created_at)
    SELECT id, 1, 'preparing', 'f', '/app', '{}', 'processes', 0 FROM environments`)
  damaged.close()
  const { table, column } = recover()
  expect([table('environments'), table('releases')]).toEqual([
    { table: 'environments', rows: 0, isWhole: false },
    { table: 'releases', rows: 0, isWhole: false },
  ])
  // Its number is not used again.
  expect(column(`SELECT seq FROM sqlite_sequence WHERE name = 'environments'`)).toEqual([1])
})

test('rows before and after the damage are saved from a table without row numbers', () => {
  const { pages, damage, recover } = setup()
  damage(pages.states[3] ?? 0)
  damage(pages.states[5] ?? 0)
  const { table, lines, states } = recover()
  expect(lines).toEqual(numbers(1, ROWS))
  expect(table('service_state')?.isWhole).toBe(false)
  expect([states[0], states.at(-1)]).toEqual([1, ROWS])
  expect(states.length).toBeLessThan(ROWS)
})

test('nothing is saved from a file that is not a database, and every table says so', () => {
  const { file, recover } = setup()
  writeFileSync(file, 'no database at all'.repeat(1000))
  expect(findDamage(file)).toMatch(/not a database/)
  const { table, lines, states } = recover()
  expect([lines, states]).toEqual([[], []])
  expect(table('jobs')).toEqual({ table: 'jobs', rows: 0, isWhole: false })
})

test('batches of the schema before batches had states are finalized, cancelled, or drafts whose uploads go on', () => {
  const { file, recover } = setup()
  const db = openDatabase(file)
  db.exec(`
    DROP TABLE batches; DROP TABLE batch_lines; DROP TABLE draft_requests;
    CREATE TABLE batches (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, endpoint_id TEXT NOT NULL, name TEXT NOT NULL,
      fingerprint TEXT, total INTEGER NOT NULL CHECK (total > 0), received INTEGER NOT NULL DEFAULT 0,
      cancelled INTEGER NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)), created_at INTEGER NOT NULL) STRICT;
    CREATE TABLE batch_lines (
      batch INTEGER NOT NULL, line INTEGER NOT NULL CHECK (line > 0), seq INTEGER, reason TEXT,
      PRIMARY KEY (batch, line), CHECK ((seq IS NULL) <> (reason IS NULL))) STRICT, WITHOUT ROWID;
    INSERT INTO batches (id, endpoint_id, name, total, received, cancelled, created_at)
      VALUES ('whole', 'e', 'a', 2, 2, 0, 1), ('cancelled', 'e', 'b', 1, 1, 1, 1), ('cut off', 'e', 'c', 2, 1, 0, 1),
        ('cancelled and cut off', 'e', 'd', 2, 1, 1, 1);
    INSERT INTO batch_lines (batch, line, seq, reason)
      VALUES (1, 1, 1, NULL), (1, 2, NULL, 'no'), (2, 1, 2, NULL), (3, 1, 3, NULL), (4, 1, 4, NULL);
  `)
  db.close()
  const { column } = recover()
  expect(column('SELECT state FROM batches ORDER BY seq')).toEqual(['FINALIZED', 'CANCELLED', 'DRAFT', 'CANCELLED'])
  expect(column('SELECT settled FROM batches')).toEqual([1, 1, 1, 1])
  expect(column('SELECT COALESCE(seq, reason) FROM batch_lines ORDER BY batch, line')).toEqual([1, 'no', 2, 3, 4])
})

import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { DatabaseUnusable } from '../../../src-main/database/open-database.ts'
import { openStorage } from '../../../src-main/storage/open-storage.ts'

const LARGE = 'x'.repeat(200_000)

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** The salts in the header of a log, which are others each time it restarts. Source: SQLite, file format, 4.1. */
function generationOf(log: string): string {
  const file = openSync(log, 'r')
  try {
    const salts = Buffer.alloc(8)
    readSync(file, salts, 0, salts.length, 16)
    return salts.toString('hex')
  } finally {
    closeSync(file)
  }
}

/** Files of a killed service, copied while it runs. */
async function killed(rows: number): Promise<string> {
  const [before, after] = [folder(), folder()]
  const storage = openStorage(join(before, 'a.db'))
  for (let n = 0; n < rows; n++) await storage.write(() => storage.state.set(`row ${n}`, LARGE))
  for (const name of ['a.db', 'a.db-wal']) copyFileSync(join(before, name), join(after, name))
  await storage.close()
  return join(after, 'a.db')
}

it('restarts the log while work continues, and loses nothing', async () => {
  const file = join(folder(), 'a.db')
  const storage = openStorage(file)
  let rows = 0
  async function writeRow(): Promise<void> {
    // Other letters each time: pages that do not change are not written.
    const text = `${rows} ${String.fromCharCode(97 + (rows % 26)).repeat(LARGE.length)}`
    await storage.write(() => storage.state.set(`row ${rows % 50}`, text))
    rows += 1
  }
  await writeRow()
  const first = generationOf(`${file}-wal`)
  while (generationOf(`${file}-wal`) === first) await writeRow()
  const bytesThen = statSync(`${file}-wal`).size
  for (let more = 0; more < 50; more++) await writeRow()
  expect(statSync(`${file}-wal`).size).toBe(bytesThen)
  await storage.close()
  const db = new BetterSqlite(file)
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  const found = db.prepare<[], { value: string }>(`SELECT value FROM service_state WHERE name LIKE 'row %'`).all()
  const numbers = found.map(({ value }) => Number.parseInt(JSON.parse(value), 10)).sort((a, b) => a - b)
  expect(numbers).toEqual(Array.from({ length: 50 }, (_, n) => rows - 50 + n))
  db.close()
})

it('finds what a killed service had committed, in a log that is written anew', async () => {
  const file = await killed(3)
  const { ino, size } = statSync(`${file}-wal`)
  const storage = openStorage(file)
  expect(statSync(`${file}-wal`).ino).not.toBe(ino)
  expect(statSync(`${file}-wal`).size).toBeGreaterThanOrEqual(size)
  expect([0, 1, 2].map((n) => storage.state.get(`row ${n}`))).toEqual([LARGE, LARGE, LARGE])
  await storage.close()
  expect(existsSync(`${file}-wal.new`)).toBe(false)
})

it('takes the commits before the first damaged one from a log that was torn', async () => {
  const file = await killed(3)
  const log = readFileSync(`${file}-wal`)
  // Some bytes of the last row.
  writeFileSync(`${file}-wal`, Buffer.concat([log.subarray(0, -150_000), Buffer.alloc(512), log.subarray(-149_488)]))
  const storage = openStorage(file)
  expect([0, 1, 2].map((n) => storage.state.get(`row ${n}`) === LARGE)).toEqual([true, true, false])
  await storage.close()
})

it('refuses a folder in which the log cannot be written anew, and leaves it as it is', async () => {
  const file = await killed(1)
  const before = readFileSync(`${file}-wal`)
  mkdirSync(`${file}-wal.new`) // not even root can copy a file over it
  expect(() => openStorage(file)).toThrow(DatabaseUnusable)
  expect(readFileSync(`${file}-wal`)).toEqual(before)
})

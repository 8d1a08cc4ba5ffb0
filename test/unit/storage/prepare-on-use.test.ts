import BetterSqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStorage } from '../../../src-main/storage/open-storage.ts'
import { prepareOnUse } from '../../../src-main/storage/prepare-on-use.ts'

function database() {
  const db = prepareOnUse(new BetterSqlite(':memory:'))
  onTestFinished(() => void db.close())
  return db
}

describe('a statement that is prepared on use', () => {
  it('is compiled by its first call, and returns the same results', () => {
    const db = database()
    const insert = db.prepare('INSERT INTO later (n) VALUES (?)')
    const all = db.prepare('SELECT n FROM later ORDER BY n')
    const first = db.prepare<[], number>('SELECT n FROM later ORDER BY n').pluck()
    db.exec('CREATE TABLE later (n INTEGER) STRICT')
    expect([insert.run(2), insert.run(1)]).toEqual([
      { changes: 1, lastInsertRowid: 1 },
      { changes: 1, lastInsertRowid: 2 },
    ])
    expect([all.all(), all.all(), all.get()]).toEqual([[{ n: 1 }, { n: 2 }], [{ n: 1 }, { n: 2 }], { n: 1 }])
    expect([first.get(), first.all()]).toEqual([1, [1, 2]])
  })

  it('fails at each call while it cannot be compiled', () => {
    const db = database()
    const all = db.prepare('SELECT n FROM later')
    for (const _ of [1, 2]) expect(() => all.all()).toThrow('no such table: later')
    db.exec('CREATE TABLE later (n INTEGER) STRICT')
    expect(all.all()).toEqual([])
  })
})

it('every statement of the storage can be compiled', async () => {
  await openStorage(':memory:', (db) => db).close()
})

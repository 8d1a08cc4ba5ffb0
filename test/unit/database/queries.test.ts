import BetterSqlite from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { queriesOf, withoutRecompiles } from '../../../src-main/database/queries.ts'

type Row = { readonly id: number; readonly name: string | null }

function setup() {
  const db = new BetterSqlite(':memory:')
  onTestFinished(() => void db.close())
  return { db, query: queriesOf(db) }
}

it('a query is compiled by its first call, and gives rows, values or what it changed', () => {
  const { db, query } = setup()
  const add = query<[name: string | null]>(`INSERT INTO later (name) VALUES (?)`).insert()
  const all = query<[], Row>(`SELECT id, name FROM later ORDER BY id`)
  const rows = all.all()
  const names = all.all(({ id, name }) => `${id} ${name}`)
  const one = query<[{ id: number }], Row>(`SELECT id, name FROM later WHERE id = @id`)
  const name = query<[id: number], string | null>(`SELECT name FROM later WHERE id = ?`)
  const ids = query<[], number>(`SELECT id FROM later ORDER BY id`).values()
  const rename = query<[{ id: number; name: string }]>(`UPDATE later SET name = @name WHERE id = @id`)
  const clear = query<[]>(`DELETE FROM later`)
  db.exec('CREATE TABLE later (id INTEGER PRIMARY KEY, name TEXT) STRICT')

  expect([add('a'), add(null)]).toEqual([1, 2])
  expect(rows()).toEqual([
    { id: 1, name: 'a' },
    { id: 2, name: null },
  ])
  expect(names()).toEqual(['1 a', '2 null'])
  expect([one.one()({ id: 1 }), one.one()({ id: 3 })]).toEqual([{ id: 1, name: 'a' }, undefined])
  expect([one.one((row) => row.name)({ id: 1 }), one.one((row) => row.name)({ id: 3 })]).toEqual(['a', undefined])
  expect([name.value()(1), name.value()(2), name.value()(3)]).toEqual(['a', undefined, undefined])
  expect([name.value('none')(1), name.value('none')(2), name.value('none')(3)]).toEqual(['a', 'none', 'none'])
  expect(ids()).toEqual([1, 2])
  expect([rename.changed()({ id: 2, name: 'b' }), rename.changed()({ id: 3, name: 'b' })]).toEqual([true, false])
  expect(rename.run()({ id: 1, name: 'b' })).toBeUndefined()
  expect([clear.changes()(), clear.changes()()]).toEqual([2, 0])
})

it('a query fails at each call while it cannot be compiled', () => {
  const { db, query } = setup()
  const ids = query<[], number>(`SELECT id FROM later`).values()
  for (const _ of [1, 2]) expect(() => ids()).toThrow('no such table: later')
  db.exec('CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT')
  expect(ids()).toEqual([])
})

it('parameters do not make SQLite recompile the query, and the rows are the same', () => {
  expect(withoutRecompiles('WHERE id = @id AND n <= ? LIMIT @limit OFFSET ?')).toBe(
    'WHERE id = +@id AND n <= +? LIMIT +@limit OFFSET +?',
  )
  const { db, query } = setup()
  db.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, data BLOB) STRICT`)
  const add = query<[name: string | null, data: Uint8Array]>(`INSERT INTO t (name, data) VALUES (?, ?)`).run()
  for (const [name, data] of [
    ['1', 1],
    ['01', 2],
    [null, 3],
  ] as const)
    add(name, Uint8Array.of(data))
  const named = query<[name: string | null], number>(`SELECT id FROM t WHERE name = ? ORDER BY id`).values()
  expect([named('1'), named('01'), named(null)]).toEqual([[1], [2], []])
  const known = query<[id: string], number>(`SELECT id FROM t WHERE id = ? ORDER BY name`).values()
  expect([known('1'), known('x')]).toEqual([[1], []])
  const same = query<[data: Uint8Array, limit: number], number>(`SELECT id FROM t WHERE data = ? ORDER BY id LIMIT ?`)
  expect([same.values()(Uint8Array.of(2), 1), same.values()(Uint8Array.of(2), 0)]).toEqual([[2], []])
})

import BetterSqlite from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { queriesOf } from '../../../src-main/database/queries.ts'

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

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGroupCommit } from '../../../src-main/database/group-commit.ts'
import { createLogSync } from '../../../src-main/database/log-sync.ts'
import type { Change } from '../../../src-main/storage/storage.ts'

const change = (name: string) => ({ type: 'endpoint', event: name }) as unknown as Change
const names = (changes: readonly Change[]) => changes.map(({ event }) => event)

function setup() {
  const db = new BetterSqlite(':memory:')
  db.exec('CREATE TABLE t (n INTEGER PRIMARY KEY)')
  const commits: string[][] = []
  const commit = createGroupCommit(db, createLogSync([]))
  commit.onCommit((changes) => commits.push(names(changes)))
  const insert = db.prepare('INSERT INTO t (n) VALUES (?)')
  const add = (n: number) =>
    commit.write(() => {
      insert.run(n)
      commit.record(change(String(n)))
      return n
    })
  const rows = () =>
    db
      .prepare<[], { n: number }>('SELECT n FROM t ORDER BY n')
      .all()
      .map(({ n }) => n)
  return { db, commit, commits, add, rows }
}

describe('group commit', () => {
  it('commits all writes of one turn together and tells of them once, in order', async () => {
    const { add, rows, commits } = setup()
    expect(await Promise.all([add(2), add(1), add(3)])).toEqual([2, 1, 3])
    expect(rows()).toEqual([1, 2, 3])
    expect(commits).toEqual([['2', '1', '3']])
  })

  it('lets a bad write fail alone', async () => {
    const { add, rows, commits, commit } = setup()
    const results = await Promise.allSettled([
      add(1),
      commit.write(() => {
        throw new Error('bad')
      }),
      add(1),
      add(2),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(rows()).toEqual([1, 2])
    expect(commits).toEqual([['1'], ['2']])
  })

  it('settles a write only after its commit', async () => {
    const { db, commit, rows } = setup()
    const seen: unknown[] = []
    commit.beforeCommit(() => {
      seen.push(db.inTransaction)
      return { committed: () => void seen.push(db.inTransaction) }
    })
    await commit.write(() => db.prepare('INSERT INTO t (n) VALUES (9)').run())
    expect(seen).toEqual([true, false])
    expect(rows()).toEqual([9])
  })

  it('runs the hook without a write when it is asked to', async () => {
    const { commit } = setup()
    const ran = new Promise<void>((resolve) => {
      commit.beforeCommit(() => {
        resolve()
        return undefined
      })
    })
    commit.poke()
    await ran
  })

  it('answers a full disk with DISK_FULL, and continues when there is room', async () => {
    const { db, add, rows } = setup()
    const pages = db.pragma('page_count', { simple: true })
    db.pragma(`max_page_count = ${pages}`)
    const full = await Promise.allSettled(Array.from({ length: 3000 }, (_, n) => add(n)))
    const errors = full.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []))
    expect(new Set(errors)).toEqual(new Set(['DISK_FULL']))
    expect(rows().length).toBe(3000 - errors.length)
    db.pragma('max_page_count = 1000')
    await add(10_000)
    expect(rows().at(-1)).toBe(10_000)
  })

  it('answers a database that another program has locked with DATABASE_BUSY, and continues afterwards', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const other = new BetterSqlite(join(folder, 'x.db'))
    other.exec('CREATE TABLE t (n INTEGER PRIMARY KEY)')
    const db = new BetterSqlite(join(folder, 'x.db'), { timeout: 0 })
    const commit = createGroupCommit(db, createLogSync([]))
    const add = () => commit.write(() => db.prepare('INSERT INTO t (n) VALUES (1)').run().changes)
    other.exec('BEGIN EXCLUSIVE')
    await expect(add()).rejects.toMatchObject({ code: 'DATABASE_BUSY' })
    other.exec('ROLLBACK')
    expect(await add()).toBe(1)
    other.close()
    db.close()
  })

  it('refuses writes once it is closed, after those that were asked for before', async () => {
    const { add, rows, commit } = setup()
    const last = add(1)
    await Promise.all([commit.close(), commit.close()])
    expect(await last).toBe(1)
    expect(rows()).toEqual([1])
    await expect(add(2)).rejects.toMatchObject({ code: 'STOPPING' })
  })
})

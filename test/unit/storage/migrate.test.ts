import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { JOB_STATES } from '../../../src-main/contract/job.ts'
import { isFinal } from '../../../src-main/domain/job/transitions.ts'
import { MIGRATIONS, migrate } from '../../../src-main/storage/migrate.ts'
import { DatabaseUnusable, openDatabase } from '../../../src-main/storage/open-database.ts'
import { openStorage } from '../../../src-main/storage/open-storage.ts'

const applied = (db: BetterSqlite.Database) =>
  db.prepare<[], { id: string; applied_at: number }>('SELECT id, applied_at FROM migrations ORDER BY id').all()

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'drydock.db')
}

describe('migrations', () => {
  it('are named by date and in order', () => {
    const ids = MIGRATIONS.map(({ id }) => id)
    for (const id of ids) expect(id).toMatch(/^20\d\d-\d\d-\d\d-[a-z0-9-]+$/)
    expect(ids).toEqual([...ids].sort())
  })

  it('are applied once, each with its id', () => {
    const path = file()
    const db = openDatabase(path, 5)
    expect(applied(db)).toEqual(MIGRATIONS.map(({ id }) => ({ id, applied_at: 5 })))
    db.close()
    const again = openDatabase(path, 9)
    expect(applied(again)).toEqual(MIGRATIONS.map(({ id }) => ({ id, applied_at: 5 })))
    again.close()
  })

  it('are all or nothing, one by one', () => {
    const db = new BetterSqlite(':memory:')
    const steps = [
      { id: '2030-01-01-good', sql: 'CREATE TABLE a (n INTEGER) STRICT' },
      { id: '2030-01-02-bad', sql: 'CREATE TABLE b (n INTEGER) STRICT; CREATE TABLE a (n INTEGER) STRICT' },
    ]
    expect(() => migrate(db, 1, steps)).toThrow('already exists')
    expect(applied(db)).toEqual([{ id: '2030-01-01-good', applied_at: 1 }])
    expect(db.prepare(`SELECT name FROM sqlite_schema WHERE name IN ('a', 'b')`).all()).toEqual([{ name: 'a' }])
    migrate(db, 2, [steps[0] as never, { id: '2030-01-02-bad', sql: 'CREATE TABLE b (n INTEGER) STRICT' }])
    expect(applied(db).length).toBe(2)
  })

  it('leave the checks of jobs and events as strict as they were, without a list of words', () => {
    const db = openDatabase(':memory:', 1)
    const texts = db.prepare<[], string>(`SELECT sql FROM sqlite_schema WHERE name IN ('jobs', 'events')`).pluck().all()
    expect(texts.join('\n')).not.toMatch(/IN \('/)
    const add = db.prepare(`INSERT INTO jobs (id, endpoint_id, status, low_priority, created_at, queued_at, finished_at,
      execution_timeout_ms, ttl_ms, retention_ms, deadline_at) VALUES (?, 'e', ?, 0, 0, 0, ?, 1, 1, 1, 1)`)
    for (const state of JOB_STATES.filter((one) => one !== 'IN_PROGRESS')) {
      const finishedAt = isFinal(state) ? 1 : null
      add.run(state, state, finishedAt)
      expect(() => add.run('other', state, finishedAt === null ? 1 : null)).toThrow('CHECK constraint failed')
    }
    expect(() => add.run('other', 'DONE', 1)).toThrow('CHECK constraint failed')
    const happen = db.prepare(
      `INSERT INTO events (at, type, endpoint_id, event, kind, run_id) VALUES (0, ?, 'e', 'x', ?, ?)`,
    )
    for (const type of ['job', 'worker', 'endpoint']) happen.run(type, null, null)
    for (const kind of ['endpoint', 'release', 'scale', 'crash', 'worker']) happen.run('worker', kind, null)
    happen.run('run', null, 'r')
    expect(() => happen.run('other', null, null)).toThrow('CHECK constraint failed')
    expect(() => happen.run('worker', 'other', null)).toThrow('CHECK constraint failed')
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  })

  it('leave the schema out of reach of all other SQL', () => {
    const db = openDatabase(':memory:', 1)
    db.pragma('writable_schema = ON')
    expect(() => db.exec('UPDATE sqlite_schema SET sql = sql')).toThrow('may not be modified')
  })

  it('leave payloads where they are: a large one in its row is read as before', async () => {
    const path = file()
    const old = new BetterSqlite(path)
    migrate(old, 1, MIGRATIONS.slice(0, 1))
    const input = `{"pad":"${'é'.repeat(300_000)}"}`
    old.exec(`INSERT INTO jobs (id, endpoint_id, status, low_priority, created_at, queued_at, execution_timeout_ms, ttl_ms,
        retention_ms, deadline_at) VALUES ('j', 'e', 'IN_QUEUE', 0, 0, 0, 1, 1, 1, 1)`)
    old.prepare('INSERT INTO job_inputs (seq, input) VALUES (1, ?)').run(input)
    old.close()
    const { jobs, close } = openStorage(path, 2)
    const stored = await jobs.readInput({ seq: 1, id: 'j' })
    expect([stored?.input, stored?.openS3Config()]).toEqual([input, undefined])
    await close()
  })

  it('count the texts of runs that are there already', () => {
    const db = new BetterSqlite(':memory:')
    migrate(
      db,
      1,
      MIGRATIONS.filter(({ id }) => id < '2026-11-28'),
    )
    db.exec(`INSERT INTO workflow_runs (id, endpoint_id, title, status, created_at, results, errors, files, words)
      VALUES ('a', 'e', 't', 'IN_QUEUE', 0, '[]', '[]', '[]', ''), ('b', 'e', 't', 'IN_QUEUE', 0, '[]', '[]', '[]', '');
      INSERT INTO workflow_run_texts (seq, payload, document) VALUES (1, '{"é":1}', NULL), (2, '{}', '[1]')`)
    migrate(db, 2)
    const total = () => db.prepare('SELECT bytes FROM workflow_runs_total').pluck().get()
    expect(total()).toBe(13)
    db.pragma('foreign_keys = ON')
    db.exec(`DELETE FROM workflow_runs WHERE id = 'a'`)
    expect(total()).toBe(5)
  })

  it('keep the log of events, and its numbers go on where they were', async () => {
    const path = file()
    const old = new BetterSqlite(path)
    migrate(
      old,
      1,
      MIGRATIONS.filter(({ id }) => id < '2026-11-26'),
    )
    const add = `INSERT INTO events (at, type, endpoint_id, event, to_state, kind) VALUES (1, 'endpoint', 'e', ?, ?, 'endpoint')`
    for (const event of ['created', 'updated', 'paused']) old.prepare(add).run(event, event)
    old.exec('DELETE FROM events WHERE id = 3')
    old.close()
    const { events, write, runs, close } = openStorage(path, 2)
    const run = { id: 'r', endpointId: 'e', title: 't', createdAt: 5, payload: '{}', files: [], words: '' }
    const nothing = { workflowId: undefined, label: undefined, sweepId: undefined, document: undefined }
    await write(() => runs.insert({ ...run, ...nothing }))
    expect(events.after(0, 10).map(({ eventId, type, event }) => [eventId, type, event])).toEqual([
      [1, 'endpoint', 'created'],
      [2, 'endpoint', 'updated'],
      [4, 'run', 'created'],
    ])
    const kinds = { kinds: ['endpoint' as const], endpointId: undefined, from: 0, to: 9, before: 9, limit: 9 }
    expect(events.fleet(kinds).map(({ event }) => event)).toEqual(['updated', 'created'])
    await close()
  })

  it('of a newer version are refused, and nothing is changed', () => {
    const path = file()
    const db = openDatabase(path, 1)
    db.prepare('INSERT INTO migrations (id, applied_at) VALUES (?, 1)').run('2099-01-01-future')
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
    const before = readFileSync(path)
    expect(() => openDatabase(path, 2)).toThrow(DatabaseUnusable)
    expect(() => openDatabase(path, 2)).toThrow(/2099-01-01-future.*install that version.*Nothing was changed\.$/)
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('are not tried on a file that is no database, and the file stays as it is', () => {
    const path = file()
    writeFileSync(path, 'a letter to my aunt, and no database at all'.repeat(50))
    expect(() => openDatabase(path, 1)).toThrow(DatabaseUnusable)
    expect(readFileSync(path, 'utf8')).toBe('a letter to my aunt, and no database at all'.repeat(50))
  })
})

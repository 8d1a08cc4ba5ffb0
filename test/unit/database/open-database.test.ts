import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { JOB_STATES } from '../../../src-main/contract/job.ts'
import { DatabaseUnusable, openDatabase } from '../../../src-main/database/open-database.ts'
import { isFinal } from '../../../src-main/features/jobs/rules/transitions.ts'

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'drydock.db')
}

it('the checks of jobs and events refuse states and kinds that do not exist, without lists of words', () => {
  const db = openDatabase(':memory:')
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
})

it('a database is opened again as it is, and one of another version is refused before anything is changed', () => {
  const path = file()
  const db = openDatabase(path)
  db.exec(`INSERT INTO service_state (name, value) VALUES ('a', '1')`)
  db.close()
  const again = openDatabase(path)
  expect(again.prepare('SELECT value FROM service_state').pluck().all()).toEqual(['1'])
  again.pragma('user_version = 7')
  again.close()
  const before = readFileSync(path)
  expect(() => openDatabase(path)).toThrow(DatabaseUnusable)
  expect(() => openDatabase(path)).toThrow(/made by another version of Drydock\. Nothing was changed\.$/)
  expect(readFileSync(path).equals(before)).toBe(true)
})

it('a file that is no database stays as it is', () => {
  const path = file()
  writeFileSync(path, 'a letter to my aunt, and no database at all'.repeat(50))
  expect(() => openDatabase(path)).toThrow(DatabaseUnusable)
  expect(readFileSync(path, 'utf8')).toBe('a letter to my aunt, and no database at all'.repeat(50))
})

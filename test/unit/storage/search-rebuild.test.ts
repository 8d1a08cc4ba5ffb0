import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { endpointConfig } from '../../../src-main/contract/endpoint.ts'
import { searchWords } from '../../../src-main/storage/migrations/2026-12-17-search-words.ts'
import { openStorage } from '../../../src-main/storage/open-storage.ts'

const NONE = { s3Config: undefined, webhook: undefined, idempotencyKey: undefined, lowPriority: false }
const TIMES = { executionTimeoutMs: 1000, ttlMs: 1000, retentionMs: 1000 }
const MOMENT = { now: 1, steady: 1 }
const OLD_INDEX = `
  DROP TABLE job_search;
  CREATE VIRTUAL TABLE job_search USING fts5 (
    endpoint, text, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
  );`

/** A database as the version before the index of parts of words left it. */
async function withOldIndex(count: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-search-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'jobs.db')
  const storage = openStorage(file, 0)
  await storage.write(() => {
    const endpoint = { paused: false, keyHash: new Uint8Array(32), revision: 1, createdAt: 1, updatedAt: 1 }
    const config = endpointConfig.parse({ name: 'e', command: 'true' })
    storage.endpoints.save({ ...endpoint, id: 'e', config }, 'created', 1)
    for (let n = 0; n < count; n++) add(storage, `old ${n}`)
    storage.search.catchUp(1000)
  })
  storage.close()
  const db = new BetterSqlite(file)
  db.exec(OLD_INDEX)
  db.prepare('DELETE FROM migrations WHERE id = ?').run(searchWords.id)
  db.close()
  return file
}

function add({ jobs }: ReturnType<typeof openStorage>, id: string): number {
  const job = { id, endpointId: 'e', input: '{"text":"lighthouse"}' }
  return jobs.insert({ ...job, ...TIMES, ...NONE }, MOMENT).seq
}

it('an older database is indexed again step by step, the newest jobs first, and new jobs meanwhile', async () => {
  const storage = openStorage(await withOldIndex(5), 0)
  onTestFinished(storage.close)
  const { jobs, search, write } = storage
  const found = () => jobs.list({ text: 'house', limit: 10 }).map(({ seq }) => seq)
  expect([found(), search.rebuilding()]).toEqual([[], true])
  expect(await write(() => search.rebuild(2))).toBe(true)
  expect(found()).toEqual([5, 4])
  const added = await write(() => add(storage, 'new'))
  await write(() => search.catchUp(10))
  expect(found()).toEqual([added, 5, 4])
  expect(await write(() => search.rebuild(10))).toBe(false)
  expect([found(), search.rebuilding()]).toEqual([[added, 5, 4, 3, 2, 1], false])
})

it('a new database has nothing to be indexed again', () => {
  const { search, close } = openStorage(':memory:', 0)
  onTestFinished(close)
  expect(search.rebuilding()).toBe(false)
})

it('one step is bounded by the words of its jobs, not by their number alone', async () => {
  const storage = openStorage(':memory:', 0)
  onTestFinished(storage.close)
  const { endpoints, jobs, search, write } = storage
  const long = Array.from({ length: 3000 }, (_word, at) => `word${at}`).join(' ')
  await write(() => {
    const endpoint = { paused: false, keyHash: new Uint8Array(32), revision: 1, createdAt: 1, updatedAt: 1 }
    const config = endpointConfig.parse({ name: 'e', command: 'true' })
    endpoints.save({ ...endpoint, id: 'e', config }, 'created', 1)
    for (let n = 0; n < 4; n++) {
      const job = { id: `job ${n}`, endpointId: 'e', input: JSON.stringify({ long }) }
      jobs.insert({ ...job, ...TIMES, ...NONE }, MOMENT)
    }
  })
  expect(await write(() => search.catchUp(100))).toBe(true)
  expect(jobs.count({ text: 'word1' }).count).toBe(2)
  expect([await write(() => search.catchUp(100)), search.behind()]).toEqual([false, false])
})

import type { Database } from 'better-sqlite3'
import type { ChunkStore } from '../services/ports.ts'

const COUNT = `SELECT COALESCE(MAX(n), 0) AS count FROM job_chunks WHERE seq = ?`
const INSERT = `INSERT INTO job_chunks (seq, n, chunk) VALUES (?, ?, ?)`
const AFTER = `SELECT n, chunk FROM job_chunks WHERE seq = ? AND n > ? ORDER BY n LIMIT ?`

/** Makes the store of stream chunks, numbered from 1 within a job in the order of arrival. */
export function createChunkStore(db: Database): ChunkStore {
  const count = db.prepare<[number], { count: number }>(COUNT)
  const insert = db.prepare(INSERT)
  const after = db.prepare<[number, number, number], { n: number; chunk: string }>(AFTER)
  const countOf = (seq: number) => count.get(seq)?.count ?? 0
  return {
    append(seq, chunks) {
      const first = countOf(seq) + 1
      for (const [index, chunk] of chunks.entries()) insert.run(seq, first + index, chunk)
    },
    after: (seq, cursor, limit) => after.all(seq, cursor, limit),
    count: countOf,
  }
}

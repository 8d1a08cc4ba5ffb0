/**
 * Jobs past retention. Triggers maintain the size sum, so nothing is summed over all rows. Sizes are estimates: an
 * average per record, and streams by chunk count and first chunk sizes.
 */
import type { Database } from 'better-sqlite3'
import { queriesOf } from '../../../database/queries.ts'
import { DELETE_OUTPUT } from './job-payloads.ts'

export const CHUNK_COUNT = `SELECT COALESCE(MAX(n), 0) FROM job_chunks WHERE seq = ?`

// Job row, events, search text and indexes, bytes; source: ours, an estimate for small jobs.
const RECORD_BYTES = 1500
// Minimum size of files from before sizes were recorded; see payloadInRowBytes.
const UNKNOWN_FILE_BYTES = 256 * 1024
// Deleting so many normal chunks takes some ms.
const CHUNKS_AT_ONCE = 500

type PayloadSize = { readonly inRow: number; readonly inFile: 0 | 1; readonly fileBytes: number | null }

export function createJobArchive(db: Database) {
  const query = queriesOf(db)
  const mark = query<[seq: number]>(`
    UPDATE jobs SET archived = 1 WHERE seq = ? AND finished_at IS NOT NULL AND archived = 0`).changed()
  const markGraph = query<[seq: number]>(`UPDATE graph_jobs SET archived = 1 WHERE seq = ?`).run()
  const freeKey = query<[seq: number]>(`DELETE FROM idempotency_keys WHERE seq = ?`).run()
  // Text length is read without reading the text.
  const sizeIn = (column: string, table: string) =>
    query<[seq: number], PayloadSize>(`
      SELECT octet_length(${column}) AS inRow, file IS NOT NULL AS inFile, file_bytes AS fileBytes
      FROM ${table} WHERE seq = ?`).one(sizeOf)
  const inputBytes = sizeIn('input', 'job_inputs')
  const outputBytes = sizeIn('output', 'job_outputs')
  const chunkCount = query<[seq: number], number>(CHUNK_COUNT).value(0)
  const chunkBytes = query<[seq: number], number>(`
    SELECT COALESCE(AVG(octet_length(chunk)), 0)
    FROM (SELECT chunk FROM job_chunks WHERE seq = ? ORDER BY n LIMIT 20)`).value(0)
  const add = query<[seq: number, steady: number, recordBytes: number, outputBytes: number]>(`
    INSERT INTO job_archive (seq, archived_at, record_bytes, output_bytes) VALUES (?, ?, ?, ?)`).run()
  const removeOutput = query<[seq: number]>(DELETE_OUTPUT).run()
  const removeChunks = query<[{ seq: number; count: number }]>(`
    DELETE FROM job_chunks WHERE seq = @seq AND n <= (
      SELECT MIN(n) + @count - 1 FROM job_chunks WHERE seq = @seq)`).changes()
  const setRemoved = query<[seq: number]>(`
    UPDATE job_archive SET output_bytes = 0, output_removed = 1 WHERE seq = ?`).run()
  const isRemoved = query<[seq: number], 0 | 1>(`SELECT output_removed FROM job_archive WHERE seq = ?`).value()
  const outputs = query<[{ steady: number; bytes: number }], { readonly count: number; readonly bytes: number }>(`
    SELECT COUNT(*) AS count, COALESCE(SUM(output_bytes), 0) AS bytes FROM job_archive
    WHERE output_bytes > @bytes AND +archived_at <= @steady`).one()

  function bytesOfChunks(seq: number): number {
    const count = chunkCount(seq)
    return count === 0 ? 0 : Math.round(count * chunkBytes(seq))
  }

  return {
    add(seq: number, { steady }: { readonly steady: number }) {
      if (!mark(seq)) return
      markGraph(seq)
      freeKey(seq)
      add(seq, steady, RECORD_BYTES + (inputBytes(seq) ?? 0), (outputBytes(seq) ?? 0) + bytesOfChunks(seq))
    },
    bytes: query<[], number>(`SELECT bytes FROM job_archive_total`).value(0),
    upTo: query<[steady: number, limit: number], number>(`
      SELECT seq FROM job_archive WHERE archived_at <= ? ORDER BY archived_at LIMIT ?`).values(),
    largestOutputs: query<[bytes: number, limit: number], number>(`
      SELECT seq FROM job_archive WHERE output_bytes > ? ORDER BY output_bytes DESC LIMIT ?`).values(),
    largestOutputsUpTo: query<[bytes: number, steady: number, limit: number], number>(`
      SELECT seq FROM job_archive WHERE output_bytes > ? AND +archived_at <= ? ORDER BY output_bytes DESC LIMIT ?`).values(),
    removeOutput(seq: number) {
      if (removeChunks({ seq, count: CHUNKS_AT_ONCE }) === CHUNKS_AT_ONCE) return false
      removeOutput(seq)
      setRemoved(seq)
      return true
    },
    isOutputRemoved: (seq: number) => isRemoved(seq) === 1,
    /** How many `largestOutputsUpTo` has, and how large they are together. */
    outputsUpTo: (steady: number, bytes: number) => outputs({ steady, bytes }) ?? { count: 0, bytes: 0 },
  }
}

function sizeOf(payload: PayloadSize): number {
  return payload.inFile === 1 ? (payload.fileBytes ?? UNKNOWN_FILE_BYTES) : payload.inRow
}

/**
 * Jobs whose retention is over. Each has a row with its size, and triggers update the sum, so that nothing is ever
 * added up over all of them. Sizes are about right: what a record takes beside its payloads is an average, and the
 * chunks of a stream are counted by their number and the size of the first ones.
 */
import type { Database } from 'better-sqlite3'
import type { JobArchive } from '../services/ports/job-storage.ts'
import { DELETE_OUTPUT } from './job-payloads.ts'

const MARK = `UPDATE jobs SET archived = 1 WHERE seq = ? AND finished_at IS NOT NULL AND archived = 0 RETURNING seq`
const MARK_GRAPH = `UPDATE graph_jobs SET archived = 1 WHERE seq = ?`
const FREE_KEY = `DELETE FROM idempotency_keys WHERE seq = ?`
// The length of a text is read without the text.
const INPUT_BYTES = `
  SELECT octet_length(input) AS inRow, file IS NOT NULL AS inFile, file_bytes AS fileBytes FROM job_inputs WHERE seq = ?`
const OUTPUT_BYTES = `
  SELECT octet_length(output) AS inRow, file IS NOT NULL AS inFile, file_bytes AS fileBytes FROM job_outputs WHERE seq = ?`
/** How many chunks the stream of a job has. */
export const CHUNK_COUNT = `SELECT COALESCE(MAX(n), 0) AS count FROM job_chunks WHERE seq = ?`
const CHUNK_BYTES = `
  SELECT COALESCE(AVG(octet_length(chunk)), 0) AS bytes FROM (SELECT chunk FROM job_chunks WHERE seq = ? ORDER BY n LIMIT 20)`
const ADD = `INSERT INTO job_archive (seq, archived_at, record_bytes, output_bytes) VALUES (?, ?, ?, ?)`
const TOTAL = `SELECT bytes FROM job_archive_total`
const UP_TO = `SELECT seq FROM job_archive WHERE archived_at <= ? ORDER BY archived_at LIMIT ?`
const LARGEST = `SELECT seq FROM job_archive WHERE output_bytes > ? ORDER BY output_bytes DESC LIMIT ?`
// Reads no more than the large ones, which are few beside the others.
const LARGEST_UP_TO = `
  SELECT seq FROM job_archive WHERE output_bytes > ? AND +archived_at <= ? ORDER BY output_bytes DESC LIMIT ?`
const REMOVE_CHUNKS = `
  DELETE FROM job_chunks WHERE seq = @seq AND n <= (
    SELECT MIN(n) + @count - 1 FROM job_chunks WHERE seq = @seq)`
const SET_REMOVED = `UPDATE job_archive SET output_bytes = 0, output_removed = 1 WHERE seq = ?`
const IS_REMOVED = `SELECT output_removed AS removed FROM job_archive WHERE seq = ?`
const OUTPUTS = `
  SELECT COUNT(*) AS count, COALESCE(SUM(output_bytes), 0) AS bytes FROM job_archive
  WHERE output_bytes > @bytes AND +archived_at <= @steady`

// Rows of the job, its events, its text in the search, and their indexes; source: ours, an estimate for small jobs.
const RECORD_BYTES = 1500
// A file from before sizes were noted is at least so large; see payloadInRowBytes.
const UNKNOWN_FILE_BYTES = 256 * 1024
// So many chunks of usual size are deleted in some ms.
const CHUNKS_AT_ONCE = 500

type PayloadSize = { readonly inRow: number; readonly inFile: 0 | 1; readonly fileBytes: number | null }

/** Makes the archive of jobs. */
export function createJobArchive(db: Database): JobArchive {
  const mark = db.prepare<[number], { seq: number }>(MARK)
  const markGraph = db.prepare(MARK_GRAPH)
  const freeKey = db.prepare(FREE_KEY)
  const inputBytes = db.prepare<[number], PayloadSize>(INPUT_BYTES)
  const outputBytes = db.prepare<[number], PayloadSize>(OUTPUT_BYTES)
  const chunkCount = db.prepare<[number], { count: number }>(CHUNK_COUNT)
  const chunkBytes = db.prepare<[number], { bytes: number }>(CHUNK_BYTES)
  const add = db.prepare(ADD)
  const total = db.prepare<[], { bytes: number }>(TOTAL)
  const upTo = db.prepare<[number, number], { seq: number }>(UP_TO)
  const largest = db.prepare<[number, number], { seq: number }>(LARGEST)
  const largestUpTo = db.prepare<[number, number, number], { seq: number }>(LARGEST_UP_TO)
  const removeOutput = db.prepare(DELETE_OUTPUT)
  const removeChunks = db.prepare(REMOVE_CHUNKS)
  const setRemoved = db.prepare(SET_REMOVED)
  const isRemoved = db.prepare<[number], { removed: 0 | 1 }>(IS_REMOVED)
  const outputs = db.prepare<[object], { count: number; bytes: number }>(OUTPUTS)

  function bytesOfChunks(seq: number): number {
    const count = chunkCount.get(seq)?.count ?? 0
    return count === 0 ? 0 : Math.round(count * (chunkBytes.get(seq)?.bytes ?? 0))
  }

  return {
    add(seq, { steady }) {
      if (mark.get(seq) === undefined) return
      markGraph.run(seq)
      freeKey.run(seq)
      add.run(
        seq,
        steady,
        RECORD_BYTES + sizeOf(inputBytes.get(seq)),
        sizeOf(outputBytes.get(seq)) + bytesOfChunks(seq),
      )
    },
    bytes: () => total.get()?.bytes ?? 0,
    upTo: (steady, limit) => upTo.all(steady, limit).map(({ seq }) => seq),
    largestOutputs: (bytes, limit) => largest.all(bytes, limit).map(({ seq }) => seq),
    largestOutputsUpTo: (steady, bytes, limit) => largestUpTo.all(bytes, steady, limit).map(({ seq }) => seq),
    removeOutput(seq) {
      if (removeChunks.run({ seq, count: CHUNKS_AT_ONCE }).changes === CHUNKS_AT_ONCE) return false
      removeOutput.run(seq)
      setRemoved.run(seq)
      return true
    },
    isOutputRemoved: (seq) => isRemoved.get(seq)?.removed === 1,
    outputsUpTo: (steady, bytes) => outputs.get({ steady, bytes }) ?? { count: 0, bytes: 0 },
  }
}

function sizeOf(payload: PayloadSize | undefined): number {
  if (payload === undefined) return 0
  return payload.inFile === 1 ? (payload.fileBytes ?? UNKNOWN_FILE_BYTES) : payload.inRow
}

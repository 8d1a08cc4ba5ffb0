import type { Database } from 'better-sqlite3'
import { AppError } from '../contract/errors.ts'
import type { Json } from '../domain/json/json.ts'
import type { KeptPayload } from '../services/ports/payloads.ts'
import type { JobName, JobStore } from '../services/ports.ts'
import type { PayloadFiles } from './payload-files.ts'

const INSERT_INPUT = `INSERT INTO job_inputs (seq, input, file, file_bytes, s3_config) VALUES (?, ?, ?, ?, ?)`
// As bytes: Node makes a string five times as fast as the database binding does.
const READ_INPUT = `SELECT CAST(input AS BLOB) AS text, file, s3_config AS s3Config FROM job_inputs WHERE seq = ?`
const READ_OUTPUT = `SELECT CAST(output AS BLOB) AS text, file FROM job_outputs WHERE seq = ?`
const WRITE_OUTPUT = `
  INSERT INTO job_outputs (seq, output, file, file_bytes) VALUES (?, ?, ?, ?)
  ON CONFLICT (seq) DO UPDATE SET output = excluded.output, file = excluded.file, file_bytes = excluded.file_bytes`
const DELETE_OUTPUT = `DELETE FROM job_outputs WHERE seq = ?`

type PayloadRow = { readonly text: Buffer; readonly file: string | null }

/** The inputs and outputs of jobs, in their rows or in files. */
export type JobPayloads = Pick<JobStore, 'readInput' | 'readOutput'> & {
  readonly insertInput: (seq: number, input: KeptPayload, s3Config: string | undefined) => void
  readonly writeOutput: (seq: number, output: KeptPayload) => void
  readonly deleteOutput: (seq: number) => void
}

/** Makes the rows of payloads; the job store writes them. */
export function createJobPayloads(db: Database, files: Pick<PayloadFiles, 'read'>): JobPayloads {
  const insertInput = db.prepare(INSERT_INPUT)
  const readInput = db.prepare<[number], PayloadRow & { s3Config: string | null }>(READ_INPUT)
  const readOutput = db.prepare<[number], PayloadRow>(READ_OUTPUT)
  const writeOutput = db.prepare(WRITE_OUTPUT)
  const deleteOutput = db.prepare(DELETE_OUTPUT)

  // A file that is missing was replaced since its row was read, then the row names another; or somebody deleted it.
  async function read<Row extends PayloadRow>(
    { id }: JobName,
    what: 'input' | 'output',
    look: () => Row | undefined,
  ): Promise<{ readonly json: Json; readonly row: Row } | undefined> {
    let missing: string | undefined
    for (;;) {
      const row = look()
      if (row === undefined) return undefined
      if (row.file === null) return { json: row.text.toString(), row }
      if (row.file === missing) throw new AppError('PAYLOAD_LOST', { what, jobId: id, file: row.file })
      const bytes = await files.read(row.file)
      if (bytes !== undefined) return { json: bytes, row }
      missing = row.file
    }
  }

  return {
    insertInput: (seq, input, s3Config) => void insertInput.run(seq, textOf(input), ...fileOf(input), s3Config),
    writeOutput: (seq, output) => void writeOutput.run(seq, textOf(output), ...fileOf(output)),
    deleteOutput: (seq) => void deleteOutput.run(seq),
    async readInput(job) {
      const found = await read(job, 'input', () => readInput.get(job.seq))
      return found && { input: found.json, s3Config: found.row.s3Config }
    },
    readOutput: async (job) => (await read(job, 'output', () => readOutput.get(job.seq)))?.json,
  }
}

function textOf(payload: KeptPayload): string {
  return typeof payload === 'string' ? payload : payload.head
}

function fileOf(payload: KeptPayload): readonly [file: string | null, bytes: number | null] {
  return typeof payload === 'string' ? [null, null] : [payload.file, payload.bytes]
}

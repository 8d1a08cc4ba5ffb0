import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, unlinkSync } from 'node:fs'
import { readFile, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { AppError } from '../../../contract/errors.ts'
import { limit } from '../../../contract/limits.ts'
import { queriesOf } from '../../../database/queries.ts'
import type { Seal } from '../../../database/secret-store.ts'
import { openStoredBytes, unlessMissing } from '../../../database/stored-bytes.ts'
import { createDurableWriter, fileError, PRIVATE_FOLDER, syncFolderNow } from '../../../database/write-files.ts'
import type { Json, StoredBytes } from '../../../lib/json/bytes.ts'
import type { DraftPlace, JobName, NewJob, PayloadFile, StoredPayload } from './job.ts'

export const DELETE_OUTPUT = `DELETE FROM job_outputs WHERE seq = ?`

type Filed = [file: string | null, bytes: number | null]
type Sealed = [s3Config: string | undefined, secrets: string | undefined]
type PayloadRow = { readonly text: Buffer; readonly file: string | null }

export type NewDraft = DraftPlace & {
  readonly id: string
  readonly request: string
  readonly input: StoredPayload
} & Pick<NewJob, 's3Config' | 'secretInput'>

export type JobPayloads = ReturnType<typeof createJobPayloads>

export function createJobPayloads(
  db: Database,
  { files, seal }: { readonly files: Pick<PayloadFiles, 'open' | 'read'>; readonly seal: Seal },
) {
  const query = queriesOf(db)
  const insertInput = query<[seq: number, text: string, ...Filed, ...Sealed]>(`
    INSERT INTO job_inputs (seq, input, file, file_bytes, s3_config, secrets) VALUES (?, ?, ?, ?, ?, ?)`).run()
  // As bytes: Node builds strings five times as fast as the database binding.
  const readInput = query<
    [seq: number],
    PayloadRow & { readonly s3Config: string | null; readonly secrets: string | null }
  >(`
    SELECT CAST(input AS BLOB) AS text, file, s3_config AS s3Config, secrets FROM job_inputs WHERE seq = ?`).one()
  const readOutput = query<[seq: number], PayloadRow>(`
    SELECT CAST(output AS BLOB) AS text, file FROM job_outputs WHERE seq = ?`).one()
  const writeOutput = query<[seq: number, text: string, ...Filed]>(`
    INSERT INTO job_outputs (seq, output, file, file_bytes) VALUES (?, ?, ?, ?)
    ON CONFLICT (seq) DO UPDATE SET output = excluded.output, file = excluded.file,
      file_bytes = excluded.file_bytes`).run()

  const moveInput = query<[DraftPlace & { readonly seq: number }]>(`
    INSERT INTO job_inputs (seq, input, file, file_bytes, s3_config, secrets)
    SELECT @seq, input, file, file_bytes, s3_config, secrets FROM draft_requests WHERE batch = @batch AND line = @line`).run()
  const insertDraft = query<[batch: number, line: number, request: string, text: string, ...Filed, ...Sealed]>(`
    INSERT INTO draft_requests (batch, line, request, input, file, file_bytes, s3_config, secrets)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`).run()
  const readDraft = query<[batch: number, line: number], PayloadRow & { readonly s3Config: string | null }>(`
    SELECT CAST(input AS BLOB) AS text, file, s3_config AS s3Config FROM draft_requests
    WHERE batch = ? AND line = ?`).one()

  const sealed = (name: ReturnType<typeof s3ConfigOf>, text: string | undefined) =>
    text === undefined ? undefined : seal.close(name, text)
  const sealedOf = (job: Pick<JobName, 'id'>, { s3Config, secretInput }: Pick<NewJob, 's3Config' | 'secretInput'>) =>
    [sealed(s3ConfigOf(job), s3Config), sealed(secretInputOf(job), secretInput)] as const satisfies Sealed

  async function find<Row extends PayloadRow, Large>(
    { id }: Pick<JobName, 'id'>,
    what: 'input' | 'output',
    readRow: () => Row | undefined,
    get: (file: string) => Promise<Large | undefined>,
  ): Promise<{ readonly json: string | Large; readonly row: Row } | undefined> {
    let missing: string | undefined
    for (;;) {
      const row = readRow()
      if (row === undefined) return undefined
      if (row.file === null) return { json: row.text.toString(), row }
      if (row.file === missing) throw new AppError('PAYLOAD_LOST', { what, jobId: id, file: row.file })
      const large = await get(row.file)
      if (large !== undefined) return { json: large, row }
      missing = row.file
    }
  }

  return {
    insertInput(job: JobName, { input, s3Config, secretInput }: Pick<NewJob, 'input' | 's3Config' | 'secretInput'>) {
      if (typeof input !== 'string' && 'line' in input) moveInput({ seq: job.seq, ...input })
      else insertInput(job.seq, textOf(input), ...fileOf(input), ...sealedOf(job, { s3Config, secretInput }))
    },
    insertDraft({ batch, line, request, input, ...draft }: NewDraft) {
      insertDraft(batch, line, request, textOf(input), ...fileOf(input), ...sealedOf(draft, draft))
    },
    async readDraft({ batch, line, id }: DraftPlace & Pick<JobName, 'id'>) {
      const found = await find({ id }, 'input', () => readDraft(batch, line), files.read)
      if (found === undefined) return undefined
      const { s3Config } = found.row
      return { input: found.json, s3Config: s3Config === null ? undefined : seal.open(s3ConfigOf({ id }), s3Config) }
    },
    writeOutput: (seq: number, output: StoredPayload) => writeOutput(seq, textOf(output), ...fileOf(output)),
    deleteOutput: query<[seq: number]>(DELETE_OUTPUT).run(),
    /**
     * Payloads to send.
     * @throws AppError PAYLOAD_LOST if the file is missing, as do the others here
     */
    openInput: async (job: JobName) => (await find(job, 'input', () => readInput(job.seq), files.open))?.json,
    openOutput: async (job: JobName) => (await find(job, 'output', () => readOutput(job.seq), files.open))?.json,
    /** The credentials of its bucket and its secret members are JSON, sealed until they are needed. */
    async readInput(job: JobName) {
      const found = await find(job, 'input', () => readInput(job.seq), files.read)
      if (found === undefined) return undefined
      const { s3Config, secrets } = found.row
      return {
        input: found.json,
        openS3Config() {
          if (s3Config === null || s3Config.startsWith('{')) return s3Config ?? undefined
          return seal.open(s3ConfigOf(job), s3Config)
        },
        openSecretInput: () => (secrets === null ? undefined : seal.open(secretInputOf(job), secrets)),
      }
    },
    readOutput: async (job: JobName) => (await find(job, 'output', () => readOutput(job.seq), files.read))?.json,
  }
}

const s3ConfigOf = ({ id }: Pick<JobName, 'id'>) => ({ scope: `job ${id}`, name: 's3Config' })
const secretInputOf = ({ id }: Pick<JobName, 'id'>) => ({ scope: `job ${id}`, name: 'input' })

function textOf(payload: StoredPayload): string {
  return typeof payload === 'string' ? payload : payload.head
}

function fileOf(payload: StoredPayload): Filed {
  return typeof payload === 'string' ? [null, null] : [payload.file, payload.bytes]
}

// Large payloads are immutable files, on disk before a commit names them and deleted after a durable commit drops them.
// The next start removes crash leftovers; file calls never block the event loop.

export type PayloadFiles = {
  /**
   * Runs the write that stores a payload, and says whether a row names it now; otherwise its file is deleted.
   * @throws AppError DISK_FULL, DATABASE_BUSY, and whatever `write` throws; nothing is left behind then
   */
  readonly write: <T>(
    json: Json,
    write: (payload: StoredPayload) => Promise<{ readonly stored: boolean; readonly result: T }>,
  ) => Promise<T>
  readonly open: (name: string) => Promise<StoredBytes | undefined>
  readonly read: (name: string) => Promise<Uint8Array<ArrayBuffer> | undefined>
  readonly remove: (names: readonly string[]) => void
  readonly release: () => void
  readonly close: () => Promise<void>
}

// A random name reveals nothing about the job and is never reused.
const NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Opens or creates the folder and deletes payloads no row names.
 * @throws Error of the file system
 */
export function openPayloadFiles(folder: string, isNamed: (name: string) => boolean): PayloadFiles {
  const recent = createRecentPayloads(limit('payloadMemoryBytes'))
  const writeDurably = createDurableWriter()
  const removals = new Set<Promise<void>>()
  const pathOf = (name: string) => join(folder, name)
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER })
  syncFolderNow(dirname(folder))
  for (const name of readdirSync(folder)) if (NAME.test(name) && !isNamed(name)) unlinkSync(pathOf(name))

  function remove(names: readonly string[]): void {
    for (const name of names) {
      recent.take(name)
      // If deletion fails, no row names the file, so the next start retries.
      const removal = unlink(pathOf(name)).catch(() => undefined)
      removals.add(removal)
      void removal.then(() => removals.delete(removal))
    }
  }

  async function storeLarge(json: Json): Promise<PayloadFile> {
    const bytes = asBytes(json)
    const name = randomUUID()
    try {
      await writeDurably(pathOf(name), bytes)
    } catch (error) {
      remove([name])
      throw fileError(error, 'a payload could not be stored')
    }
    recent.put(name, bytes)
    return { file: name, head: headOf(bytes), bytes: bytes.length }
  }

  return {
    async write(json, write) {
      const payload = isLarge(json) ? await storeLarge(json) : asText(json)
      let isUnused = true
      try {
        const written = await write(payload)
        isUnused = !written.stored
        return written.result
      } catch (error) {
        // After a failed sync only the next start knows whether the row exists.
        if (error instanceof AppError && error.code === 'STORAGE_FAILED') isUnused = false
        throw error
      } finally {
        if (isUnused && typeof payload !== 'string') remove([payload.file])
      }
    },
    open: (name) =>
      openStoredBytes(pathOf(name), { look: () => recent.look(name), drop: () => void recent.take(name) }),
    read: async (name) => recent.take(name) ?? (await unlessMissing(readFile(pathOf(name)))),
    remove,
    release: recent.clear,
    close: async () => {
      await Promise.all(removals)
    },
  }
}

export const payloadsInRows: PayloadFiles = {
  write: async (json, write) => (await write(asText(json))).result,
  open: async () => undefined,
  read: async () => undefined,
  remove: () => undefined,
  release: () => undefined,
  close: async () => undefined,
}

function isLarge(json: Json): boolean {
  const most = limit('payloadInRowBytes')
  if (typeof json !== 'string') return json.length > most
  // A UTF-16 unit takes 1 to 3 bytes in UTF-8, so most texts need no count.
  return json.length * 3 > most && Buffer.byteLength(json) > most
}

function asText(json: Json): string {
  return typeof json === 'string' ? json : new TextDecoder().decode(json)
}

function asBytes(json: Json): Uint8Array<ArrayBuffer> {
  return typeof json === 'string' ? Buffer.from(json) : json
}

function headOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, limit('searchTextBytes')), { stream: true })
}

export function createRecentPayloads(maxBytes: number) {
  const held = new Map<string, Uint8Array<ArrayBuffer>>()
  let bytes = 0
  const take = (name: string) => {
    const payload = held.get(name)
    if (payload === undefined) return undefined
    held.delete(name)
    bytes -= payload.buffer.byteLength // a payload is a view of its request body and retains all of it
    return payload
  }
  return {
    look: (name: string): Uint8Array<ArrayBuffer> | undefined => held.get(name),
    take,
    clear() {
      held.clear()
      bytes = 0
    },
    put(name: string, payload: Uint8Array<ArrayBuffer>) {
      held.set(name, payload)
      bytes += payload.buffer.byteLength
      for (const oldest of held.keys()) {
        if (bytes <= maxBytes) return
        take(oldest)
      }
    },
  }
}

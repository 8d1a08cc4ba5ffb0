/** What belongs to jobs beside their rows: the archive, the chunks of streams, and large payloads. */
import type { Json } from '../../domain/json/json.ts'

/** JSON as text; of a large payload its bytes are decoded. */
export function jsonText(json: Json): string {
  return typeof json === 'string' ? json : new TextDecoder().decode(json)
}

/**
 * Jobs that the job API has forgotten, stored for people. Sizes are about what the disk holds. Methods that write are
 * called inside a Writer's work only.
 */
export type JobArchive = {
  /** Archives a job that has ended: its idempotency key is free again, its record stays. */
  readonly add: (seq: number, moment: { readonly steady: number }) => void
  /** Bytes of all of it. */
  readonly bytes: () => number
  /** Numbers of jobs that were archived at `steady` or earlier, oldest first. */
  readonly upTo: (steady: number, limit: number) => readonly number[]
  /** Numbers of jobs with an output above `bytes`, largest first. */
  readonly largestOutputs: (bytes: number, limit: number) => readonly number[]
  /**
   * Deletes the output of an archived job, and its chunks in steps.
   * @returns false: it has more chunks, call again
   */
  readonly removeOutput: (seq: number) => boolean
  /** Whether the output of a job was deleted to make room. */
  readonly isOutputRemoved: (seq: number) => boolean
  /** The same of jobs that were archived at `steady` or earlier. */
  readonly largestOutputsUpTo: (steady: number, bytes: number, limit: number) => readonly number[]
  /** How many these are, and how large they are together. */
  readonly outputsUpTo: (steady: number, bytes: number) => { readonly count: number; readonly bytes: number }
}

/** The chunks of streams; each is JSON text of `{output, metrics?}`. */
export type ChunkStore = {
  readonly append: (seq: number, chunks: readonly string[]) => void
  readonly after: (
    seq: number,
    cursor: number,
    limit: number,
  ) => readonly { readonly n: number; readonly chunk: string }[]
  readonly count: (seq: number) => number
}

/** A large payload that is on the disk already. `head` is the beginning of its text, for the search. */
export type PayloadFile = { readonly file: string; readonly head: string; readonly bytes: number }

/** A payload as a write stores it: its JSON text for the row itself, or the file that the row is to name. */
export type StoredPayload = string | PayloadFile

/** What comes of a write: `stored` says whether a row names the payload now. */
export type PayloadWrite<T> = { readonly stored: boolean; readonly result: T }

/** Payloads on their way into rows. Nothing here belongs inside a Writer's work. */
export type PayloadStore = {
  /**
   * Runs the write that stores a payload. A large one is on the disk in a file of its own before, so that the commit
   * never names what is not there; where no row came to name it, it is taken back.
   * @throws AppError DISK_FULL, DATABASE_BUSY, and whatever `write` throws; nothing is left behind then
   */
  readonly write: <T>(json: Json, write: (payload: StoredPayload) => Promise<PayloadWrite<T>>) => Promise<T>
}

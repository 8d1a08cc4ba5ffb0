/** What belongs to jobs beside their rows: batches, bulk actions, the archive, the chunks of streams, and large payloads. */
import type { JobState } from '../../contract/job.ts'
import type { PendingBulkView } from '../../contract/pending-bulk.ts'
import type { Json } from '../../domain/json/json.ts'

/** Bytes that are read piece by piece, each time from the beginning or from `start`, up to `end`. */
export type StoredBytes = {
  readonly bytes: number
  readonly read: (range?: { readonly start?: number; readonly end?: number }) => AsyncIterable<Uint8Array<ArrayBuffer>>
}

/** A payload to be sent: whole, or if it is large, bytes that are read while they are sent. */
export type SentJson = Json | StoredBytes

/** The pieces of a payload. */
export async function* piecesOf(payload: SentJson): AsyncGenerator<Json> {
  if (typeof payload === 'string' || payload instanceof Uint8Array) yield payload
  else yield* payload.read()
}

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
  readonly largestOutputsUpTo: (bytes: number, steady: number, limit: number) => readonly number[]
  /** How many these are, and how large they are together. */
  readonly outputsUpTo: (steady: number, bytes: number) => { readonly count: number; readonly bytes: number }
}

/** The chunks of streams; each is JSON of `{output, metrics?}`. */
export type ChunkStore = {
  readonly append: (seq: number, chunks: readonly Json[]) => void
  /** Chunks after the cursor, within the limits of one response. */
  readonly after: (seq: number, cursor: number, most?: number) => ChunkPage
  readonly count: (seq: number) => number
}

/** A piece of a stream. `more`: the stream goes on after it. */
export type ChunkPage = {
  readonly rows: readonly { readonly n: number; readonly chunk: string }[]
  readonly more: boolean
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

/** The place of a job in a batch. */
export type BatchPlace = {
  /** Number of the batch; lines count from 1. */
  readonly batch: number
  readonly line: number
  /** The job that it takes the place of; without it the place must be free. */
  readonly instead?: number | undefined
}

/** A batch as it is stored. */
export type Batch = {
  readonly seq: number
  readonly id: string
  readonly endpointId: string
  readonly name: string
  readonly fingerprint: string | null
  readonly total: number
  /** All lines up to this one were taken in. */
  readonly received: number
  readonly cancelled: 0 | 1
  /** Wall ms. */
  readonly createdAt: number
}

/** A bulk action that can be undone. `Selection` says which jobs. */
export type PendingBulk<Selection> = PendingBulkView & { readonly selection: Selection }

/** Bulk actions that can be undone. Methods that write are called inside a Writer's work only. */
export type PendingBulkStore<Selection> = {
  /** Newest first. */
  readonly list: () => readonly PendingBulk<Selection>[]
  /** Those that wait or were being carried out, the oldest first. */
  readonly open: () => readonly PendingBulk<Selection>[]
  readonly get: (id: string) => PendingBulk<Selection> | undefined
  /** Removes old ones that have ended. @param keep how many stay */
  readonly insert: (pending: Omit<PendingBulk<Selection>, 'state' | 'result'>, keep: number) => void
  /** @returns false where it waits no more */
  readonly leaveWaiting: (move: { id: string; to: 'running' | 'undone' }) => boolean
  /** Ends one that is being carried out. */
  readonly end: (id: string, state: 'done' | 'interrupted', result: PendingBulkView['result']) => void
}

/** How many inputs of a batch are where; states without any are left out. */
export type BatchCounts = Readonly<Partial<Record<JobState | 'GONE' | 'REFUSED', number>>>

/** One input: its job, which may be gone, or why there is none. */
export type BatchLine = { readonly line: number; readonly seq: number | null; readonly reason: string | null }

/** The batches and whose their jobs are. Methods that write are called inside a Writer's work only. */
export type BatchStore<Job> = {
  /** Newest first; of all endpoints without one. */
  readonly list: (endpointId: string | undefined, limit: number) => readonly Batch[]
  readonly get: (id: string) => Batch | undefined
  /** The newest of the endpoint with that fingerprint. */
  readonly named: (endpointId: string, fingerprint: string) => Batch | undefined
  readonly insert: (batch: Omit<Batch, 'seq' | 'received' | 'cancelled'>) => void
  readonly counts: (batch: number) => BatchCounts
  /** What became of a line; undefined: it was not taken in. */
  readonly line: (batch: number, line: number) => BatchLine | undefined
  /** Lines after this one, in their order. */
  readonly lines: (batch: number, after: number, limit: number) => readonly BatchLine[]
  /** Gives a job its place, which `line` has shown to be free or that of `instead`. */
  readonly place: (seq: number, place: BatchPlace) => void
  /** The place of a job. */
  readonly placeOf: (seq: number) => { readonly batch: number; readonly line: number } | undefined
  /** Notes why a line became no job. */
  readonly refuse: (batch: number, line: number, reason: string) => void
  readonly receive: (received: { batch: number; line: number }) => void
  readonly cancel: (batch: number) => void
  /** Jobs in a state, by number, after one of them. */
  readonly jobs: (batch: number, state: JobState, after: number, limit: number) => readonly Job[]
  /** The same, the newest first. */
  readonly newest: (batch: number, state: JobState, limit: number) => readonly Job[]
  /** Why inputs became no job, the most frequent first. */
  readonly refusals: (batch: number, limit: number) => readonly { readonly reason: string; readonly count: number }[]
  /** Forgets the batch; its lines in steps. @returns false: there are more, call again */
  readonly remove: (batch: number, most: number) => boolean
}

/** What belongs to jobs beside their rows: the archive, and the chunks of streams. */

/**
 * Jobs that the job API has forgotten, kept for people. Sizes are about what the disk holds. Methods that write are called
 * inside a Writer's work only.
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

import type { Json } from '../../domain/json/json.ts'

/** A large payload that is on the disk already. `head` is the beginning of its text, for the search. */
export type PayloadFile = { readonly file: string; readonly head: string; readonly bytes: number }

/** A payload as a write stores it: its JSON text for the row itself, or the file that the row is to name. */
export type KeptPayload = string | PayloadFile

/** Files of payloads that are too large for a row. Nothing here belongs inside a Writer's work. */
export type PayloadStore = {
  /**
   * Makes a payload ready for the write that names it: a small one at once, a large one when its file is durable.
   * @throws AppError DISK_FULL, DATABASE_BUSY; nothing is left behind then
   */
  readonly keep: (json: Json) => KeptPayload | Promise<KeptPayload>
  /** Takes back what was kept and then named by no row. */
  readonly discard: (payload: KeptPayload) => void
}

/** Time, chance and the log of the process. Tests use a clock of their own. */

/** Time. `now` is wall time for people; `steady` is for spans and deadlines and never jumps. Both in ms. */
export type Clock = {
  readonly now: () => number
  readonly steady: () => number
  /** Calls `run` once after `ms`; returns a function that cancels it. */
  readonly after: (ms: number, run: () => void) => () => void
}

/** Source of ids and secrets. */
export type NewId = {
  /** UUID of a job, without prefix and suffix. */
  readonly uuid: () => string
  /** Worker id: 14 characters a-z0-9. */
  readonly worker: () => string
  /** Key of 256 random bits. */
  readonly key: () => string
  /** SHA-256 of a key. */
  readonly hash: (key: string) => Uint8Array
  /** Compares two hashes in constant time. */
  readonly sameHash: (a: Uint8Array, b: Uint8Array) => boolean
}

/** Log of the service itself: constant message, data as fields, never bodies or keys. */
export type Log = {
  readonly info: (message: string, fields?: Readonly<Record<string, unknown>>) => void
  readonly warn: (message: string, fields?: Readonly<Record<string, unknown>>) => void
  readonly error: (message: string, fields?: Readonly<Record<string, unknown>>) => void
}

/** `now` is wall time for people; `steady` is for durations and deadlines and never jumps. Both in ms. */
export type Clock = {
  readonly now: () => number
  readonly steady: () => number
  readonly after: (ms: number, run: () => void) => () => void
}

export function momentOf(clock: Clock): { readonly now: number; readonly steady: number } {
  return { now: clock.now(), steady: clock.steady() }
}

export type NewId = {
  readonly uuid: () => string
  /** Random id of a worker: 14 characters from a-z and 0-9. */
  readonly worker: () => string
  /** Key of 256 random bits. */
  readonly key: () => string
  readonly hash: (key: string) => Uint8Array
  readonly sameHash: (a: Uint8Array, b: Uint8Array) => boolean
}

/** Service log: constant messages with data as fields, never bodies or keys. */
export type Log = {
  readonly info: (message: string, fields?: Readonly<Record<string, unknown>>) => void
  readonly warn: (message: string, fields?: Readonly<Record<string, unknown>>) => void
  readonly error: (message: string, fields?: Readonly<Record<string, unknown>>) => void
}

export type TimeSource = {
  readonly wall: () => number
  readonly monotonic: () => number
  readonly after: (ms: number, run: () => void) => () => void
}

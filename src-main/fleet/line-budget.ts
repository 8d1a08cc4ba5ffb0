/**
 * How much of a worker's output is taken at once and over time, so that a loud one does not keep the others waiting.
 */
export type LineBudget = {
  /** What may be taken now, in bytes. */
  readonly left: () => number
  readonly take: (bytes: number) => void
}

/** What storing a line costs beside its bytes; source: ours, a short line takes about that much in the log store. */
export const LINE_COST_BYTES = 200
/**
 * Most short lines that are taken at once; source: ours, as many as are stored of a job. Storing them takes some 50 ms.
 */
export const LINES_AT_ONCE = 10_000
const AT_ONCE_BYTES = LINES_AT_ONCE * LINE_COST_BYTES
// Source: ours. 5,000 short lines a second take a twentieth of a core.
const PER_MS_BYTES = 5 * LINE_COST_BYTES

/** Makes a full budget. @param now steady ms */
export function createLineBudget(now: () => number): LineBudget {
  let left = AT_ONCE_BYTES
  let at = now()
  return {
    left() {
      const time = now()
      left = Math.min(AT_ONCE_BYTES, left + (time - at) * PER_MS_BYTES)
      at = time
      return left
    },
    take(bytes) {
      left -= bytes
    },
  }
}

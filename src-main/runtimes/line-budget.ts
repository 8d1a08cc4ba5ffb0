export type LineBudget = ReturnType<typeof createLineBudget>

/** Overhead per line; source: ours, the cost of a short line in the log store. */
export const LINE_COST_BYTES = 200
/** Most short lines at once; source: ours, the limit per job. Storing them takes about 50 ms. */
export const LINES_AT_ONCE = 10_000
const AT_ONCE_BYTES = LINES_AT_ONCE * LINE_COST_BYTES
// Source: ours. 5,000 short lines a second take a twentieth of a core.
const PER_MS_BYTES = 5 * LINE_COST_BYTES

export function createLineBudget(now: () => number) {
  let left = AT_ONCE_BYTES
  let at = now()
  return {
    left(): number {
      const time = now()
      left = Math.min(AT_ONCE_BYTES, left + (time - at) * PER_MS_BYTES)
      at = time
      return left
    },
    take(bytes: number) {
      left -= bytes
    },
  }
}

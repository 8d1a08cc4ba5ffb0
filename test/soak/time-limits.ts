/** Limits of time, judged in the soak only: it runs on a machine that does nothing else. */
import { expect } from 'vitest'

/** Longest time from the end of a worker to the next lease of its job, in ms; source: targets, Safety 2. */
export const DEAD_MS = 2000
/** The same from the last sign of life of one that only went silent. */
export const SILENT_MS = 12_000

/** Expects that nothing took longer, and gives the figures on. */
export function atMost<T extends { readonly slowestMs: number }>(limitMs: number, figures: T): T {
  expect(figures.slowestMs).toBeLessThanOrEqual(limitMs)
  return figures
}

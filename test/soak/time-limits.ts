/** Limits of time, judged in the soak only: it runs on a machine that does nothing else. */

/** Longest time from the end of a worker to the next lease of its job, in ms; source: docs/spec/targets.md, 2.2. */
export const DEAD_MS = 2000
/** The same from the last sign of life of one that only went silent; source: docs/spec/targets.md, 2.3. */
export const SILENT_MS = 12_000

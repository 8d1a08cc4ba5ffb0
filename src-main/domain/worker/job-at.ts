/** When a worker ran a job, wall ms; `to` undefined: it still does. */
export type JobSpan = { readonly jobId: string; readonly from: number; readonly to?: number | undefined }

/**
 * How late the engine may have noted a line, ms; source: ours. It reads a pipe as soon as something is in it, but on a
 * busy machine the result of a job can overtake the last line of it.
 */
const LATE_MS = 20

/**
 * The job that a line belongs to, told by when it was written: the one that ran then, else one that had just ended.
 * Undefined when none did or several at once: then nobody can say.
 * @param spans - what the worker ran lately, oldest first
 * @param at - when the line was written, wall ms
 */
export function jobAt(spans: readonly JobSpan[], at: number): string | undefined {
  const running = spans.filter(({ from, to }) => from <= at && (to === undefined || at <= to))
  if (running.length > 0) return running.length === 1 ? running[0]?.jobId : undefined
  return spans.findLast(({ to }) => to !== undefined && to < at && at - to <= LATE_MS)?.jobId
}

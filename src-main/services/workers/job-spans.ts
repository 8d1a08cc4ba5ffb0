import type { LiveWorker } from './worker-registry.ts'

// Lines come within moments of their writing, so a few jobs back are enough.
const SPANS_KEPT = 50

/** Notes that the worker runs a job. @param at wall ms */
export function openJobSpan({ jobSpans }: LiveWorker, jobId: string, at: number): void {
  jobSpans.push({ jobId, from: at, to: undefined })
  jobSpans.splice(0, Math.max(0, jobSpans.length - SPANS_KEPT))
}

/** Notes that it no longer does. @param at wall ms */
export function closeJobSpan({ jobSpans }: LiveWorker, jobId: string, at: number): void {
  const span = jobSpans.findLast((other) => other.jobId === jobId && other.to === undefined)
  if (span !== undefined) span.to = at
}

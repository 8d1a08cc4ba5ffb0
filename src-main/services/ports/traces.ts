/** Traces: where they go. */
import type { Traced } from '../../domain/monitoring/job-spans.ts'

/** What became of spans so far. */
export type SpanCounts = { readonly exported: number; readonly dropped: number }

/** A collector of traces. It takes what comes or drops it, and nobody ever waits for it. */
export type Collector = {
  readonly send: (traced: Traced) => void
  readonly counts: () => SpanCounts
  /** Sends what is left, for a moment, and ends. */
  readonly stop: () => Promise<void>
}

/** Opens the collector at an address. @param problem called with why spans were not taken, a sentence */
export type OpenCollector = (address: {
  readonly url: string
  readonly version: string
  readonly problem: (why: string) => void
}) => Collector

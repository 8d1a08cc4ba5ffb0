import type { Traced } from './rules/job-spans.ts'

export type SpanCounts = { readonly exported: number; readonly dropped: number }

export type Collector = {
  readonly send: (traced: Traced) => void
  readonly counts: () => SpanCounts
  readonly stop: () => Promise<void>
}

export type OpenCollector = (address: {
  readonly url: string
  readonly version: string
  readonly problem: (why: string) => void
}) => Collector

import type { MetricsPoint, MetricsTotals } from '../contract/management.ts'

/**
 * Counts of spans in ms, by bucket. Bucket n holds spans up to 1.1 to the power n, so a percentile is right within
 * 10 %, and two histograms are added by adding their counts.
 */
export type Histogram = Readonly<Record<number, number>>

/** What was counted of an endpoint within one step of time. */
export type Step = Omit<MetricsPoint, 'at' | 'delay' | 'execution' | 'coldStarts'> & {
  readonly delay: Histogram
  readonly execution: Histogram
  /** The longest span of each histogram; missing in steps that were written before it was stored. */
  readonly delayMaxMs?: number
  readonly executionMaxMs?: number
  /** Missing in steps that were written before they were counted. */
  readonly coldStarts?: number
}

const GROWTH = Math.log(1.1)

/** The bucket of a span. @param ms at least 0 */
export function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log(ms) / GROWTH)
}

const endOf = (bucket: number) => Math.round(Math.exp(bucket * GROWTH))

/** Adds histograms, bucket by bucket. */
export function mergeHistograms(histograms: readonly Histogram[]): Histogram {
  const sum: Record<number, number> = {}
  for (const histogram of histograms)
    for (const [bucket, count] of Object.entries(histogram)) sum[Number(bucket)] = (sum[Number(bucket)] ?? 0) + count
  return sum
}

/**
 * Percentiles of a histogram in ms; undefined when nothing was counted.
 * @param longestMs the longest span in it, which no percentile exceeds
 */
export function percentilesOf(histogram: Histogram, longestMs: number): MetricsPoint['delay'] {
  const buckets = Object.entries(histogram)
    .map(([bucket, count]) => ({ bucket: Number(bucket), count }))
    .sort((a, b) => a.bucket - b.bucket)
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return undefined
  const at = (share: number) => {
    let seen = 0
    for (const { bucket, count } of buckets) {
      seen += count
      if (seen >= total * share) return Math.min(endOf(bucket), longestMs)
    }
    return 0
  }
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), count: total }
}

/** Two parts of one step as the whole: counts are added, gauges are those of the later one. */
export function addSteps(earlier: Step, later: Step): Step {
  return {
    ...later,
    submitted: earlier.submitted + later.submitted,
    completed: earlier.completed + later.completed,
    failed: earlier.failed + later.failed,
    retried: earlier.retried + later.retried,
    coldStarts: (earlier.coldStarts ?? 0) + (later.coldStarts ?? 0),
    delay: mergeHistograms([earlier.delay, later.delay]),
    execution: mergeHistograms([earlier.execution, later.execution]),
    delayMaxMs: longestOf([earlier, later], 'delay'),
    executionMaxMs: longestOf([earlier, later], 'execution'),
  }
}

function longestOf(steps: readonly Step[], spans: 'delay' | 'execution'): number {
  return steps.reduce((longest, step) => {
    const known = step[`${spans}MaxMs`]
    const ends = known === undefined ? Object.keys(step[spans]).map((bucket) => endOf(Number(bucket))) : [known]
    return Math.max(longest, ...ends)
  }, 0)
}

/**
 * Makes points of equal width from steps: counts are added, gauges are those of the last step in each.
 * @param steps oldest first; `at` in ms
 */
export function toPoints(
  steps: readonly { readonly at: number; readonly step: Step }[],
  stepMs: number,
): readonly MetricsPoint[] {
  const groups = new Map<number, Step[]>()
  for (const { at, step } of steps) {
    const start = Math.floor(at / stepMs) * stepMs
    const group = groups.get(start) ?? []
    groups.set(start, group)
    group.push(step)
  }
  return [...groups].map(([at, group]) => toPoint(at, group))
}

function toPoint(at: number, group: readonly Step[]): MetricsPoint {
  const last = group.at(-1)
  return {
    at,
    inQueue: last?.inQueue ?? 0,
    inProgress: last?.inProgress ?? 0,
    ...toTotals(group),
    workers: last?.workers ?? {},
  }
}

/** Adds all that was counted in steps. */
export function toTotals(steps: readonly Step[]): MetricsTotals {
  const sum = (pick: (step: Step) => number) => steps.reduce((total, step) => total + pick(step), 0)
  const percentiles = (spans: 'delay' | 'execution') =>
    percentilesOf(mergeHistograms(steps.map((step) => step[spans])), longestOf(steps, spans))
  const [delay, execution] = [percentiles('delay'), percentiles('execution')]
  return {
    submitted: sum((step) => step.submitted),
    completed: sum((step) => step.completed),
    failed: sum((step) => step.failed),
    retried: sum((step) => step.retried),
    coldStarts: sum((step) => step.coldStarts ?? 0),
    ...(delay === undefined ? {} : { delay }),
    ...(execution === undefined ? {} : { execution }),
  }
}

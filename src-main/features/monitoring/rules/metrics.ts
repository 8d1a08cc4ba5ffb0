import type { MetricsPoint, MetricsTotals } from '../../../contract/management.ts'
import { present } from '../../../lib/json/plain.ts'

/** Counts by bucket. Bucket n holds spans up to 1.1^n ms: percentiles are within 10 %, and histograms add up. */
export type Histogram = Readonly<Record<number, number>>

export type StepAt = { readonly at: number; readonly step: Step }

export type Gauges = Pick<MetricsPoint, 'inQueue' | 'inProgress' | 'workers'>

export type Most = MetricsPoint['most']

export type Counts = Omit<MetricsTotals, 'delay' | 'execution' | 'coldStarts'> & {
  readonly delay: Histogram
  readonly execution: Histogram
  /** Longest span of each histogram; missing in old steps. */
  readonly delayMaxMs?: number
  readonly executionMaxMs?: number
  readonly coldStarts?: number
}

export type Step = Counts &
  Gauges & {
    readonly most?: Most
    /** Nothing happened, and the following steps are the same until the next stored one, for at most HELD_MS. */
    readonly held?: true
  }

export const STEP_MS = 10_000

/** Source: ours; after a power loss, at most this span shows old figures. */
export const HELD_MS = 60 * STEP_MS

const NOTHING: Gauges = { inQueue: 0, inProgress: 0, workers: {} }
const GROWTH = Math.log(1.1)

export function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log(ms) / GROWTH)
}

const endOf = (bucket: number) => Math.round(Math.exp(bucket * GROWTH))

export function mergeHistograms(histograms: readonly Histogram[]): Histogram {
  const sum: Record<number, number> = {}
  for (const histogram of histograms)
    for (const [bucket, count] of Object.entries(histogram)) sum[Number(bucket)] = (sum[Number(bucket)] ?? 0) + count
  return sum
}

/**
 * Percentiles in ms; undefined if empty.
 * @param longestMs upper bound of every percentile
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

export function addSteps(earlier: Step, { held: _held, ...later }: Step): Step {
  return { ...later, ...addCounts(earlier, later), most: higher(mostOf(earlier), mostOf(later)) }
}

export function addCounts(earlier: Counts, later: Counts): Counts {
  return {
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

function longestOf(steps: readonly Counts[], spans: 'delay' | 'execution'): number {
  return steps.reduce((longest, step) => {
    const known = step[`${spans}MaxMs`]
    const ends = known === undefined ? Object.keys(step[spans]).map((bucket) => endOf(Number(bucket))) : [known]
    return Math.max(longest, ...ends)
  }, 0)
}

export function mostAt({ inQueue, inProgress, workers }: Gauges): Most {
  const { idle = 0, running = 0, initializing = 0, unhealthy = 0 } = workers
  return { inQueue, inProgress, ready: idle + running, starting: initializing, unhealthy }
}

export function higher(one: Most, other: Most): Most {
  return {
    inQueue: Math.max(one.inQueue, other.inQueue),
    inProgress: Math.max(one.inProgress, other.inProgress),
    ready: Math.max(one.ready, other.ready),
    starting: Math.max(one.starting, other.starting),
    unhealthy: Math.max(one.unhealthy, other.unhealthy),
  }
}

const mostOf = (step: Step) => step.most ?? mostAt(step)

/**
 * Repeats held steps, which are stored once.
 * @param steps oldest first; `at` in ms
 * @param until start of the first step that is not over
 */
export function repeatHeld(steps: readonly StepAt[], until: number): readonly StepAt[] {
  return steps.flatMap(({ at, step }, index) => {
    if (step.held === undefined) return [{ at, step }]
    const end = Math.min(steps[index + 1]?.at ?? until, at + HELD_MS)
    const count = Math.max(1, Math.ceil((end - at) / STEP_MS))
    return Array.from({ length: count }, (_, held) => ({ at: at + held * STEP_MS, step }))
  })
}

/**
 * Adds counts and takes each point's last gauges.
 * @param steps oldest first; `at` in ms
 */
export function toPoints(steps: readonly StepAt[], stepMs: number): readonly MetricsPoint[] {
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
  const { inQueue, inProgress, workers } = group.at(-1) ?? NOTHING
  return {
    at,
    inQueue,
    inProgress,
    ...toTotals(group),
    workers,
    most: group.map(mostOf).reduce(higher, mostAt(NOTHING)),
  }
}

export function toTotals(steps: readonly Counts[]): MetricsTotals {
  const sum = (pick: (step: Counts) => number) => steps.reduce((total, step) => total + pick(step), 0)
  const percentiles = (spans: 'delay' | 'execution') =>
    percentilesOf(mergeHistograms(steps.map((step) => step[spans])), longestOf(steps, spans))
  const [delay, execution] = [percentiles('delay'), percentiles('execution')]
  return {
    submitted: sum((step) => step.submitted),
    completed: sum((step) => step.completed),
    failed: sum((step) => step.failed),
    retried: sum((step) => step.retried),
    coldStarts: sum((step) => step.coldStarts ?? 0),
    ...present({ delay, execution }),
  }
}

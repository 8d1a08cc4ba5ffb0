import type { EndpointConfig } from '../../../contract/endpoint.ts'
import { limit } from '../../../contract/limits.ts'
import type { CardPrice, SpanSummary, WhatIfAnswer, WhatIfRequest, WhatIfRow } from '../../../contract/what-if.ts'
import { expectedArrivals, patternArrivals, type Random, seededRandom } from './load-patterns.ts'
import { type Measured, measure, type RecordedJob, type RecordedWorkerEvent } from './measure.ts'
import { readTrace } from './read-trace.ts'
import { type Course, draw, type SimulatedJob, type World } from './scenario.ts'
import { fewJobsText } from './shown-rows.ts'
import { simulate } from './simulate.ts'
import { type Setting, settingsToTry } from './variations.ts'

/** Plain data, so that it can be sent to a thread. */
export type WhatIfQuestion = {
  readonly config: EndpointConfig
  readonly request: WhatIfRequest
  readonly history: { readonly jobs: readonly RecordedJob[]; readonly workers: readonly RecordedWorkerEvent[] }
  readonly recorded: readonly RecordedJob[] | undefined
  readonly slots: number
}

export type WhatIfProblem = { readonly field: string; readonly why: string }

const DEFAULT_TURNAROUND_MS = 2

export function answerWhatIf(
  question: WhatIfQuestion,
): { readonly answer: WhatIfAnswer } | { readonly problem: WhatIfProblem } {
  const { config, request, history, slots } = question
  const measured = measure(history.jobs, history.workers)
  const prices = new Map(request.prices?.map((price) => [price.card, price]))
  const unpriced = request.vary?.card?.find((card) => !prices.has(card))
  if (unpriced !== undefined)
    return {
      problem: {
        field: 'vary.card',
        why: `has no price for ${unpriced}. Add it to prices: {"card": "${unpriced}", "perSecond": ...}`,
      },
    }
  if (request.card !== undefined && request.prices !== undefined && !prices.has(request.card))
    return { problem: { field: 'card', why: `has no price for ${request.card}. Add it to prices` } }

  const coldStartMs = request.coldStartMs === undefined ? measured.coldStartMs : [request.coldStartMs]
  if (coldStartMs.length === 0)
    return {
      problem: {
        field: 'coldStartMs',
        why: 'is missing: no worker of this endpoint was seen to start. Say how long it takes',
      },
    }
  const load = jobsOf(question, measured)
  if ('problem' in load) return load
  const world: World = {
    coldStartMs,
    stopMs: measured.stopMs.length === 0 ? [0] : measured.stopMs,
    turnaroundMs: measured.turnaroundMs ?? DEFAULT_TURNAROUND_MS,
    slowdown: measured.slowdown,
    slots,
  }
  const settings = settingsToTry(config, request, load.jobs.length)
  if ('problem' in settings) return settings
  const rows = settings.map((setting, at) => {
    const course = simulateSetting({
      config,
      setting,
      speed: speedOf(prices, request.card, setting.card),
      world,
      load,
      seed: request.seed,
    })
    return toRow({
      setting,
      course,
      price: prices.get(setting.card ?? ''),
      isPresent: at === 0,
      jobs: load.jobs.length,
    })
  })
  return {
    answer: {
      jobs: load.jobs.length,
      spanMs: load.spanMs,
      measured: {
        executionMs: summary(load.executionMs, request.executionMs === undefined ? 'history' : 'request'),
        coldStartMs: summary(coldStartMs, request.coldStartMs === undefined ? 'history' : 'request'),
        stopMs: summary(world.stopMs, measured.stopMs.length === 0 ? 'default' : 'history'),
        turnaroundMs: world.turnaroundMs,
        slowdown: [...world.slowdown],
        lostShare: measured.lostShare,
      },
      rows: inOrder(withFrontier(rows)),
      notes: notesOf(question, measured, { settings, jobs: load.jobs.length }),
      ...(request.currency === undefined ? {} : { currency: request.currency }),
    },
  }
}

type Load = { readonly jobs: readonly SimulatedJob[]; readonly spanMs: number; readonly executionMs: readonly number[] }

const MISSING_EXECUTION: WhatIfProblem = {
  field: 'executionMs',
  why: 'is missing: no job of this endpoint was recorded in this span. Say how long a job runs',
}

function jobsOf({ request, recorded }: WhatIfQuestion, measured: Measured): Load | { readonly problem: WhatIfProblem } {
  const { load, seed } = request
  const random = seededRandom(seed + 1)
  const samples = request.executionMs === undefined ? measured.executionMs : [request.executionMs]
  if (load.type === 'recorded') {
    const jobs = recorded ?? []
    if (jobs.length === 0) return { problem: { field: 'load', why: 'holds no jobs: none came in this time span' } }
    const { aloneMs } = measure(jobs, [])
    const known = aloneMs.filter((ms) => ms !== undefined)
    const drawn = samples.length > 0 ? samples : known
    if (drawn.length === 0) return { problem: MISSING_EXECUTION }
    return {
      spanMs: Math.max(1, load.to - load.from),
      executionMs: known.length > 0 && request.executionMs === undefined ? known : drawn,
      jobs: jobs.map(({ createdAt, lowPriority, priority, lostAfterMs }, at) => ({
        at: Math.max(0, createdAt - load.from),
        executionMs: request.executionMs ?? aloneMs[at] ?? draw(drawn, random),
        lowPriority: lowPriority === 1,
        priority,
        lostAfterMs,
      })),
    }
  }
  if (load.type === 'trace') {
    const traced = readTrace(load.text)
    if ('problem' in traced) return { problem: { field: 'load.text', why: traced.problem } }
    const first = traced[0]?.at ?? 0
    const own = traced.flatMap(({ executionMs }) => executionMs ?? [])
    if (own.length < traced.length && samples.length === 0) return { problem: MISSING_EXECUTION }
    const jobs = traced.map((job) => ({
      at: job.at - first,
      executionMs: job.executionMs ?? draw(samples, random),
      lowPriority: job.lowPriority,
      priority: job.priority,
      lostAfterMs: job.lostAfterMs,
    }))
    return { jobs, spanMs: Math.max(1, jobs.at(-1)?.at ?? 0), executionMs: own.length > 0 ? own : samples }
  }
  if (samples.length === 0) return { problem: MISSING_EXECUTION }
  if (expectedArrivals(load) > limit('whatIfJobs'))
    return {
      problem: {
        field: 'load',
        why: `makes about ${Math.round(expectedArrivals(load))} jobs, and the limit is ${limit('whatIfJobs')}. Shorten its duration`,
      },
    }
  const arrivals = patternArrivals(load, seed)
  if (arrivals.length === 0) return { problem: { field: 'load', why: 'makes no jobs. Raise its rate or its duration' } }
  const jobs = arrivals.map((at) => ({
    at,
    executionMs: draw(samples, random),
    lostAfterMs: lossesOf(measured, random),
  }))
  return { jobs, spanMs: load.durationMs, executionMs: samples }
}

function lossesOf({ lostShare, lostAfterMs }: Measured, random: Random): readonly number[] {
  const losses: number[] = []
  while (lostShare > 0 && losses.length < 10 && random() < lostShare) losses.push(draw(lostAfterMs, random))
  return losses
}

function simulateSetting({
  config,
  setting: { card: _card, ...settings },
  speed,
  world,
  load,
  seed,
}: {
  readonly config: EndpointConfig
  readonly setting: Setting
  readonly speed: number
  readonly world: World
  readonly load: Load
  readonly seed: number
}): Course {
  const jobs = speed === 1 ? load.jobs : load.jobs.map((job) => ({ ...job, executionMs: job.executionMs / speed }))
  const random = seededRandom(seed + 2)
  return simulate({ config: { ...config, ...settings }, jobs, world, spanMs: load.spanMs, random })
}

function speedOf(
  prices: ReadonlyMap<string, CardPrice>,
  present: string | undefined,
  card: string | undefined,
): number {
  const speed = (name: string | undefined) => prices.get(name ?? '')?.speed ?? 1
  return speed(card) / speed(present)
}

function toRow(facts: {
  readonly setting: Setting
  readonly course: Course
  readonly price: CardPrice | undefined
  readonly isPresent: boolean
  readonly jobs: number
}): WhatIfRow {
  const { setting, course, price, isPresent, jobs } = facts
  const { waits, coldStarts, coldJobs, workerMs, alwaysOnMs, unserved, abandoned, steps } = course
  const sorted = waits.sort()
  const at = (share: number) => Math.round(percentileOf(sorted, share))
  const flexMs = workerMs - alwaysOnMs
  return {
    setting,
    isPresent,
    onFrontier: false,
    ...(sorted.length === 0 ? {} : { waiting: { p50: at(0.5), p95: at(0.95), p99: at(0.99) } }),
    coldStarts,
    coldShare: jobs === 0 ? 0 : coldJobs / jobs,
    workerSeconds: Math.round(workerMs) / 1000,
    ...(price === undefined
      ? {}
      : { cost: (flexMs * price.perSecond + alwaysOnMs * (price.alwaysOnPerSecond ?? price.perSecond)) / 1000 }),
    unserved,
    abandoned,
    course: { stepMs: steps.stepMs, waiting: [...steps.waiting], workers: [...steps.workers] },
  }
}

export function percentileOf(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

const priceOf = ({ cost, workerSeconds }: WhatIfRow) => cost ?? workerSeconds

/** Marks rows that no other beats in both cost and p95; rows with unserved jobs never qualify. */
function withFrontier(rows: readonly WhatIfRow[]): readonly WhatIfRow[] {
  const serving = rows.filter(({ waiting, unserved }) => waiting !== undefined && unserved === 0)
  const ordered = serving.toSorted((a, b) => priceOf(a) - priceOf(b) || p95Of(a) - p95Of(b))
  const best = new Set<WhatIfRow>()
  let least = Number.POSITIVE_INFINITY
  for (const row of ordered) {
    if (p95Of(row) >= least) continue
    least = p95Of(row)
    best.add(row)
  }
  return rows.map((row) => {
    const onFrontier = best.has(row)
    const { course, ...rest } = row
    // Hundreds of courses would be megabytes that nobody views.
    return onFrontier || row.isPresent ? { ...row, onFrontier } : rest
  })
}

const p95Of = ({ waiting }: WhatIfRow) => waiting?.p95 ?? Number.POSITIVE_INFINITY

const inOrder = ([present, ...others]: readonly WhatIfRow[]) => [
  ...(present === undefined ? [] : [present]),
  ...others.toSorted((a, b) => priceOf(a) - priceOf(b) || p95Of(a) - p95Of(b)),
]

function summary(spans: readonly number[], from: SpanSummary['from']): SpanSummary {
  const sorted = spans.toSorted((a, b) => a - b)
  return {
    from,
    count: spans.length,
    p50: Math.round(percentileOf(sorted, 0.5)),
    p95: Math.round(percentileOf(sorted, 0.95)),
  }
}

const FEW_STARTS = 3

function notesOf(
  { config, request, history, recorded = [] }: WhatIfQuestion,
  measured: Measured,
  { settings, jobs }: { readonly settings: readonly Setting[]; readonly jobs: number },
): string[] {
  const few = fewJobsText(jobs)
  const mostAtOnce = Math.max(...settings.map(({ concurrency }) => concurrency))
  const seenAtOnce = measured.slowdown.length
  const starts = measured.coldStartMs.length
  const priced = request.prices !== undefined && request.card !== undefined
  return [
    ...(few === undefined ? [] : [few]),
    ...(mostAtOnce > seenAtOnce
      ? [
          `At most ${seenAtOnce} ${seenAtOnce === 1 ? 'job was' : 'jobs were'} seen at once on a worker: with more, jobs may slow each other more than is assumed here.`,
        ]
      : []),
    ...(request.coldStartMs === undefined && starts < FEW_STARTS
      ? [`Only ${starts} cold ${starts === 1 ? 'start was' : 'starts were'} measured.`]
      : []),
    ...(measured.stopMs.length === 0 ? ['No worker was seen to end: it is assumed to end at once.'] : []),
    ...(priced ? [] : ['No GPU price is set, so cost is shown in worker-seconds.']),
    ...(settings.some(({ card }) => card !== request.card) && !request.prices?.some(({ speed }) => speed !== undefined)
      ? ['All GPUs are assumed to be equally fast: no speed was given.']
      : []),
    ...([...history.jobs, ...recorded].some(({ isOfBatch }) => isOfBatch === true)
      ? ['Batch workers are not simulated: batch jobs run on the same workers as all other jobs.']
      : []),
    ...(config.faults === undefined ? [] : ['Fault injection is on for this endpoint, and simulated.']),
  ]
}

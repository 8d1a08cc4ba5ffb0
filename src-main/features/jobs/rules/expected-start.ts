/**
 * Expected start of a waiting job, from the jobs before it, the workers and scaling rules, and recent durations.
 * Assumes equal jobs; ignores future priorities. Source: ours.
 */

import { counted, durationText, withFullStop } from '../../../lib/text.ts'
import { decideScaling } from '../../workers/rules/scaling.ts'
import type { ScalingFacts, ScalingWorker } from '../../workers/rules/scaling-facts.ts'

/** Times are monotonic ms, spans ms. */
export type StartFacts = {
  readonly scaling: ScalingFacts
  readonly lowPriority: boolean
  readonly before: number
  readonly more: boolean
  readonly blocked?: string | undefined
  readonly runningSince: ReadonlyMap<string, readonly number[]>
  readonly executionMs: readonly number[]
  readonly coldStartMs: readonly number[]
  /** From a job's end until its worker has the next one. */
  readonly turnaroundMs: number
}

export type RecentSpans = Pick<StartFacts, 'executionMs' | 'coldStartMs' | 'turnaroundMs'>

/** Steady ms: the expected moment and an 80 % range; undefined: unknown. */
export type ExpectedStart = {
  readonly expected?: { readonly at: number; readonly from: number; readonly to: number }
  readonly how: string
}

type Slot = { readonly at: number; readonly from: number; readonly to: number }

// Standard deviations that cover 80 % of a normal distribution.
const FOUR_OF_FIVE = 1.28
// Limit of simulated scaling steps; forecasts beyond it say little.
const MOST_STEPS = 100

export function expectStart(facts: StartFacts): ExpectedStart {
  const { scaling, before, more, blocked, executionMs } = facts
  if (blocked !== undefined) return { how: `Start time unknown: ${withFullStop(blocked)}` }
  if (more) return { how: 'Start time unknown: too many jobs are ahead of it.' }
  const working = scaling.workers.flatMap((worker) => slotsOf(facts, worker))
  const coming = growth(facts, working)
  if (coming === undefined) return { how: NO_START_SEEN }
  const slots = [...working, ...coming]
  const isBusy = scaling.workers.some(({ state, outdated }) => state === 'running' && !outdated)
  if (slots.length === 0) return { how: isBusy && executionMs.length === 0 ? NO_END_SEEN : whyNobody(facts) }
  const free = slots.filter(({ to }) => to <= scaling.now).length
  if (executionMs.length === 0 && before >= free) return { how: NO_END_SEEN }
  const each = mean(executionMs) + facts.turnaroundMs
  const spread = (FOUR_OF_FIVE * deviation(executionMs) * Math.sqrt(before)) / slots.length
  const whole = { at: startAt(slots, 'at', before, each), ...rangeOf(slots, before, each, spread) }
  const at = Math.max(scaling.now, whole.at)
  const range = { from: Math.min(at, Math.max(scaling.now, whole.from)), to: Math.max(at, whole.to) }
  return { expected: { at, ...range }, how: howText(facts, coming) }
}

const NO_END_SEEN = 'Start time unknown: no job of this endpoint has ended yet.'
const NO_START_SEEN = 'Start time unknown: no cold start of this endpoint was measured yet.'

function rangeOf(slots: readonly Slot[], before: number, each: number, spread: number) {
  return { from: startAt(slots, 'from', before, each) - spread, to: startAt(slots, 'to', before, each) + spread }
}

function startAt(slots: readonly Slot[], edge: keyof Slot, before: number, each: number): number {
  const frees = slots.map((slot) => slot[edge]).toSorted((a, b) => a - b)
  if (before < frees.filter((at) => at === frees[0]).length) return frees[0] ?? 0
  // Finds the first moment with enough slots: each takes a job when free and one after each.
  const startedBy = (time: number) =>
    frees.reduce((sum, at) => sum + (time < at ? 0 : each <= 0 ? Infinity : 1 + Math.floor((time - at) / each)), 0)
  let [low, high] = [frees[0] ?? 0, (frees[0] ?? 0) + each * before]
  if (startedBy(high) <= before) high = Math.max(high, frees.at(-1) ?? high) + each
  while (high - low > 0.5) {
    const middle = (low + high) / 2
    if (startedBy(middle) > before) high = middle
    else low = middle
  }
  return high
}

function slotsOf(facts: StartFacts, worker: ScalingWorker): readonly Slot[] {
  const { scaling, runningSince, executionMs, coldStartMs } = facts
  const { now, config } = scaling
  if (worker.outdated) return []
  const all = (slot: Slot) => Array.from({ length: config.concurrency }, () => slot)
  const free = { at: now, from: now, to: now }
  switch (worker.state) {
    case 'idle':
      return all(free)
    case 'initializing':
      return coldStartMs.length === 0 ? [] : all(remaining(coldStartMs, worker.startedAt, now))
    case 'running': {
      const since = (runningSince.get(worker.id) ?? []).slice(0, config.concurrency)
      const busy = executionMs.length === 0 ? [] : since.map((at) => remaining(executionMs, at, now))
      return [...busy, ...all(free).slice(since.length)]
    }
    default:
      return []
  }
}

function remaining(spans: readonly number[], since: number, now: number): Slot {
  const age = now - since
  const longer = spans.filter((span) => span > age).toSorted((a, b) => a - b)
  // Longer than any before: estimate half as long again.
  if (longer.length === 0) return { at: now + age / 4, from: now, to: now + age / 2 }
  const share = (part: number) => since + (longer[Math.min(longer.length - 1, Math.floor(longer.length * part))] ?? 0)
  return { at: share(0.5), from: share(0.1), to: share(0.9) }
}

function growth(facts: StartFacts, working: readonly Slot[]): readonly Slot[] | undefined {
  const { scaling, before, executionMs, coldStartMs, turnaroundMs } = facts
  const each = mean(executionMs) + turnaroundMs
  const coming: Slot[] = []
  let { workers, freeSlots, now } = scaling
  for (let step = 0; step < MOST_STEPS; step++) {
    const waited = scaling.queue.oldestNormalWaitMs + (now - scaling.now)
    const queue = { ...scaling.queue, oldestNormalWaitMs: scaling.queue.normal === 0 ? 0 : waited }
    const { start, resume = [], nextCheckAt } = decideScaling({ ...scaling, queue, workers, freeSlots, now })
    if (start > 0 && coldStartMs.length === 0) return working.length > 0 ? coming : undefined
    const begin = (slot: Slot) => coming.push(...Array.from({ length: scaling.config.concurrency }, () => slot))
    for (const _id of resume) begin({ at: now, from: now, to: now })
    for (let n = 0; n < start; n++) begin(remaining(coldStartMs, now, now))
    const begun = Array.from({ length: start }, (_, n) => newWorker(`new-${step}-${n}`, now))
    const isResumed = ({ id }: ScalingWorker) => resume.includes(id)
    workers = [
      ...workers.map((worker) => (isResumed(worker) ? { ...worker, state: 'running' as const } : worker)),
      ...begun,
    ]
    freeSlots -= start
    const slots = [...working, ...coming]
    const isReached = slots.length > 0 && (nextCheckAt ?? Infinity) >= startAt(slots, 'at', before, each)
    if (nextCheckAt === undefined || nextCheckAt <= now || isReached) return coming
    now = nextCheckAt
  }
  return coming
}

const newWorker = (id: string, startedAt: number): ScalingWorker => ({
  ...{ id, startedAt, state: 'initializing', jobs: 0, outdated: false },
})

function whyNobody({ scaling, lowPriority }: StartFacts): string {
  if (scaling.noCapacityReason !== undefined && scaling.freeSlots <= 0)
    return `Start time unknown: no worker can start now, ${withFullStop(scaling.noCapacityReason)}`
  if (scaling.backOffUntil !== undefined && scaling.backOffUntil > scaling.now)
    return 'Start time unknown: the last workers crashed.'
  return lowPriority
    ? 'Start time unknown: low priority starts no worker, and none runs.'
    : 'Start time unknown: no worker runs, and none starts.'
}

function howText({ scaling, executionMs, coldStartMs }: StartFacts, coming: readonly Slot[]): string {
  const count = (...states: ScalingWorker['state'][]) =>
    scaling.workers.filter(({ state, outdated }) => !outdated && states.includes(state)).length
  const [ready, starting] = [count('idle', 'running'), count('initializing')]
  const later = coming.length / scaling.config.concurrency
  const { concurrency } = scaling.config
  const all = ready + starting + later
  const atOnce = concurrency === 1 ? '' : ` with ${concurrency} jobs at once`
  return [
    `${counted(all, 'worker')}${atOnce}`,
    ...(starting + later === 0
      ? []
      : [`${starting + later} of them not ready yet (a start takes ${durationText(mean(coldStartMs))})`]),
    ...(executionMs.length === 0
      ? []
      : [`${durationText(mean(executionMs))} each (average of the last ${counted(executionMs.length, 'job')})`]),
  ]
    .join(', ')
    .concat('.')
}

const mean = (spans: readonly number[]) =>
  spans.length === 0 ? 0 : spans.reduce((sum, span) => sum + span, 0) / spans.length

function deviation(spans: readonly number[]): number {
  const middle = mean(spans)
  return Math.sqrt(mean(spans.map((span) => (span - middle) ** 2)))
}

export function aheadText({ before, more }: Pick<StartFacts, 'before' | 'more'>): string {
  const jobs = before === 0 ? 'no jobs' : counted(before, 'job')
  return `${more ? 'more than ' : ''}${jobs} ahead of it`
}

/** Like "in 5 s, between 3 s and 9 s". Times are wall ms. */
export function startWords(
  { at, from, to }: { readonly at: number; readonly from: number; readonly to: number },
  now: number,
): string {
  if (to <= now) return 'now'
  const span = (moment: number) => durationText(Math.max(0, moment - now))
  const [earliest, latest] = [span(from), span(to)]
  return earliest === latest ? `in ${span(at)}` : `in ${span(at)}, between ${earliest} and ${latest}`
}

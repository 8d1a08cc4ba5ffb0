/**
 * When a waiting job is expected to start: from how many jobs go before it, from the workers that run, start, and will be
 * started by the rules of scaling, and from how long jobs and cold starts took lately. All jobs that wait are taken to
 * be alike; who comes with a higher priority meanwhile is not foreseen. Source: ours.
 */
import { counted, durationText, withFullStop } from '../text.ts'
import { decideScaling } from '../worker/scaling.ts'
import type { ScalingFacts, ScalingWorker } from '../worker/scaling-facts.ts'

/** What it follows from. Times are steady ms, spans ms. */
export type StartFacts = {
  readonly scaling: ScalingFacts
  readonly lowPriority: boolean
  /** How many jobs are handed out before it, and whether there are more than that. */
  readonly before: number
  readonly more: boolean
  /** Why its endpoint cannot go on until somebody changes something. */
  readonly blocked?: string | undefined
  /** Since when the jobs run that each worker holds, by its id. */
  readonly runningSince: ReadonlyMap<string, readonly number[]>
  /** How long the latest jobs ran, and the latest starts of workers took. */
  readonly executionMs: readonly number[]
  readonly coldStartMs: readonly number[]
  /** From the end of a job until its worker has the next one. */
  readonly turnaroundMs: number
}

/** When, steady ms: the likely moment within a range that four of five are in; undefined where it cannot be said. */
export type ExpectedStart = {
  readonly expected?: { readonly at: number; readonly from: number; readonly to: number }
  /** One sentence: how it was computed, or why it cannot be said. */
  readonly how: string
}

/** When places for a job get free: expected, at the soonest and at the latest. */
type Slot = { readonly at: number; readonly from: number; readonly to: number }

// Four of five of a normal distribution lie within so many standard deviations.
const FOUR_OF_FIVE = 1.28
// No fleet is grown further in thought: beyond, the forecast says little anyway.
const MOST_STEPS = 100

/** Computes it. */
export function expectStart(facts: StartFacts): ExpectedStart {
  const { scaling, before, more, blocked, executionMs } = facts
  if (blocked !== undefined) return { how: `Start time unknown: ${withFullStop(blocked)}` }
  if (more) return { how: `Start time unknown: more than ${counted(before, 'job')} are before it.` }
  const working = scaling.workers.flatMap((worker) => slotsOf(facts, worker))
  const coming = growth(facts, working)
  if (coming === undefined) return { how: NO_START_SEEN }
  const slots = [...working, ...coming]
  const isBusy = scaling.workers.some(({ state, outdated }) => state === 'running' && !outdated)
  if (slots.length === 0) return { how: isBusy && executionMs.length === 0 ? NO_END_SEEN : whyNobody(facts) }
  // Places that are free now need no history.
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

/** The moment by which `before` jobs have started in these places, and one more can. */
function startAt(slots: readonly Slot[], edge: keyof Slot, before: number, each: number): number {
  const frees = slots.map((slot) => slot[edge]).toSorted((a, b) => a - b)
  if (before < frees.filter((at) => at === frees[0]).length) return frees[0] ?? 0
  // Each place takes a job when it gets free and one more after each; the first moment with enough is looked for.
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

/** The places of a worker for jobs, those that it has now and those that get free. */
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

/** When something ends that takes one of these spans, and has lasted since then. */
function remaining(spans: readonly number[], since: number, now: number): Slot {
  const age = now - since
  const longer = spans.filter((span) => span > age).toSorted((a, b) => a - b)
  // Longer than any before: as likely as not it takes half as long again.
  if (longer.length === 0) return { at: now + age / 4, from: now, to: now + age / 2 }
  const share = (part: number) => since + (longer[Math.min(longer.length - 1, Math.floor(longer.length * part))] ?? 0)
  return { at: share(0.5), from: share(0.1), to: share(0.9) }
}

/**
 * The places of workers that the rules of scaling start, now and while the job waits; undefined where some are, and
 * nobody knows how long a start takes.
 */
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

function howText({ scaling, before, executionMs, coldStartMs }: StartFacts, coming: readonly Slot[]): string {
  const count = (...states: ScalingWorker['state'][]) =>
    scaling.workers.filter(({ state, outdated }) => !outdated && states.includes(state)).length
  const [ready, starting] = [count('idle', 'running'), count('initializing')]
  const later = coming.length / scaling.config.concurrency
  const { concurrency } = scaling.config
  const all = ready + starting + later
  const atOnce = concurrency === 1 ? '' : ` with ${concurrency} jobs at once`
  return [
    `${counted(before, 'job')} before it`,
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

/** Words for an expected start, like "in 5 s, between 3 s and 9 s". Times are wall ms. */
export function startWords(
  { at, from, to }: { readonly at: number; readonly from: number; readonly to: number },
  now: number,
): string {
  if (to <= now) return 'now'
  const span = (moment: number) => durationText(Math.max(0, moment - now))
  const [earliest, latest] = [span(from), span(to)]
  return earliest === latest ? `in ${span(at)}` : `in ${span(at)}, between ${earliest} and ${latest}`
}

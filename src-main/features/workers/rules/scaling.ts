import type { WorkerState } from '../../../contract/endpoint.ts'
import { counted, inSeconds } from '../../../lib/text.ts'
import type { ScalingDecision, ScalingFacts, ScalingWorker, WorkerStop } from './scaling-facts.ts'
import { isLive } from './transitions.ts'

/**
 * Leaving workers never count, starting ones do. QUEUE_DELAY adds a worker per `value` seconds (0: all), REQUEST_COUNT
 * all at once, for normal priority only.
 */

// Minimum interval of decisions per endpoint, so that thousands of jobs a second cost few.
const DECISION_GAP_MS = 20

/**
 * Source: ours.
 * @param lastAt monotonic ms; undefined: none lately
 */
export function nextDecisionAt(at: number, lastAt: number | undefined): number {
  return lastAt === undefined ? at : Math.max(at, lastAt + DECISION_GAP_MS)
}

function neededWorkers(facts: ScalingFacts, remaining: readonly ScalingWorker[]): number {
  const { config, paused, queue } = facts
  if (paused || queue.normal === 0) return 0
  const leavingJobs = facts.workers
    .filter((worker) => !remaining.includes(worker))
    .reduce((sum, worker) => sum + worker.jobs, 0)
  const jobs = queue.normal + Math.max(0, queue.inProgress - leavingJobs)
  const jobsPerWorker = config.scaler.type === 'REQUEST_COUNT' ? config.scaler.value : config.concurrency
  return Math.min(config.workersMax, Math.ceil(jobs / jobsPerWorker))
}

const isPaced = ({ config }: ScalingFacts) => config.scaler.type === 'QUEUE_DELAY' && config.scaler.value > 0

/** Earliest time for one more worker of a paced fleet, steady ms. */
function growsAt({ config, now, queue }: ScalingFacts, lastStartAt: number): number {
  return Math.max(now - queue.oldestNormalWaitMs, lastStartAt) + config.scaler.value * 1000
}

const lastStart = (facts: ScalingFacts) =>
  Math.max(
    Number.NEGATIVE_INFINITY,
    ...facts.workers
      .filter(({ state }) => state !== 'ended')
      .map(({ startedAt, resumedAt }) => Math.max(startedAt, resumedAt ?? startedAt)),
  )

function outdatedWorkers({ workers }: ScalingFacts): { readonly running: number; readonly all: number } {
  const count = (state: WorkerState) => workers.filter((worker) => worker.outdated && worker.state === state).length
  return { running: count('running'), all: count('initializing') + count('idle') + count('running') }
}

/**
 * Outdated workers are replaced in the step in which they leave, so that capacity holds; idle ones only for waiting
 * jobs.
 */
function replacements(facts: ScalingFacts, remaining: number, needed: number): number {
  if (facts.paused || isHeld(facts)) return 0
  const outdated = outdatedWorkers(facts)
  return Math.max(outdated.running, Math.min(outdated.all, needed - remaining))
}

const isHeld = ({ backOffUntil, now }: ScalingFacts) => backOffUntil !== undefined && backOffUntil > now

function pacedStep(facts: ScalingFacts, remaining: number, needed: number): number {
  // Without workers a job waits for a cold start anyway; the delay would only add to it.
  if (remaining === 0) return Math.min(needed, isPaced(facts) ? 1 : needed)
  if (!isPaced(facts)) return needed
  return facts.now >= growsAt(facts, lastStart(facts)) ? Math.min(needed, remaining + 1) : 0
}

function wantedWorkers(facts: ScalingFacts, remaining: number, needed: number): number {
  const { workersMin, workersMax } = facts.config
  const best = Math.max(
    workersMin,
    remaining + replacements(facts, remaining, needed),
    pacedStep(facts, remaining, needed),
  )
  return Math.min(workersMax, best)
}

export const replaces = (why: string) => `replaces a worker: ${why}`

export function startReason({ pool, config, queue, workers }: ScalingFacts, work: 'job' | 'request'): string {
  const outdated = workers.find((worker) => worker.outdated && isLive(worker.state))
  if (outdated !== undefined) return replaces(outdated.outdatedBecause ?? SETTINGS_CHANGED)
  const waiting = pool === 'batch' ? 'batch job' : work
  if (queue.normal > 0) return `${counted(queue.normal, waiting)} ${queue.normal === 1 ? 'waits' : 'wait'}`
  return `minimum of ${counted(config.workersMin, 'worker')}`
}

export const SETTINGS_CHANGED = 'the settings of its endpoint changed'

/**
 * Decides starts and stops. Source: the platform for growth, idle timeout and cold start; docs/spec/job-api.md, 1, 2
 * for low priority and `throttled`; otherwise ours.
 */
export function decideScaling(facts: ScalingFacts): ScalingDecision {
  const { now } = facts
  const { stop: leaving, pause: toPause, paused, remaining, checkAt } = chooseStops(facts)
  if (facts.stopping) return { start: 0, stop: leaving, throttled: 0, wanted: 0 }

  const needed = neededWorkers(facts, remaining)
  const wanted = wantedWorkers(facts, remaining.length, needed)
  const resume = paused.slice(0, Math.max(0, wanted - remaining.length)).map(({ id }) => id)
  const stillPaused = paused.slice(resume.length)
  const missing = wanted - remaining.length - resume.length
  const heldUntil = isHeld(facts) ? facts.backOffUntil : undefined
  const start = heldUntil === undefined ? Math.min(missing, Math.max(0, facts.freeSlots)) : 0
  const throttled = heldUntil === undefined ? missing - start : 0
  // Replacing an outdated worker may need the room of one to be frozen.
  const room = Math.max(0, facts.config.workersMax - remaining.length - resume.length - start)
  const pause = toPause.slice(0, room)
  const reason = aboveMaximum(facts)
  const stop = [...leaving, ...toPause.slice(room).map((workerId) => ({ workerId, reason }))]

  const growth = growsAt(facts, start + resume.length > 0 ? now : lastStart(facts))
  const checks = [
    ...checkAt,
    ...(pause.length > 0 ? [now + (facts.keepPausedMs ?? 0)] : []),
    ...stillPaused.map((worker) => leavesPauseAt(worker, facts)),
    ...(heldUntil !== undefined && missing > 0 ? [heldUntil] : []),
    // Frozen workers may resume while new ones must wait.
    ...(needed > wanted ? [stillPaused.length > 0 ? growth : Math.max(growth, heldUntil ?? growth)] : []),
    ...(start > 0 ? [now + facts.config.initializingTimeoutMs] : []),
  ].filter((at) => at > now)

  return {
    start,
    stop,
    throttled,
    ...(pause.length > 0 ? { pause } : {}),
    ...(resume.length > 0 ? { resume } : {}),
    ...(throttled > 0 && facts.noCapacityReason !== undefined ? { throttledReason: facts.noCapacityReason } : {}),
    ...(throttled > 0 && facts.neverCapacity === true ? { neverStarts: true as const } : {}),
    ...(checks.length > 0 ? { nextCheckAt: Math.min(...checks) } : {}),
    wanted,
  }
}

const aboveMaximum = ({ pool, config }: ScalingFacts) =>
  `above the maximum of ${config.workersMax} ${pool === 'batch' ? 'batch workers' : 'workers'}`

type StopChoice = {
  readonly stop: readonly WorkerStop[]
  readonly pause: readonly string[]
  readonly paused: readonly ScalingWorker[]
  /** Staying workers that are or will be capacity: initializing, idle, running. */
  readonly remaining: readonly ScalingWorker[]
  /** Times after `now` at which another one leaves, steady ms; without `pause` and `paused`. */
  readonly checkAt: readonly number[]
}

function ownReason(worker: ScalingWorker, facts: ScalingFacts): Omit<WorkerStop, 'workerId'> | undefined {
  const { config, now } = facts
  if (facts.stopping) return { reason: 'its endpoint is being deleted' }
  const isLate = worker.isAway !== true && now - initializingSince(worker) >= config.initializingTimeoutMs
  if (worker.state === 'initializing' && isLate) {
    return { reason: `not ready within ${inSeconds(config.initializingTimeoutMs)}`, force: true, failed: true }
  }
  // With jobs it stays, taking no new ones, until they or their leases end.
  if (worker.state === 'unhealthy')
    return worker.jobs === 0 && worker.mayRecover !== true ? { reason: 'unhealthy' } : undefined
  if (worker.outdated) return { reason: worker.outdatedBecause ?? SETTINGS_CHANGED }
  if (worker.state !== 'paused' || now - pausedSince(worker) < keepPausedMs(facts)) return undefined
  return { reason: `paused for ${inSeconds(now - pausedSince(worker))}` }
}

const keepPausedMs = (facts: ScalingFacts) => facts.keepPausedMs ?? 0

const pausedSince = (worker: ScalingWorker) => worker.pausedSince ?? worker.startedAt

// Pulling a large image takes longer than any program needs to start.
const initializingSince = (worker: ScalingWorker) => worker.progressAt ?? worker.startedAt

const leavesPauseAt = (worker: ScalingWorker, facts: ScalingFacts): number => pausedSince(worker) + keepPausedMs(facts)

const neededLast = (worker: ScalingWorker) => worker.neededLast ?? worker.startedAt

const LEAVING_ORDER: readonly ScalingWorker['state'][] = ['initializing', 'idle', 'running']

/** Cheapest loss first: not serving yet, idle longest, fewest jobs, newest. */
function byLoss(a: ScalingWorker, b: ScalingWorker): number {
  const byState = LEAVING_ORDER.indexOf(a.state) - LEAVING_ORDER.indexOf(b.state)
  if (byState !== 0) return byState
  if (a.state === 'idle') return neededLast(a) - neededLast(b)
  return a.jobs - b.jobs || b.startedAt - a.startedAt
}

/** Source: the platform for idle timeout and maximum, ours for the order. */
function chooseStops(facts: ScalingFacts): StopChoice {
  const { config, now, queue } = facts
  const stop: WorkerStop[] = []
  const staying: ScalingWorker[] = []
  const frozen: ScalingWorker[] = []
  for (const worker of facts.workers) {
    if (!isLive(worker.state)) continue
    const reason = ownReason(worker, facts)
    if (reason !== undefined) stop.push({ workerId: worker.id, ...reason })
    else if (worker.isAway === true) continue
    else if (worker.state === 'paused') frozen.push(worker)
    else if (worker.state !== 'unhealthy') staying.push(worker)
  }

  const tooMany = Math.max(0, staying.length - config.workersMax)
  const surplus = staying.toSorted(byLoss).slice(0, tooMany)
  for (const worker of surplus) stop.push({ workerId: worker.id, reason: aboveMaximum(facts) })
  const fitting = staying.filter((worker) => !surplus.includes(worker))

  // A paused endpoint dispatches nothing, so its waiting jobs need no worker.
  const somethingToTake = !facts.paused && queue.normal + queue.lowPriority > 0
  const idle = fitting.filter((worker) => worker.state === 'idle').toSorted((a, b) => neededLast(a) - neededLast(b))
  // Starting workers do not count: the last ready one must not leave for one that may never be.
  const ready = fitting.filter((worker) => worker.state !== 'initializing').length
  const mayLeave = somethingToTake ? [] : idle.slice(0, Math.max(0, ready - config.workersMin))
  const idled = mayLeave.filter((worker) => now - neededLast(worker) >= config.idleTimeoutMs)
  const remaining = fitting.filter((worker) => !idled.includes(worker))
  // Frozen ones count, so that the total never exceeds the maximum.
  const room = Math.max(0, config.workersMax - remaining.length)
  const latestFirst = frozen.toSorted((a, b) => pausedSince(b) - pausedSince(a))
  const toPause = keepPausedMs(facts) > 0 ? idled.slice(0, room) : []
  const paused = latestFirst.slice(0, Math.max(0, room - toPause.length))
  for (const worker of idled.slice(toPause.length))
    stop.push({ workerId: worker.id, reason: `idle for ${inSeconds(now - neededLast(worker))}` })
  for (const worker of latestFirst.slice(paused.length)) stop.push({ workerId: worker.id, reason: aboveMaximum(facts) })

  const checkAt = [
    ...mayLeave.filter((worker) => !idled.includes(worker)).map((worker) => neededLast(worker) + config.idleTimeoutMs),
    ...remaining
      .filter((worker) => worker.state === 'initializing')
      .map((worker) => initializingSince(worker) + config.initializingTimeoutMs),
  ]
  return { stop, pause: toPause.map(({ id }) => id), paused, remaining, checkAt }
}

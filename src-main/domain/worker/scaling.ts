import type { WorkerState } from '../../contract/endpoint.ts'
import { chooseStops, leavesPauseAt } from './choose-stops.ts'
import type { ScalingDecision, ScalingFacts, ScalingWorker } from './scaling-facts.ts'

/**
 * How an endpoint's fleet follows its work. Every worker that stays counts, the ones that still start too, so a start is
 * never decided twice. A worker that leaves counts nowhere: neither it nor its jobs hold up its replacement, so a fleet that
 * drains can for a while have more processes than the maximum.
 *
 * QUEUE_DELAY adds one worker when a normal job has waited `value` seconds, and one more each `value` seconds while that
 * lasts, up to what the jobs can use; with `value` 0 all of them at once. REQUEST_COUNT has its number at once. Only a
 * waiting job of normal priority makes a fleet grow.
 */

/** How many workers the normal jobs can use, whatever the delay. */
function neededWorkers(facts: ScalingFacts, kept: readonly ScalingWorker[]): number {
  const { config, paused, queue } = facts
  if (paused || queue.normal === 0) return 0
  const leavingJobs = facts.workers
    .filter((worker) => !kept.includes(worker))
    .reduce((sum, worker) => sum + worker.jobs, 0)
  const jobs = queue.normal + Math.max(0, queue.inProgress - leavingJobs)
  const jobsPerWorker = config.scaler.type === 'REQUEST_COUNT' ? config.scaler.value : config.concurrency
  return Math.min(config.workersMax, Math.ceil(jobs / jobsPerWorker))
}

/** Whether workers are added one by one. */
const isPaced = ({ config }: ScalingFacts) => config.scaler.type === 'QUEUE_DELAY' && config.scaler.value > 0

/** From when on a paced fleet may have one more worker, steady ms. */
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

/** How many running workers leave because of changed settings, and how many workers in all. */
function outdatedWorkers({ workers }: ScalingFacts): { readonly running: number; readonly all: number } {
  const count = (state: WorkerState) => workers.filter((worker) => worker.outdated && worker.state === state).length
  return { running: count('running'), all: count('initializing') + count('idle') + count('running') }
}

/**
 * How many outdated workers to replace in the step in which they leave, so that capacity does not drop: the ones at work
 * always, the others as far as something waits. No later step knows of them, so none is promised while nothing may start.
 */
function replacements(facts: ScalingFacts, kept: number, needed: number): number {
  if (facts.paused || isHeld(facts)) return 0
  const outdated = outdatedWorkers(facts)
  return Math.max(outdated.running, Math.min(outdated.all, needed - kept))
}

const isHeld = ({ backOffUntil, now }: ScalingFacts) => backOffUntil !== undefined && backOffUntil > now

/** How many workers the rule of growth allows now; 0 where it is not time for one more. */
function pacedStep(facts: ScalingFacts, kept: number, needed: number): number {
  // Without any worker a job waits for the cold start in any case: the delay would only add to it.
  if (kept === 0) return Math.min(needed, isPaced(facts) ? 1 : needed)
  if (!isPaced(facts)) return needed
  return facts.now >= growsAt(facts, lastStart(facts)) ? Math.min(needed, kept + 1) : 0
}

/** How many workers to have, whatever the fleet can place. */
function wantedWorkers(facts: ScalingFacts, kept: number, needed: number): number {
  const { workersMin, workersMax } = facts.config
  const best = Math.max(workersMin, kept + replacements(facts, kept, needed), pacedStep(facts, kept, needed))
  return Math.min(workersMax, best)
}

/**
 * Decides how many workers an endpoint starts and which ones leave; source: the platform for both rules of growth, idle
 * timeout and cold start limit; job-api for low priority and `throttled`; ours for pace, replacement and back-off.
 * @param facts - the endpoint, its queue, its workers, the fleet's free places, and the time
 */
export function decideScaling(facts: ScalingFacts): ScalingDecision {
  const { now } = facts
  const { stop: leaving, pause: toPause, paused, kept, checkAt } = chooseStops(facts)
  if (facts.stopping) return { start: 0, stop: leaving, throttled: 0, wanted: 0 }

  const needed = neededWorkers(facts, kept)
  const wanted = wantedWorkers(facts, kept.length, needed)
  const resume = paused.slice(0, Math.max(0, wanted - kept.length)).map(({ id }) => id)
  const stillPaused = paused.slice(resume.length)
  const missing = wanted - kept.length - resume.length
  const heldUntil = isHeld(facts) ? facts.backOffUntil : undefined
  const start = heldUntil === undefined ? Math.min(missing, Math.max(0, facts.freePlaces)) : 0
  const throttled = heldUntil === undefined ? missing - start : 0
  // A replacement of an outdated worker may need the room of one that would be frozen.
  const room = Math.max(0, facts.config.workersMax - kept.length - resume.length - start)
  const pause = toPause.slice(0, room)
  const reason = `above the maximum of ${facts.config.workersMax} workers`
  const stop = [...leaving, ...toPause.slice(room).map((workerId) => ({ workerId, reason }))]

  const growth = growsAt(facts, start + resume.length > 0 ? now : lastStart(facts))
  const checks = [
    ...checkAt,
    ...(pause.length > 0 ? [now + (facts.keepPausedMs ?? 0)] : []),
    ...stillPaused.map((worker) => leavesPauseAt(worker, facts)),
    ...(heldUntil !== undefined && missing > 0 ? [heldUntil] : []),
    // A frozen worker may go on whatever new ones have to wait for.
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
    ...(throttled > 0 && facts.neverCapacity === true ? { neverPlaced: true as const } : {}),
    ...(checks.length > 0 ? { nextCheckAt: Math.min(...checks) } : {}),
    wanted,
  }
}

import { inSeconds } from './in-seconds.ts'
import type { ScalingFacts, ScalingWorker, WorkerStop } from './scaling-facts.ts'
import { isLive } from './transitions.ts'

/** Who leaves and who stays. Source: ours. */
export type StopChoice = {
  readonly stop: readonly WorkerStop[]
  /** Idle ones to freeze. */
  readonly pause: readonly string[]
  /** The frozen ones that stay, the one that was paused last first. */
  readonly paused: readonly ScalingWorker[]
  /** The workers that stay and are, or will be, capacity: initializing, idle, running. */
  readonly kept: readonly ScalingWorker[]
  /** Times after `now` at which time alone makes another one leave, steady ms; without those of `pause` and `paused`. */
  readonly checkAt: readonly number[]
}

/** Why this worker must leave whatever the others do, if it must. */
function ownReason(worker: ScalingWorker, facts: ScalingFacts): Omit<WorkerStop, 'workerId'> | undefined {
  const { config, now } = facts
  if (facts.stopping) return { reason: 'its endpoint is going away' }
  if (worker.state === 'initializing' && now - initializingSince(worker) >= config.initializingTimeoutMs) {
    return { reason: `not ready within ${inSeconds(config.initializingTimeoutMs)}`, force: true, failed: true }
  }
  // With jobs it stays as it is until they have ended or their leases have: it takes no new one.
  if (worker.state === 'unhealthy')
    return worker.jobs === 0 && worker.mayRecover !== true ? { reason: 'unhealthy' } : undefined
  if (worker.outdated) return { reason: 'the settings of its endpoint changed' }
  if (worker.state !== 'paused' || now - pausedSince(worker) < keepPausedMs(facts)) return undefined
  return { reason: `paused for ${inSeconds(now - pausedSince(worker))}` }
}

const keepPausedMs = (facts: ScalingFacts) => facts.keepPausedMs ?? 0

const pausedSince = (worker: ScalingWorker) => worker.pausedSince ?? worker.startedAt

// A large image takes longer than any program needs to get ready.
const initializingSince = (worker: ScalingWorker) => worker.progressAt ?? worker.startedAt

/** When a frozen worker that stays frozen leaves, steady ms. */
export const leavesPauseAt = (worker: ScalingWorker, facts: ScalingFacts): number =>
  pausedSince(worker) + keepPausedMs(facts)

const idleSince = (worker: ScalingWorker) => worker.idleSince ?? worker.startedAt

const LEAVING_ORDER: readonly ScalingWorker['state'][] = ['initializing', 'idle', 'running']

/** Cheapest loss first: what serves nobody yet, then the longest idle, then the fewest jobs; at last the newest. */
function byLoss(a: ScalingWorker, b: ScalingWorker): number {
  const byState = LEAVING_ORDER.indexOf(a.state) - LEAVING_ORDER.indexOf(b.state)
  if (byState !== 0) return byState
  if (a.state === 'idle') return idleSince(a) - idleSince(b)
  return a.jobs - b.jobs || b.startedAt - a.startedAt
}

/**
 * Chooses the workers that leave; source: the platform for idle timeout and maximum, ours for the order.
 * @param facts - the endpoint, its queue and its workers
 */
export function chooseStops(facts: ScalingFacts): StopChoice {
  const { config, now, queue } = facts
  const stop: WorkerStop[] = []
  const staying: ScalingWorker[] = []
  const frozen: ScalingWorker[] = []
  for (const worker of facts.workers) {
    if (!isLive(worker.state)) continue
    const reason = ownReason(worker, facts)
    if (reason !== undefined) stop.push({ workerId: worker.id, ...reason })
    else if (worker.state === 'paused') frozen.push(worker)
    else if (worker.state !== 'unhealthy') staying.push(worker)
  }

  const tooMany = Math.max(0, staying.length - config.workersMax)
  const surplus = staying.toSorted(byLoss).slice(0, tooMany)
  for (const worker of surplus)
    stop.push({ workerId: worker.id, reason: `above the maximum of ${config.workersMax} workers` })
  const fitting = staying.filter((worker) => !surplus.includes(worker))

  // A paused endpoint hands out nothing, so what waits there keeps no worker up.
  const somethingToTake = !facts.paused && queue.normal + queue.lowPriority > 0
  const idle = fitting.filter((worker) => worker.state === 'idle').toSorted((a, b) => idleSince(a) - idleSince(b))
  // Workers that still start do not count here: the last ready one must not leave for one that may never be.
  const ready = fitting.filter((worker) => worker.state !== 'initializing').length
  const mayLeave = somethingToTake ? [] : idle.slice(0, Math.max(0, ready - config.workersMin))
  const idled = mayLeave.filter((worker) => now - idleSince(worker) >= config.idleTimeoutMs)
  const kept = fitting.filter((worker) => !idled.includes(worker))
  // Frozen ones count as workers too: together with those that work there are never more than the maximum.
  const room = Math.max(0, config.workersMax - kept.length)
  const latestFirst = frozen.toSorted((a, b) => pausedSince(b) - pausedSince(a))
  const toPause = keepPausedMs(facts) > 0 ? idled.slice(0, room) : []
  const paused = latestFirst.slice(0, Math.max(0, room - toPause.length))
  for (const worker of idled.slice(toPause.length))
    stop.push({ workerId: worker.id, reason: `idle for ${inSeconds(now - idleSince(worker))}` })
  for (const worker of latestFirst.slice(paused.length))
    stop.push({ workerId: worker.id, reason: `above the maximum of ${config.workersMax} workers` })

  const checkAt = [
    ...mayLeave.filter((worker) => !idled.includes(worker)).map((worker) => idleSince(worker) + config.idleTimeoutMs),
    ...kept
      .filter((worker) => worker.state === 'initializing')
      .map((worker) => initializingSince(worker) + config.initializingTimeoutMs),
  ]
  return { stop, pause: toPause.map(({ id }) => id), paused, kept, checkAt }
}

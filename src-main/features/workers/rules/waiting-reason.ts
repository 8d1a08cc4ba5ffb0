import type { EndpointConfig, WorkerPool, WorkerState } from '../../../contract/endpoint.ts'
import { counted, inSeconds, remainingSeconds, withFullStop } from '../../../lib/text.ts'
import type { CrashLoop } from './crash-loop.ts'
import { workerOf } from './pools.ts'
import { type Started, testModeOf } from './test-modes.ts'

/** Facts for explaining a wait; times are monotonic ms. Source: ours. */
export type WaitingFacts = {
  /** All facts are about the workers of this pool; undefined: main. */
  readonly pool?: WorkerPool | undefined
  /** Main workers run batch jobs meanwhile. */
  readonly standsIn?: boolean | undefined
  readonly config: Pick<EndpointConfig, 'workersMin' | 'workersMax' | 'scaler' | 'faults'> & Started
  readonly paused: boolean
  readonly queue: { readonly normal: number; readonly lowPriority: number; readonly forOneWorker?: number }
  readonly workers: readonly {
    readonly state: WorkerState
    readonly startedAt: number
    readonly reason?: string | undefined
    readonly neverAsks?: string | undefined
  }[]
  readonly crashLoop?: CrashLoop | undefined
  /** Why the fleet cannot start a wanted worker; set only while one is wanted. */
  readonly noCapacityReason?: string | undefined
  readonly neverCapacity?: boolean | undefined
  /** The job in question; undefined: the endpoint as a whole. */
  readonly job?: { readonly lowPriority: boolean } | undefined
  /** Start of the job's or request's wait; undefined: the endpoint as a whole. */
  readonly waitingSince?: number | undefined
  readonly now: number
}

export type WaitingReason = {
  readonly text: string
  readonly needsChange: boolean
  /** Whether this alone explains the wait, so that workers and scaling say nothing about its end. */
  readonly isWhole?: boolean
}

const forNow = (text: string): WaitingReason => ({ text, needsChange: false })

const inState = (facts: WaitingFacts, ...states: WorkerState[]) =>
  facts.workers.filter(({ state }) => states.includes(state))

const onlyLowPriority = (facts: WaitingFacts) => facts.job?.lowPriority ?? facts.queue.normal === 0

function closed({ paused, config }: WaitingFacts): WaitingReason | undefined {
  if (paused) return { text: 'The endpoint is paused. Resume it to continue.', needsChange: true }
  if (config.workersMax === 0)
    return { text: 'The endpoint has a maximum of 0 workers. Raise it to continue.', needsChange: true }
  return undefined
}

function asksNever(facts: WaitingFacts): WaitingReason | undefined {
  const able = inState(facts, 'initializing', 'idle', 'running')
  const said = able.every(({ neverAsks, state }) => neverAsks !== undefined && state !== 'running')
    ? able[0]?.neverAsks
    : undefined
  const isAsking = able.some(({ state }) => state !== 'initializing')
  const why = said ?? (isAsking ? undefined : testModeOf(facts.config))
  return why === undefined ? undefined : { text: `No job is taken: ${why}.`, needsChange: true }
}

function crashing(facts: WaitingFacts): WaitingReason | undefined {
  const { crashLoop, now } = facts
  if (crashLoop === undefined || crashLoop.backOffUntil <= now || inState(facts, 'initializing').length > 0)
    return undefined
  // Low priority alone starts no worker, so no next try can be promised.
  if (onlyLowPriority(facts) && facts.config.workersMin === 0) return undefined
  const text = `No ${workerOf(facts.pool)} runs: ${crashLoop.reason}; next try in ${remainingSeconds(crashLoop.backOffUntil - now)}.`
  // An older failure may be fixed since: one more try shows it.
  const isFresh = crashLoop.lastAt > (facts.waitingSince ?? Number.NEGATIVE_INFINITY)
  return { text, needsChange: crashLoop.needsChange && isFresh }
}

function noCapacity(facts: WaitingFacts): WaitingReason | undefined {
  if (facts.noCapacityReason === undefined || inState(facts, 'initializing').length > 0) return undefined
  const reason = withFullStop(`No capacity for a ${workerOf(facts.pool)}: ${facts.noCapacityReason}`)
  const text =
    facts.pool === 'batch' && facts.standsIn === true
      ? `${reason} Until there is, other workers run batch jobs while no other job waits.`
      : reason
  return { text, needsChange: facts.neverCapacity === true }
}

function starting(facts: WaitingFacts): string | undefined {
  const workers = inState(facts, 'initializing')
  if (workers.length === 0) return undefined
  const span = inSeconds(facts.now - Math.min(...workers.map(({ startedAt }) => startedAt)))
  const why = workers.find(({ reason }) => reason !== undefined)?.reason
  const doing = why === undefined ? '' : ` (${why})`
  const sentence =
    workers.length === 1
      ? `A ${workerOf(facts.pool)} is starting, for ${span}${doing}.`
      : `${workers.length} ${workerOf(facts.pool)}s are starting, the first for ${span}${doing}.`
  return facts.crashLoop === undefined ? sentence : `${sentence} Before: ${facts.crashLoop.reason}.`
}

function allUnhealthy(facts: WaitingFacts): string | undefined {
  const workers = inState(facts, 'unhealthy')
  if (workers.length === 0) return undefined
  const why = workers.find(({ reason }) => reason !== undefined)?.reason
  return `No ${workerOf(facts.pool)} is healthy: ${counted(workers.length, 'worker')} unhealthy${why === undefined ? '' : ` (${why})`}.`
}

function busy(facts: WaitingFacts): string {
  const { config } = facts
  const running = inState(facts, 'running').length
  const unhealthy = inState(facts, 'unhealthy').length
  const ill = unhealthy === 0 ? '' : ` ${counted(unhealthy, 'worker')} unhealthy.`
  const sentence = `${running === 1 ? `The only ${workerOf(facts.pool)} is` : `All ${running} ${workerOf(facts.pool)}s are`} busy.${ill}`
  if (running + inState(facts, 'initializing').length >= config.workersMax) return sentence
  if (facts.crashLoop !== undefined && facts.crashLoop.backOffUntil > facts.now) {
    return `${sentence} Another cannot start: ${facts.crashLoop.reason}.`
  }
  return facts.noCapacityReason === undefined
    ? sentence
    : withFullStop(`${sentence} No capacity for another: ${facts.noCapacityReason}`)
}

/** Whether only the growth rule delays one more worker. */
function waitsForScaler({ config, crashLoop, noCapacityReason, now, workers }: WaitingFacts): boolean {
  const live = workers.filter(({ state }) => state === 'idle' || state === 'running').length
  return (
    live < config.workersMax &&
    noCapacityReason === undefined &&
    (crashLoop === undefined || crashLoop.backOffUntil <= now)
  )
}

function whileWorking(facts: WaitingFacts): string {
  const { scaler, workersMax, faults } = facts.config
  if (inState(facts, 'idle').length > 0) {
    return faults?.delayMs === undefined
      ? `A ${workerOf(facts.pool)} is free but has not asked for a job yet.`
      : `Fault injection (delayMs) on this endpoint delays each job by ${inSeconds(faults.delayMs)}.`
  }
  if (onlyLowPriority(facts)) {
    return inState(facts, 'running').length < workersMax
      ? 'Low priority: waits for a worker that was started for other jobs.'
      : busy(facts)
  }
  if (inState(facts, 'initializing').length > 0 || !waitsForScaler(facts)) return starting(facts) ?? busy(facts)
  if (scaler.type === 'REQUEST_COUNT') {
    return `Another worker starts when there are more than ${counted(scaler.value, 'job')} per worker.`
  }
  return scaler.value === 0
    ? 'Another worker is about to start.'
    : `Another worker starts when a job has waited ${scaler.value} s.`
}

/**
 * Explains waiting, worst blocker first: closed, crash loop, no slot, starting, unhealthy, busy. The only place that
 * decides if waiting cannot help. Source: ours.
 * @returns undefined if nothing waits
 */
export function whyJobsWait(facts: WaitingFacts): WaitingReason | undefined {
  const { job, queue } = facts
  if (job === undefined && queue.normal + queue.lowPriority === 0) return undefined
  const blocked = closed(facts) ?? asksNever(facts)
  if (blocked !== undefined) return blocked
  if (job === undefined && queue.forOneWorker === queue.normal + queue.lowPriority)
    return forNow('Each request asks for a specific worker, which is not ready or at capacity.')
  if (inState(facts, 'idle', 'running').length > 0) return forNow(whileWorking(facts))
  const hard = crashing(facts) ?? noCapacity(facts)
  if (hard !== undefined) return hard
  const soon = starting(facts) ?? allUnhealthy(facts)
  if (soon !== undefined) return forNow(soon)
  return onlyLowPriority(facts)
    ? forNow('Low priority: waits for a worker that was started for other jobs.')
    : forNow(`A ${workerOf(facts.pool)} is about to start.`)
}

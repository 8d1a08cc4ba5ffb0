import type { EndpointConfig, WorkerState } from '../../contract/endpoint.ts'
import { limit } from '../../contract/limits.ts'

/** A worker as scaling sees it. Times are steady ms, of the same clock as `now`. Source: ours. */
export type ScalingWorker = {
  readonly id: string
  readonly state: WorkerState
  readonly startedAt: number
  /**
   * Last progress of its image, or the return of its machine; only read of initializing workers: what makes progress is
   * not given up.
   */
  readonly progressAt?: number | undefined
  /** Since when it has no job; only read of idle workers, which without it count as idle since their start. */
  readonly idleSince?: number | undefined
  /** Since when it is paused; only read of paused workers, which without it count as paused since their start. */
  readonly pausedSince?: number | undefined
  /** When it last went on after a pause, which counts as a start; undefined: never. */
  readonly resumedAt?: number | undefined
  /** How many jobs it runs. */
  readonly jobs: number
  /** Whether settings of its endpoint changed after it was started. */
  readonly outdated: boolean
  /** Why it is outdated, if its settings are not the reason. */
  readonly outdatedBecause?: string | undefined
  /** Whether it is unhealthy and may become well by itself soon, so that it need not leave yet. */
  readonly mayRecover?: boolean | undefined
  /** Whether its machine is unreachable; until the machine is back, the worker does not count as capacity. */
  readonly isAway?: boolean | undefined
}

/** The jobs of an endpoint as scaling sees them. Source: ours. */
export type ScalingQueue = {
  /** Waiting jobs of normal priority. */
  readonly normal: number
  /** Waiting jobs of low priority. */
  readonly lowPriority: number
  /** Jobs of any priority that workers run. */
  readonly inProgress: number
  /** How long the oldest waiting job of normal priority has waited, ms; 0 if none waits. */
  readonly oldestNormalWaitMs: number
}

/** All that the decision depends on. Source: ours, because a pure decision names its inputs. */
export type ScalingFacts = {
  readonly config: Pick<
    EndpointConfig,
    'workersMin' | 'workersMax' | 'idleTimeoutMs' | 'concurrency' | 'scaler' | 'initializingTimeoutMs'
  >
  /** How long a worker that leaves for idleness stays paused before it ends, ms; 0, or without it: not at all. */
  readonly keepPausedMs?: number | undefined
  readonly paused: boolean
  /** Whether the service or the endpoint is going away. */
  readonly stopping: boolean
  readonly queue: ScalingQueue
  readonly workers: readonly ScalingWorker[]
  /** How many more workers the fleet has room for. */
  readonly freeSlots: number
  /** Why the fleet has no room for more; passed on with `throttled`. */
  readonly noCapacityReason?: string | undefined
  /** Whether this machine as it is can never run one; passed on with `throttled`. */
  readonly neverCapacity?: boolean | undefined
  /** No worker starts before this time, steady ms; see crash-loop.ts. */
  readonly backOffUntil?: number | undefined
  /** Steady ms. */
  readonly now: number
}

/**
 * A worker that has to leave, `failed` where that is its own fault. Without `force` it takes no further job and ends
 * when its jobs have (at once if it has none); with `force` it is killed. Source: docs/spec/worker-protocol.md, 2.
 */
export type WorkerStop = {
  readonly workerId: string
  readonly reason: string
  readonly force?: true
  readonly failed?: true
}

/** What to do now. Source: ours. */
export type ScalingDecision = {
  /** How many workers to start. */
  readonly start: number
  /** Ids of idle workers to freeze. */
  readonly pause?: readonly string[]
  /** Ids of paused workers that go on; they count before any that starts. */
  readonly resume?: readonly string[]
  readonly stop: readonly WorkerStop[]
  /** How many more should start but have no slot. Source: docs/spec/job-api.md, 1. */
  readonly throttled: number
  /** Why they have no slot, if the fleet said so. */
  readonly throttledReason?: string
  /** They will have none on this machine as it is. */
  readonly neverStarts?: true
  /** When time alone changes the answer, steady ms, always after `now`; without it only a change of the facts does. */
  readonly nextCheckAt?: number
  /**
   * How many workers the endpoint should have: those that stay, `start`, `throttled`, and those held by the back-off.
   */
  readonly wanted: number
}

/** The settings of an endpoint that is gone: it needs no worker. */
export const GONE = {
  workersMin: 0,
  workersMax: 0,
  idleTimeoutMs: 0,
  concurrency: 1,
  scaler: { type: 'QUEUE_DELAY', value: 0 },
  initializingTimeoutMs: limit('initializingMs'),
} as const satisfies ScalingFacts['config']

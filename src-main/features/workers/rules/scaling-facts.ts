import type { EndpointConfig, WorkerPool, WorkerState } from '../../../contract/endpoint.ts'
import { limit } from '../../../contract/limits.ts'

/** Times are steady ms, of the same clock as `now`. Source: ours. */
export type ScalingWorker = {
  readonly id: string
  readonly state: WorkerState
  readonly startedAt: number
  /** Last image progress, or return of its machine, which extends an initializing worker's time. */
  readonly progressAt?: number | undefined
  /** Only for idle workers; undefined: not since their start. */
  readonly neededLast?: number | undefined
  /** Only for paused workers; undefined: paused since their start. */
  readonly pausedSince?: number | undefined
  readonly resumedAt?: number | undefined
  readonly jobs: number
  readonly outdated: boolean
  readonly outdatedBecause?: string | undefined
  readonly mayRecover?: boolean | undefined
  /** Its machine is unreachable, so it does not count as capacity. */
  readonly isAway?: boolean | undefined
}

export type ScalingQueue = {
  readonly normal: number
  readonly lowPriority: number
  readonly inProgress: number
  /** Wait of the oldest normal job, ms; 0: none waits. */
  readonly oldestNormalWaitMs: number
}

export type ScalingFacts = {
  readonly pool?: WorkerPool | undefined
  readonly config: Pick<
    EndpointConfig,
    'workersMin' | 'workersMax' | 'idleTimeoutMs' | 'concurrency' | 'scaler' | 'initializingTimeoutMs'
  >
  /** Pause before an idle worker ends, ms; 0 or missing: none. */
  readonly keepPausedMs?: number | undefined
  readonly paused: boolean
  readonly stopping: boolean
  readonly queue: ScalingQueue
  readonly workers: readonly ScalingWorker[]
  readonly freeSlots: number
  readonly noCapacityReason?: string | undefined
  readonly neverCapacity?: boolean | undefined
  /** Monotonic ms before which no worker starts; see crash-loop.ts. */
  readonly backOffUntil?: number | undefined
  readonly now: number
}

/**
 * `failed`: its own fault. Without `force` it drains; with `force` it is killed. Source: docs/spec/worker-protocol.md,
 * 2.
 */
export type WorkerStop = {
  readonly workerId: string
  readonly reason: string
  readonly force?: true
  readonly failed?: true
}

export type ScalingDecision = {
  readonly start: number
  readonly pause?: readonly string[]
  readonly resume?: readonly string[]
  readonly stop: readonly WorkerStop[]
  /** Wanted workers that have no slot. Source: docs/spec/job-api.md, 1. */
  readonly throttled: number
  readonly throttledReason?: string
  readonly neverStarts?: true
  /** When time alone changes the answer, steady ms, after `now`; missing: never. */
  readonly nextCheckAt?: number
  readonly wanted: number
}

export const GONE = {
  workersMin: 0,
  workersMax: 0,
  idleTimeoutMs: 0,
  concurrency: 1,
  scaler: { type: 'QUEUE_DELAY', value: 0 },
  initializingTimeoutMs: limit('initializingMs'),
} as const satisfies ScalingFacts['config']

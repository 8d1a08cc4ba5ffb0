import fc from 'fast-check'
import type { WorkerState } from '../../../../src-main/contract/endpoint.ts'
import type { ScalingFacts, ScalingWorker } from '../../../../src-main/features/workers/rules/scaling-facts.ts'
import { nextStatus, shownState, type WorkerEvent } from '../../../../src-main/features/workers/rules/transitions.ts'

/** The time of every example, steady ms. */
export const NOW = 1_000_000

/** Fields of facts that an example names; the rest is an endpoint at rest with the default settings. */
export type FactFields = Partial<Omit<ScalingFacts, 'config' | 'queue'>> & {
  readonly config?: Partial<ScalingFacts['config']>
  readonly queue?: Partial<ScalingFacts['queue']>
}

/** Facts of an example. */
export function facts({ config, queue, ...fields }: FactFields = {}): ScalingFacts {
  return {
    config: {
      workersMin: 0,
      workersMax: 3,
      idleTimeoutMs: 5000,
      concurrency: 1,
      scaler: { type: 'QUEUE_DELAY', value: 4 },
      initializingTimeoutMs: 420_000,
      ...config,
    },
    paused: false,
    stopping: false,
    queue: { normal: 0, lowPriority: 0, inProgress: 0, oldestNormalWaitMs: 0, ...queue },
    workers: [],
    freeSlots: 100,
    now: NOW,
    ...fields,
  }
}

/** A worker of an example; started 100 s before NOW, idle since then if it is idle. */
export function worker(id: string, state: ScalingWorker['state'], fields: Partial<ScalingWorker> = {}): ScalingWorker {
  const startedAt = fields.startedAt ?? NOW - 100_000
  return {
    id,
    state,
    startedAt,
    ...(state === 'idle' ? { neededLast: startedAt } : {}),
    jobs: state === 'running' ? 1 : 0,
    outdated: false,
    ...fields,
  }
}

/** Both rules of growth. */
const anyScaler = fc.oneof(
  fc.record({ type: fc.constant('QUEUE_DELAY' as const), value: fc.constantFrom(0, 0.5, 1, 4, 30) }),
  fc.record({ type: fc.constant('REQUEST_COUNT' as const), value: fc.constantFrom(1, 2, 4, 20) }),
)

/** Settings with min not above max. */
export const anyConfig = fc
  .record({
    workersMin: fc.nat(3),
    more: fc.nat(4),
    idleTimeoutMs: fc.constantFrom(0, 1000, 5000),
    concurrency: fc.constantFrom(1, 2, 5),
    scaler: anyScaler,
    initializingTimeoutMs: fc.constantFrom(1000, 60_000),
  })
  .map(({ more, ...config }) => ({ ...config, workersMax: config.workersMin + more }))

const anyWorker = fc
  .record({
    state: fc.constantFrom<ScalingWorker['state']>(
      'initializing',
      'idle',
      'running',
      'unhealthy',
      'paused',
      'stopping',
      'ended',
    ),
    age: fc.nat(70_000),
    idleFor: fc.nat(10_000),
    jobs: fc.nat(4),
    outdated: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  })
  .map(({ state, age, idleFor, jobs, outdated }) => ({
    state,
    startedAt: NOW - age,
    ...(state === 'idle' ? { neededLast: NOW - Math.min(age, idleFor) } : {}),
    ...(state === 'paused' ? { pausedSince: NOW - Math.min(age, idleFor) } : {}),
    jobs: state === 'running' ? jobs + 1 : state === 'stopping' || state === 'unhealthy' ? jobs : 0,
    outdated,
  }))

/** Any facts that can be, reachable or not. */
export const anyFacts: fc.Arbitrary<ScalingFacts> = fc
  .record({
    config: anyConfig,
    paused: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    normal: fc.nat(12),
    lowPriority: fc.nat(5),
    wait: fc.nat(20_000),
    lost: fc.nat(2),
    workers: fc.array(anyWorker, { maxLength: 9 }),
    freeSlots: fc.nat(6),
    backOff: fc.constantFrom(undefined, undefined, -500, 0, 700, 9000),
    keepPausedMs: fc.constantFrom(undefined, 0, 1000, 6000, 600_000),
  })
  .map(({ config, paused, normal, lowPriority, wait, lost, workers, freeSlots, backOff, keepPausedMs }) => ({
    config,
    keepPausedMs,
    paused,
    stopping: false,
    queue: {
      normal,
      lowPriority,
      inProgress: lost + workers.reduce((sum, { jobs }) => sum + jobs, 0),
      oldestNormalWaitMs: normal === 0 ? 0 : wait,
    },
    workers: workers.map((fields, n) => ({ id: `w${n}`, ...fields })),
    freeSlots,
    ...(backOff === undefined ? {} : { backOffUntil: NOW + backOff }),
    now: NOW,
  }))

/** The state that is seen after an event of a worker that serves; undefined: the event is refused. */
export function nextWorkerState(state: WorkerState, event: WorkerEvent): WorkerState | undefined {
  const next = state === 'throttled' ? undefined : nextStatus({ phase: state, duty: 'serving' }, event)
  return next && shownState(next.phase)
}

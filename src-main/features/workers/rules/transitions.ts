/**
 * The only table of workers: one phase and one duty, each moved by events that only features/workers/registry/worker-registry.ts
 * applies.
 */
import type { WorkerState } from '../../../contract/endpoint.ts'

type Phase = { readonly shown: WorkerState; readonly takesJobs: boolean }

/** 'throttled' is no phase: it counts wanted workers without a slot (see scaling.ts). */
export const WORKER_PHASES = {
  initializing: { shown: 'initializing', takesJobs: false },
  idle: { shown: 'idle', takesJobs: true },
  frozen: { shown: 'idle', takesJobs: true },
  running: { shown: 'running', takesJobs: true },
  // Container paused instead of ended; must be resumed before it takes jobs.
  paused: { shown: 'paused', takesJobs: false },
  recovering: { shown: 'unhealthy', takesJobs: false },
  unhealthy: { shown: 'unhealthy', takesJobs: false },
  draining: { shown: 'stopping', takesJobs: false },
  stopping: { shown: 'stopping', takesJobs: false },
  ended: { shown: 'ended', takesJobs: false },
} as const satisfies Record<string, Phase>

export type WorkerPhase = keyof typeof WORKER_PHASES

export const WORKER_DUTIES = {
  // Has settings that its endpoint does not have yet.
  staged: { takesJobs: false },
  serving: { takesJobs: true },
  // Serves with old settings until a new worker is ready; see roll-out-settings.ts.
  standingIn: { takesJobs: true },
  // Asked for its replacement, was found with other settings after a crash, or runs old code.
  retired: { takesJobs: false },
  // To be killed by fault injection; its jobs return when it has ended.
  killed: { takesJobs: false },
} as const satisfies Record<string, Pick<Phase, 'takesJobs'>>

export type WorkerDuty = keyof typeof WORKER_DUTIES

export type WorkerStatus = { readonly phase: WorkerPhase; readonly duty: WorkerDuty }

/** Recorded by events besides phase and duty. Times are steady ms. */
export type WorkerRecords = {
  readonly reason: string | undefined
  readonly becameReady: boolean
  readonly progressAt: number | undefined
  readonly idleSince: number | undefined
  /** Like `idleSince`, but handed over between workers: features/load-balancing/rules/choose-worker.ts. */
  readonly neededAt: number | undefined
  readonly pausedSince: number | undefined
  readonly resumedAt: number | undefined
  readonly thawedAt: number | undefined
  readonly failure: string | undefined
  readonly standsInFor: number | undefined
  readonly killedBy: string | undefined
  readonly retiredBecause: string | undefined
}

/**
 * Start phases, target ('same': unchanged), recorded fields and source. Fields not given with the event are the time,
 * or cleared.
 */
type Transition<Place extends string> = {
  readonly from: readonly Place[]
  readonly to: Place | 'same'
  readonly records: readonly (keyof WorkerRecords)[]
  readonly source: string
}

const CAN_BECOME_UNHEALTHY = ['initializing', 'idle', 'frozen', 'running'] as const satisfies readonly WorkerPhase[]

const PHASE_TRANSITIONS = {
  // `start` creates the worker, so it starts from no phase.
  start: { from: [], to: 'initializing', records: [], source: 'the platform: a worker begins with its cold start' },
  progress: {
    from: ['initializing'],
    to: 'same',
    records: ['reason', 'progressAt'],
    source: 'ours, because an image may take longer to come than any program needs to get ready',
  },
  launch: {
    from: ['initializing'],
    to: 'same',
    records: ['reason'],
    source: 'ours, because the reason was a wait that is over when its process starts',
  },
  failStart: {
    from: ['initializing'],
    to: 'same',
    records: ['failure'],
    source: 'ours, because a worker that is ended for being late has crashed all the same',
  },
  ready: {
    from: ['initializing'],
    to: 'idle',
    records: ['reason', 'becameReady', 'idleSince', 'neededAt'],
    source: 'ours, because the first request for a job shows that the start is over',
  },
  takeJob: {
    from: ['idle', 'running'],
    to: 'running',
    records: ['reason'],
    source: 'docs/spec/worker-protocol.md, 2: job-take; several at once with concurrency',
  },
  becomeIdle: {
    from: ['running'],
    to: 'idle',
    records: ['reason', 'idleSince', 'neededAt'],
    source: 'docs/spec/job-api.md, 1: its last job has ended',
  },
  freeze: {
    from: ['idle'],
    to: 'frozen',
    records: ['reason'],
    source: 'ours, because some versions of the public SDK use a whole CPU while they wait',
  },
  // Precedes taking a job, for which the process must run.
  thaw: {
    from: ['frozen'],
    to: 'idle',
    records: ['reason', 'thawedAt'],
    source: 'ours, because a frozen worker that is needed goes on',
  },
  pause: {
    from: ['idle', 'frozen'],
    to: 'paused',
    records: ['reason', 'pausedSince'],
    source: 'ours, because a frozen worker wakes ten times as fast as one starts',
  },
  // At once: messages wait in the socket until it is awake.
  resume: {
    from: ['paused'],
    to: 'idle',
    records: ['reason', 'idleSince', 'neededAt', 'resumedAt'],
    source: 'ours, because a frozen worker that is needed goes on',
  },
  markUnhealthy: {
    from: CAN_BECOME_UNHEALTHY,
    to: 'recovering',
    records: ['reason'],
    source: 'docs/spec/job-api.md, 10: /ping decides, and may answer 200 again',
  },
  endRecovery: {
    from: ['recovering'],
    to: 'unhealthy',
    records: [],
    source: 'ours: unhealthy until the lease ends',
  },
  reportUnhealthy: {
    from: CAN_BECOME_UNHEALTHY,
    to: 'unhealthy',
    records: ['reason', 'failure'],
    source: 'docs/spec/worker-protocol.md, 2: ping with status=unhealthy; the reason is kept with the state',
  },
  lose: {
    from: CAN_BECOME_UNHEALTHY,
    to: 'unhealthy',
    records: ['reason'],
    source: 'docs/spec/job-api.md, 4: a lease ran out',
  },
  explain: {
    from: ['initializing', 'recovering', 'unhealthy'],
    to: 'same',
    records: ['reason'],
    source: 'ours, because what /ping answers says why a worker serves nobody',
  },
  recover: {
    from: ['recovering', 'unhealthy'],
    to: 'idle',
    records: ['reason', 'idleSince', 'neededAt'],
    source: 'docs/spec/job-api.md, 10: /ping decides, and may answer 200 again',
  },
  drain: {
    from: ['initializing', 'idle', 'frozen', 'running', 'paused', 'recovering', 'unhealthy'],
    to: 'draining',
    records: ['reason'],
    source: 'ours, because a worker that leaves takes no further job and ends the ones it has',
  },
  stop: {
    from: ['draining'],
    to: 'stopping',
    records: [],
    source: 'docs/spec/worker-protocol.md, 1: SIGTERM, when its jobs have ended or must not go on',
  },
  exit: {
    from: ['initializing', 'idle', 'frozen', 'running', 'paused', 'recovering', 'unhealthy', 'draining', 'stopping'],
    to: 'ended',
    records: ['reason'],
    source: 'ours, because its process is gone, whoever wanted that',
  },
} as const satisfies Record<string, Transition<WorkerPhase>>

const DUTY_TRANSITIONS = {
  serve: { from: [], to: 'serving', records: [], source: 'the platform: a worker serves its endpoint' },
  stage: {
    from: [],
    to: 'staged',
    records: [],
    source: 'ours, because a release that does not work is to be known before anybody is served by it',
  },
  promote: {
    from: ['staged'],
    to: 'serving',
    records: [],
    source: 'ours, because its endpoint has its settings now',
  },
  standIn: {
    from: ['serving', 'standingIn'],
    to: 'standingIn',
    records: ['standsInFor'],
    source: 'ours, because changed settings must leave no gap',
  },
  standDown: {
    from: ['standingIn'],
    to: 'serving',
    records: ['standsInFor'],
    source: 'ours, because the worker with the new settings is ready, or will not be',
  },
  retire: {
    from: ['serving', 'standingIn'],
    to: 'retired',
    records: ['retiredBecause'],
    source: 'docs/spec/worker-protocol.md, 3: a result may ask for a new worker',
  },
  kill: {
    from: ['serving', 'standingIn', 'retired'],
    to: 'killed',
    records: ['killedBy'],
    source: 'ours, because fault switches test what happens when a worker is lost',
  },
} as const satisfies Record<string, Transition<WorkerDuty>>

export const WORKER_TRANSITIONS = { ...PHASE_TRANSITIONS, ...DUTY_TRANSITIONS } as const

export type WorkerEvent = keyof typeof WORKER_TRANSITIONS

type DutyEvent = keyof typeof DUTY_TRANSITIONS

export const WORKER_EVENTS = Object.keys(WORKER_TRANSITIONS) as readonly WorkerEvent[]

const isOfDuty = (event: WorkerEvent): event is DutyEvent => Object.hasOwn(DUTY_TRANSITIONS, event)

function follow<Place extends string>({ from, to }: Transition<Place>, place: Place): Place | undefined {
  if (!from.includes(place)) return undefined
  return to === 'same' ? place : to
}

/**
 * Source: the table.
 * @returns undefined if the event is illegal in this phase: a lost race, not an error
 */
function nextPhase(phase: WorkerPhase, event: keyof typeof PHASE_TRANSITIONS): WorkerPhase | undefined {
  return follow<WorkerPhase>(PHASE_TRANSITIONS[event], phase)
}

function nextDuty(duty: WorkerDuty, event: DutyEvent): WorkerDuty | undefined {
  return follow<WorkerDuty>(DUTY_TRANSITIONS[event], duty)
}

export function nextStatus({ phase, duty }: WorkerStatus, event: WorkerEvent): WorkerStatus | undefined {
  if (isOfDuty(event)) {
    const next = nextDuty(duty, event)
    return next && { phase, duty: next }
  }
  const next = nextPhase(phase, event)
  return next && { phase: next, duty }
}

export type EventFacts = Partial<
  Pick<WorkerRecords, 'reason' | 'neededAt' | 'failure' | 'standsInFor' | 'killedBy' | 'retiredBecause'>
>

export function recordsOf(event: WorkerEvent, facts: EventFacts, now: number): Partial<WorkerRecords> {
  const all: WorkerRecords = {
    ...{ reason: undefined, failure: undefined, standsInFor: undefined, killedBy: undefined },
    retiredBecause: undefined,
    ...{
      progressAt: now,
      idleSince: now,
      neededAt: now,
      pausedSince: now,
      resumedAt: now,
      thawedAt: now,
      becameReady: true,
    },
    ...facts,
  }
  return Object.fromEntries(WORKER_TRANSITIONS[event].records.map((field) => [field, all[field]]))
}

export function shownState(phase: WorkerPhase): WorkerState {
  return WORKER_PHASES[phase].shown
}

export function takesJobs({ phase, duty }: WorkerStatus): boolean {
  return WORKER_PHASES[phase].takesJobs && WORKER_DUTIES[duty].takesJobs
}

const LIVE_STATES: readonly WorkerState[] = PHASE_TRANSITIONS.drain.from.map(shownState)

/** Whether it has a process and no requested stop; source: ours, because exactly these can be drained. */
export function isLive(state: WorkerState): boolean {
  return LIVE_STATES.includes(state)
}

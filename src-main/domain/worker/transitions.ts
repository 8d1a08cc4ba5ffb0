/**
 * THE table of workers: the phases of their process, the duties they have, and every event that moves them. Nobody
 * assigns a phase, a duty or what is recorded with them: services/worker-registry.ts does, everybody else sends it
 * events. A worker is in one phase and has one duty; an event moves one of the two.
 */
import type { WorkerState } from '../../contract/endpoint.ts'

/** What is known of a phase or a duty. `shown`: the state that API, pages and the store call it. */
type Phase = { readonly shown: WorkerState; readonly takesJobs: boolean }

/**
 * The phases of a worker's process.
 *
 * 'throttled' is the state of no phase: it counts workers that are wanted and have no slot (see scaling.ts).
 */
export const WORKER_PHASES = {
  initializing: { shown: 'initializing', takesJobs: false },
  idle: { shown: 'idle', takesJobs: true },
  // Its process is stopped until it gets a job; see freeze-idle.ts.
  frozen: { shown: 'idle', takesJobs: true },
  running: { shown: 'running', takesJobs: true },
  // Its container is stopped instead of ended: it has to be resumed before it takes anything.
  paused: { shown: 'paused', takesJobs: false },
  // Unhealthy, and may become well by itself soon.
  recovering: { shown: 'unhealthy', takesJobs: false },
  unhealthy: { shown: 'unhealthy', takesJobs: false },
  // It ends the jobs that it has.
  draining: { shown: 'stopping', takesJobs: false },
  // The fleet was asked to stop it.
  stopping: { shown: 'stopping', takesJobs: false },
  ended: { shown: 'ended', takesJobs: false },
} as const satisfies Record<string, Phase>

/** Phase of a worker's process. */
export type WorkerPhase = keyof typeof WORKER_PHASES

/** The duties of a worker towards its endpoint. */
export const WORKER_DUTIES = {
  // It has settings that its endpoint does not have yet.
  staged: { takesJobs: false },
  serving: { takesJobs: true },
  // It serves with old settings until a worker with the new ones is ready; see roll-out-settings.ts.
  standingIn: { takesJobs: true },
  // It asked for its own replacement, was found after a crash with other settings, or has code from before a save.
  retired: { takesJobs: false },
  // A fault switch has it killed: what it was given goes back when it has ended.
  killed: { takesJobs: false },
} as const satisfies Record<string, Pick<Phase, 'takesJobs'>>

/** Duty of a worker towards its endpoint. */
export type WorkerDuty = keyof typeof WORKER_DUTIES

/** Where a worker stands. */
export type WorkerStanding = { readonly phase: WorkerPhase; readonly duty: WorkerDuty }

/** What events record beside phase and duty. Times are steady ms. */
export type WorkerRecords = {
  /** Why it is where it is, for people. */
  readonly reason: string | undefined
  readonly becameReady: boolean
  /** Last news of an image that it needs and that comes. */
  readonly progressAt: number | undefined
  readonly idleSince: number | undefined
  readonly pausedSince: number | undefined
  readonly resumedAt: number | undefined
  /** When it last went on after it was frozen. */
  readonly thawedAt: number | undefined
  /** What it did wrong itself, whoever ended it then: it was not ready in time, or it reported that it is unhealthy. */
  readonly failure: string | undefined
  /** Revision of settings that it does not have, but serves for. */
  readonly standsInFor: number | undefined
  /** Why a fault switch has it killed. */
  readonly killedBy: string | undefined
  /** Why it serves no longer; undefined: its settings are not those of its endpoint. */
  readonly retiredBecause: string | undefined
}

/**
 * One row of the table: where it may start from, where it leads ('same': it stays), what it records, and who says so.
 * What is recorded and not handed over with the event is the time of the move, or cleared.
 */
type Transition<Place extends string> = {
  readonly from: readonly Place[]
  readonly to: Place | 'same'
  readonly records: readonly (keyof WorkerRecords)[]
  readonly source: string
}

const CAN_BECOME_UNHEALTHY = ['initializing', 'idle', 'frozen', 'running'] as const satisfies readonly WorkerPhase[]

const PHASE_TRANSITIONS = {
  // From nothing: `start` makes the worker, so it is legal from no phase that a worker can have.
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
    source: 'ours, because what was waited for is there once its process runs',
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
    records: ['reason', 'becameReady', 'idleSince'],
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
    records: ['reason', 'idleSince'],
    source: 'docs/spec/job-api.md, 1: its last job has ended',
  },
  freeze: {
    from: ['idle'],
    to: 'frozen',
    records: ['reason'],
    source: 'ours, because some versions of the public SDK use a whole CPU while they wait',
  },
  // Before the job is taken: its process must run for that.
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
  // At once, before it is awake: what is sent to a worker that wakes waits for it in its socket.
  resume: {
    from: ['paused'],
    to: 'idle',
    records: ['reason', 'idleSince', 'resumedAt'],
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
    source: 'docs/spec/worker-protocol.md, 2: ping with status=unhealthy; the reason is kept beside the state',
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
    records: ['reason', 'idleSince'],
    source: 'docs/spec/job-api.md, 10: /ping decides, and may answer 200 again',
  },
  drain: {
    from: ['initializing', 'idle', 'frozen', 'running', 'paused', 'recovering', 'unhealthy'],
    to: 'draining',
    records: ['reason'],
    source: 'ours, because a worker that leaves takes no further job and ends the ones it has',
  },
  // The first reason why it leaves stays.
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
  // From nothing, as `start`: a worker begins with one of these two duties.
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

/** THE table of events: those that move the phase, and those that change the duty. */
export const WORKER_TRANSITIONS = { ...PHASE_TRANSITIONS, ...DUTY_TRANSITIONS } as const

/** Something that happens to a worker. */
export type WorkerEvent = keyof typeof WORKER_TRANSITIONS

type PhaseEvent = keyof typeof PHASE_TRANSITIONS
type DutyEvent = keyof typeof DUTY_TRANSITIONS

/** All events, in the order of the table. */
export const WORKER_EVENTS = Object.keys(WORKER_TRANSITIONS) as readonly WorkerEvent[]

const isOfDuty = (event: WorkerEvent): event is DutyEvent => Object.hasOwn(DUTY_TRANSITIONS, event)

function follow<Place extends string>({ from, to }: Transition<Place>, place: Place): Place | undefined {
  if (!from.includes(place)) return undefined
  return to === 'same' ? place : to
}

/**
 * The phase after an event that moves it; source: the table.
 * @returns undefined if the event is not legal in this phase: a lost race, not an error
 */
function nextPhase(phase: WorkerPhase, event: PhaseEvent): WorkerPhase | undefined {
  return follow<WorkerPhase>(PHASE_TRANSITIONS[event], phase)
}

/** The duty after an event that changes it; source: the table. @returns undefined as `nextPhase` does */
function nextDuty(duty: WorkerDuty, event: DutyEvent): WorkerDuty | undefined {
  return follow<WorkerDuty>(DUTY_TRANSITIONS[event], duty)
}

/** Where a worker stands after an event; source: the table. @returns undefined as `nextPhase` does */
export function nextStanding({ phase, duty }: WorkerStanding, event: WorkerEvent): WorkerStanding | undefined {
  if (isOfDuty(event)) {
    const next = nextDuty(duty, event)
    return next && { phase, duty: next }
  }
  const next = nextPhase(phase, event)
  return next && { phase: next, duty }
}

/** What comes with an event; the table says which of it the event records. */
export type EventFacts = Partial<
  Pick<WorkerRecords, 'reason' | 'failure' | 'standsInFor' | 'killedBy' | 'retiredBecause'>
>

/** What an event records; source: the table. @param now steady ms */
export function recordsOf(event: WorkerEvent, facts: EventFacts, now: number): Partial<WorkerRecords> {
  const all: WorkerRecords = {
    ...{ reason: undefined, failure: undefined, standsInFor: undefined, killedBy: undefined },
    retiredBecause: undefined,
    ...{ progressAt: now, idleSince: now, pausedSince: now, resumedAt: now, thawedAt: now, becameReady: true },
    ...facts,
  }
  return Object.fromEntries(WORKER_TRANSITIONS[event].records.map((field) => [field, all[field]]))
}

/** The state that people see; source: the table of phases. */
export function shownState(phase: WorkerPhase): WorkerState {
  return WORKER_PHASES[phase].shown
}

/** Whether a worker may be given a job; source: the tables of phases and duties. */
export function takesJobs({ phase, duty }: WorkerStanding): boolean {
  return WORKER_PHASES[phase].takesJobs && WORKER_DUTIES[duty].takesJobs
}

const LIVE_STATES: readonly WorkerState[] = PHASE_TRANSITIONS.drain.from.map(shownState)

/**
 * Whether a worker in this state has a process and was not asked to leave; source: ours, because exactly these can be
 * drained.
 */
export function isLive(state: WorkerState): boolean {
  return LIVE_STATES.includes(state)
}

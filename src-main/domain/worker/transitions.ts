import type { WorkerState } from '../../contract/endpoint.ts'

/** One row of the table: the states it may start from, the state it ends in, and who says so. */
type Transition = { readonly from: readonly WorkerState[]; readonly to: WorkerState; readonly source: string }

/**
 * THE table of worker moves; nobody assigns a state by hand.
 *
 * 'throttled' has no row: it is not a state of a process. It counts workers that are wanted and have no place (see
 * scaling.ts), so no worker ever is in it.
 */
export const WORKER_TRANSITIONS = {
  // From nothing: `start` makes the worker, so it is legal from no state that a worker can have.
  start: { from: [], to: 'initializing', source: 'the platform: a worker begins with its cold start' },
  ready: {
    from: ['initializing'],
    to: 'idle',
    source: 'ours, because the first request for a job shows that the start is over',
  },
  takeJob: {
    from: ['idle', 'running'],
    to: 'running',
    source: 'worker-protocol: job-take; several at once with concurrency',
  },
  pause: {
    from: ['idle'],
    to: 'paused',
    source: 'ours, because a frozen worker wakes ten times as fast as one starts',
  },
  // At once, before it is awake: what is sent to a worker that wakes waits for it in its socket.
  resume: { from: ['paused'], to: 'idle', source: 'ours, because a frozen worker that is needed goes on' },
  becomeIdle: { from: ['running'], to: 'idle', source: 'job-api, health: its last job has ended' },
  markUnhealthy: {
    from: ['initializing', 'idle', 'running'],
    to: 'unhealthy',
    source: 'worker-protocol: ping with status=unhealthy; the reason is kept beside the state',
  },
  recover: {
    from: ['unhealthy'],
    to: 'idle',
    source: 'job-api, Load-balanced endpoints: /ping decides, and may answer 200 again',
  },
  drain: {
    from: ['initializing', 'idle', 'running', 'unhealthy', 'paused'],
    to: 'stopping',
    source: 'ours, because a worker that leaves takes no further job and ends the ones it has',
  },
  exit: {
    from: ['initializing', 'idle', 'running', 'unhealthy', 'paused', 'stopping'],
    to: 'ended',
    source: 'ours, because its process is gone, whoever wanted that',
  },
} as const satisfies Record<string, Transition>

/** Name of a move of a worker. */
export type WorkerEvent = keyof typeof WORKER_TRANSITIONS

/** All moves, in the order of the table. */
export const WORKER_EVENTS = Object.keys(WORKER_TRANSITIONS) as readonly WorkerEvent[]

/**
 * Whether a worker in this state has a process and was not told to leave; source: ours, because exactly these can be drained.
 * @param state - state of the worker
 */
export function isLive(state: WorkerState): boolean {
  return canMoveWorker(state, 'drain')
}

/**
 * Whether the move is legal from this state; source: the table.
 * @param state - state of the worker
 * @param event - the move
 */
function canMoveWorker(state: WorkerState, event: WorkerEvent): boolean {
  return (WORKER_TRANSITIONS[event].from as readonly WorkerState[]).includes(state)
}

/**
 * The state after a move; source: the table.
 * @param state - state of the worker
 * @param event - the move
 * @returns undefined if the move is not legal from `state`: a lost race, not an error
 */
export function nextWorkerState(state: WorkerState, event: WorkerEvent): WorkerState | undefined {
  return canMoveWorker(state, event) ? WORKER_TRANSITIONS[event].to : undefined
}

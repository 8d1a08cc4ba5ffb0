import type { EndpointCrash, EndpointState, EndpointView, WorkerPool, WorkerState } from '../../../contract/endpoint.ts'
import type { HealthRecord } from '../../../contract/job.ts'
import { ago, remainingSeconds } from '../../../lib/text.ts'

export type EndpointFacts = {
  readonly paused: boolean
  readonly workersMin: number
  readonly workersMax: number
  readonly graph?: unknown
  readonly brokenReason?: string | undefined
  readonly inQueue: number
  readonly inProgress: number
  readonly crash?: Pick<EndpointCrash, 'pool' | 'nextTryAt'> | undefined
  readonly throttledReason?: string | undefined
  readonly workers: readonly { readonly state: WorkerState; readonly pool?: WorkerPool | undefined }[]
}

const count = ({ workers }: EndpointFacts, ...states: WorkerState[]) =>
  workers.filter(({ state }) => states.includes(state)).length

const isServing = (facts: EndpointFacts) => count(facts, 'idle', 'running') > 0

// A next try is planned for waiting requests, too, which are not in the queue.
const needsWorker = (facts: EndpointFacts) =>
  facts.inQueue > 0 ||
  facts.workersMin > 0 ||
  facts.crash?.nextTryAt !== undefined ||
  count(facts, 'initializing', 'unhealthy') > 0

// Crashes of batch workers say nothing about main workers.
const isCrashing = ({ crash, workers, workersMin }: EndpointFacts) =>
  crash?.pool === 'batch' ? workersMin === 0 && workers.every(({ pool }) => pool === 'batch') : crash !== undefined

type StateRow = {
  readonly state: EndpointState
  readonly text: string
  readonly holds: (facts: EndpointFacts) => boolean
}

/** THE table of endpoint states, most important first; everything that shows a state derives from it. */
const ENDPOINT_STATE_ROWS = [
  { state: 'paused', text: 'Paused', holds: ({ paused }) => paused },
  { state: 'broken', text: 'Broken', holds: ({ brokenReason }) => brokenReason !== undefined },
  { state: 'published', text: 'Published', holds: ({ graph }) => graph !== undefined },
  { state: 'closed', text: 'Closed', holds: ({ workersMax }) => workersMax === 0 },
  {
    state: 'crashing',
    text: 'Crashing',
    holds: (facts) => isCrashing(facts) && needsWorker(facts) && !isServing(facts),
  },
  { state: 'unhealthy', text: 'Unhealthy', holds: (facts) => count(facts, 'unhealthy') > 0 && !isServing(facts) },
  { state: 'running', text: 'Running', holds: (facts) => facts.inProgress > 0 || count(facts, 'running') > 0 },
  { state: 'starting', text: 'Starting', holds: (facts) => count(facts, 'initializing') > 0 },
  {
    state: 'throttled',
    text: 'Throttled',
    holds: (facts) => !isServing(facts) && facts.throttledReason !== undefined,
  },
  { state: 'waiting', text: 'Waiting', holds: ({ inQueue }) => inQueue > 0 },
  { state: 'ready', text: 'Ready', holds: isServing },
  { state: 'asleep', text: 'Asleep', holds: () => true },
] as const satisfies readonly StateRow[]

/** Most urgent first, to summarise several endpoints. Source: ours. */
export const STATES_BY_ATTENTION = [
  'crashing',
  'broken',
  'unhealthy',
  'throttled',
  'waiting',
  'starting',
  'running',
  'ready',
  'published',
  'asleep',
  'paused',
  'closed',
] as const satisfies readonly EndpointState[]

export function endpointStateOf(facts: EndpointFacts): EndpointState {
  return ENDPOINT_STATE_ROWS.find(({ holds }) => holds(facts))?.state ?? 'asleep'
}

export function endpointStateLabel(state: EndpointState): string {
  return ENDPOINT_STATE_ROWS.find((row) => row.state === state)?.text ?? state
}

export function brokenReason(
  { graph }: Pick<EndpointView, 'graph'>,
  endpointExists: (id: string) => boolean,
): string | undefined {
  return graph === undefined || endpointExists(graph.behind)
    ? undefined
    : `endpoint ${graph.behind} was deleted. Publish the graph again with another endpoint.`
}

/** Hides crashes once a worker serves, except those of batch workers that are still needed. */
export function shownCrash(state: EndpointState, crash: EndpointCrash | undefined): EndpointCrash | undefined {
  const isNeeded = crash?.pool === 'batch' && crash.nextTryAt !== undefined
  return state === 'crashing' || state === 'asleep' || isNeeded ? crash : undefined
}

/** Formats `7 times, next try in 12 s`, or without a next try `7 times, last 5 min ago`. */
export function crashSummary({ count: crashes, lastAt, nextTryAt }: EndpointCrash, now: number): string {
  const times = crashes === 1 ? 'once' : `${crashes} times`
  if (nextTryAt === undefined) return `${times}, ${crashes === 1 ? '' : 'last '}${ago(lastAt, now)}`
  return nextTryAt > now ? `${times}, next try in ${remainingSeconds(nextTryAt - now)}` : `${times}, trying again`
}

/**
 * `ready` equals `idle`. Source: docs/spec/job-api.md, 1.
 * @param workers stopping and ended ones are not counted
 * @param throttled wanted workers without a slot, from the last scaling decision
 */
export function healthCounts(
  workers: readonly { readonly state: WorkerState }[],
  throttled: number,
): HealthRecord['workers'] {
  const count = (state: WorkerState) => workers.filter((worker) => worker.state === state).length
  return {
    idle: count('idle'),
    running: count('running'),
    ready: count('idle'),
    initializing: count('initializing'),
    throttled,
    unhealthy: count('unhealthy'),
  }
}

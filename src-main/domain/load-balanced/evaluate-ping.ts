import type { WorkerState } from '../../contract/endpoint.ts'
import type { WorkerEvent } from '../worker/transitions.ts'

/** How a worker answered when it was asked for its health. `broken`: the connection ended without a response. */
export type PingResult =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'refused' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'broken'; readonly why: string }

/** What is known of the worker when the result is there. */
export type PingFacts = {
  readonly state: WorkerState
  readonly openRequests: number
  /** Path and port that were asked, for the message. */
  readonly path: string
  readonly port: number
  /** Whether it is a container, whose loopback is its own. */
  readonly inContainer: boolean
  /** How many results before this one, in a row, said nothing good. */
  readonly failures: number
}

/** The move to make, if any, what a person reads beside the state, and the failures in a row now. */
export type PingVerdict = {
  readonly event: Extract<WorkerEvent, 'ready' | 'recover' | 'markUnhealthy'> | undefined
  readonly reason: string | undefined
  readonly failures: number
  /** Whether its server is missing, and not only starting. */
  readonly nothingListens: boolean
}

/**
 * How often a starting worker may refuse the connection until that is called an error. Source: ours: 10 s at one ping
 * each 50 ms, in which a server imports what it needs before it listens.
 */
const REFUSED_TIMES = 200

/**
 * How often in a row a worker may give no response, ms apart as it is asked; source: ours: one busy moment is no
 * illness.
 */
const SILENT_TIMES = 3

/**
 * Judges a ping: 200 healthy, 204 starting, anything else unhealthy; source: docs/spec/job-api.md, 10. Before
 * the first 200 nothing is wrong yet, so the worker goes on starting, with the reason shown, until its time is over.
 * A worker at work that only gives no response is busy and not ill: many small servers do one thing at a time.
 * @param result how it answered
 * @param facts the worker when the result came
 */
export function evaluatePing(result: PingResult, facts: PingFacts): PingVerdict {
  const { state } = facts
  const starting = state === 'initializing'
  if (result.kind === 'status' && result.status === 200) {
    const event = starting ? 'ready' : state === 'unhealthy' ? 'recover' : undefined
    return { event, reason: undefined, failures: 0, nothingListens: false }
  }
  const failures = facts.failures + 1
  const nothingListens = result.kind === 'refused' && !(starting && facts.failures < REFUSED_TIMES)
  const reason = reasonOf(result, facts, nothingListens)
  if (starting) return { event: undefined, reason, failures, nothingListens }
  const certain = result.kind === 'status' || result.kind === 'refused'
  const busy = !certain && facts.openRequests > 0
  if (busy) return { event: undefined, reason: undefined, failures: 0, nothingListens }
  const ill = certain || failures >= SILENT_TIMES
  return { event: ill && state !== 'unhealthy' ? 'markUnhealthy' : undefined, reason, failures, nothingListens }
}

function reasonOf(result: PingResult, { path, port, state, inContainer }: PingFacts, nothingListens: boolean): string {
  if (result.kind === 'refused') {
    if (!nothingListens) return `its server is starting, on port ${port}`
    const hint = inContainer ? '; in a container it must listen on 0.0.0.0, as its 127.0.0.1 is its own' : ''
    const yet = state === 'initializing' ? ' yet' : ''
    return `nothing listens on its port ${port}${yet}${hint}`
  }
  if (result.kind === 'silent') return `GET ${path} gets no response`
  if (result.kind === 'broken') return `GET ${path} gets no response: ${result.why}`
  if (result.status === 204 && state === 'initializing') return `it reports that it is starting (GET ${path}: 204)`
  const needed = `: a load-balanced worker needs a route ${path} that answers 200`
  return `GET ${path} answers ${result.status}${result.status === 404 ? needed : ''}`
}

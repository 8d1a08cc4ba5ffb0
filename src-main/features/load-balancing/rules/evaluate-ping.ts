import type { WorkerState } from '../../../contract/endpoint.ts'
import type { WorkerEvent } from '../../workers/rules/transitions.ts'

/** Result of a health check. `broken`: the connection ended without a response. */
export type PingResult =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'refused' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'broken'; readonly why: string }

export type PingFacts = {
  readonly state: WorkerState
  readonly openRequests: number
  readonly path: string
  readonly port: number
  /** True for a container, whose loopback is its own. */
  readonly inContainer: boolean
  readonly failures: number
}

export type PingVerdict = {
  readonly event: Extract<WorkerEvent, 'ready' | 'recover' | 'markUnhealthy'> | undefined
  readonly reason: string | undefined
  readonly failures: number
  readonly nothingListens: boolean
}

/**
 * Refused connections of a starting worker before that counts as an error. Source: ours: 10 s at one ping each 50 ms,
 * enough for imports.
 */
const REFUSED_TIMES = 200

/** Consecutive pings without response. Source: ours; one busy moment is no failure. */
const SILENT_TIMES = 3

/**
 * 200 is healthy, 204 starting, else unhealthy. Before the first 200 it keeps starting; a busy worker without response
 * stays healthy. Source: docs/spec/job-api.md, 10.
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

/** Which endpoints the list shows and how they are grouped: parts of its address. */
import type { EndpointState, WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { counted } from '../../../src-main/domain/text.ts'
import { STATES_BY_ATTENTION } from '../../../src-main/domain/worker/endpoint-state.ts'
import { stateNow } from './endpoint-state.ts'

/** The kinds that endpoints are filtered by, with their words; one endpoint is of several. */
export const ENDPOINT_KINDS = [
  ['queue', 'Queue'],
  ['load-balanced', 'Load-balanced'],
  ['handler', 'Handler'],
  ['command', 'Command'],
  ['image', 'Image'],
  ['app', 'App'],
  ['graph', 'Published graph'],
] as const

type EndpointKind = (typeof ENDPOINT_KINDS)[number][0]

/** What the list shows. */
export type EndpointListFilter = {
  /** Part of an id, a name, an app or an environment, in any case. */
  readonly text: string
  readonly state: EndpointState | undefined
  readonly kind: EndpointKind | undefined
  /** Only those with queued jobs. */
  readonly isQueued: boolean
  /** Whether endpoints of one environment of an app stand together. */
  readonly isGrouped: boolean
}

/** Reads the filter from an address; what it does not know counts as not given. */
export function readEndpointFilter(search: URLSearchParams): EndpointListFilter {
  return {
    text: search.get('q') ?? '',
    state: STATES_BY_ATTENTION.find((state) => state === search.get('state')),
    kind: ENDPOINT_KINDS.find(([kind]) => kind === search.get('kind'))?.[0],
    isQueued: search.get('jobs') === 'queued',
    isGrouped: search.get('group') !== 'none',
  }
}

type Row = { readonly endpoint: LiveEndpoint; readonly workers: readonly WorkerView[] }

// States that block work, worst first.
const BLOCKED: readonly EndpointState[] = ['crashing', 'unhealthy', 'throttled', 'waiting']

// 0 for the most urgent.
function urgencyRank({ endpoint, workers }: Row): number {
  const rank = BLOCKED.indexOf(stateNow(endpoint, workers))
  return rank < 0 ? BLOCKED.length : rank
}

const isQueued = ({ endpoint }: Row) => endpoint.inQueue > 0
const isStuck = (row: Row) => isQueued(row) && urgencyRank(row) < BLOCKED.length

/** Endpoints or jobs that need attention, with the part of the address that filters the list by them. */
type AttentionPart = { readonly text: string; readonly part: { readonly state: string } | { readonly jobs: string } }

/**
 * Sums up blocked endpoints, like `2 crashing`, most urgent first. If they block jobs, all queued jobs follow, as many
 * as the status bar says: `6 jobs queued`.
 */
export function attentionOf(rows: readonly Row[]): readonly AttentionPart[] {
  const endpoints = BLOCKED.flatMap((state) => {
    if (state === 'waiting') return [] // its jobs tell more
    const count = rows.filter(({ endpoint, workers }) => stateNow(endpoint, workers) === state).length
    return count === 0 ? [] : [{ text: `${count} ${state}`, part: { state } }]
  })
  if (!rows.some(isStuck)) return endpoints
  const jobs = rows.reduce((sum, { endpoint }) => sum + endpoint.inQueue, 0)
  return [...endpoints, { text: `${counted(jobs, 'job')} queued`, part: { jobs: 'queued' } }]
}

/** The rows that a filter lets through: blocked ones first, within their groups where there are any. */
export function filterEndpoints<One extends Row>(rows: readonly One[], filter: EndpointListFilter): readonly One[] {
  const text = filter.text.toLowerCase()
  const found = rows.filter(
    ({ endpoint, workers }) =>
      `${endpoint.id} ${endpoint.name} ${endpoint.app?.name ?? ''} ${endpoint.app?.environment ?? ''}`
        .toLowerCase()
        .includes(text) &&
      (filter.state === undefined || stateNow(endpoint, workers) === filter.state) &&
      (filter.kind === undefined || kindsOf(endpoint).includes(filter.kind)),
  )
  const group = ({ endpoint }: One) =>
    !filter.isGrouped || endpoint.app === undefined ? '' : groupOfEndpoint(endpoint)
  return (filter.isQueued ? found.filter(isQueued) : found).toSorted(
    (one, other) => group(one).localeCompare(group(other), 'en') || urgencyRank(one) - urgencyRank(other),
  )
}

/** The group of an endpoint: its app with the environment. */
export function groupOfEndpoint({ app }: Pick<LiveEndpoint, 'app'>): string {
  return app === undefined ? 'Standalone' : `${app.name} · ${app.environment}`
}

function kindsOf({ graph, loadBalanced, handler, container, app }: LiveEndpoint): readonly EndpointKind[] {
  if (graph !== undefined) return ['queue', 'graph']
  const program = handler !== undefined ? 'handler' : container?.image !== undefined ? 'image' : 'command'
  return [loadBalanced === undefined ? 'queue' : 'load-balanced', app === undefined ? program : 'app']
}

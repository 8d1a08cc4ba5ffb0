import type { EndpointState, WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { STATES_BY_ATTENTION } from '../../../src-main/features/endpoints/rules/endpoint-state.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { stateNow } from './endpoint-state.ts'

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

export type EndpointListFilter = {
  readonly text: string
  readonly state: EndpointState | undefined
  readonly kind: EndpointKind | undefined
  readonly isQueued: boolean
  readonly isGrouped: boolean
}

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

const BLOCKED: readonly EndpointState[] = ['crashing', 'broken', 'unhealthy', 'throttled', 'waiting']

function urgencyRank({ endpoint, workers }: Row): number {
  const rank = BLOCKED.indexOf(stateNow(endpoint, workers))
  return rank < 0 ? BLOCKED.length : rank
}

const isQueued = ({ endpoint }: Row) => endpoint.inQueue > 0
const isStuck = (row: Row) => isQueued(row) && urgencyRank(row) < BLOCKED.length

type AttentionPart = { readonly text: string; readonly part: { readonly state: string } | { readonly jobs: string } }

/** Blocked endpoints like `2 crashing`, most urgent first, then all queued jobs if blocked: `6 jobs queued`. */
export function attentionOf(rows: readonly Row[]): readonly AttentionPart[] {
  const endpoints = BLOCKED.flatMap((state) => {
    if (state === 'waiting') return []
    const count = rows.filter(({ endpoint, workers }) => stateNow(endpoint, workers) === state).length
    return count === 0 ? [] : [{ text: `${count} ${state}`, part: { state } }]
  })
  if (!rows.some(isStuck)) return endpoints
  const jobs = rows.reduce((sum, { endpoint }) => sum + endpoint.inQueue, 0)
  return [...endpoints, { text: `${counted(jobs, 'job')} queued`, part: { jobs: 'queued' } }]
}

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

export function groupOfEndpoint({ app }: Pick<LiveEndpoint, 'app'>): string {
  return app === undefined ? 'Standalone' : `${app.name} · ${app.environment}`
}

function kindsOf({ graph, loadBalanced, handler, container, app }: LiveEndpoint): readonly EndpointKind[] {
  if (graph !== undefined) return ['queue', 'graph']
  const program = handler !== undefined ? 'handler' : container?.image !== undefined ? 'image' : 'command'
  return [loadBalanced === undefined ? 'queue' : 'load-balanced', app === undefined ? program : 'app']
}

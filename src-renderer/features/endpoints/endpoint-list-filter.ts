/** Which endpoints the list shows and how they are grouped: parts of its address. */
import type { EndpointState, WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
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
  /** Whether endpoints of one environment of an app stand together. */
  readonly isGrouped: boolean
}

/** Reads the filter from an address; what it does not know counts as not given. */
export function readEndpointFilter(search: URLSearchParams): EndpointListFilter {
  return {
    text: search.get('q') ?? '',
    state: STATES_BY_ATTENTION.find((state) => state === search.get('state')),
    kind: ENDPOINT_KINDS.find(([kind]) => kind === search.get('kind'))?.[0],
    isGrouped: search.get('group') !== 'none',
  }
}

type Row = { readonly endpoint: LiveEndpoint; readonly workers: readonly WorkerView[] }

/** The rows that a filter lets through, in the order of their groups where there are any. */
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
  if (!filter.isGrouped) return found
  const group = ({ endpoint }: One) => (endpoint.app === undefined ? '' : groupOfEndpoint(endpoint))
  // Those of no app last: they have nothing in common.
  return found.toSorted((one, other) => {
    const [a, b] = [group(one), group(other)]
    return a === '' || b === '' ? Number(a === '') - Number(b === '') : a.localeCompare(b, 'en')
  })
}

/** The group of an endpoint: its app with the environment. */
export function groupOfEndpoint({ app }: Pick<LiveEndpoint, 'app'>): string {
  return app === undefined ? 'No app' : `${app.name} · ${app.environment}`
}

function kindsOf({ graph, loadBalanced, handler, container, app }: LiveEndpoint): readonly EndpointKind[] {
  if (graph !== undefined) return ['queue', 'graph']
  const program = handler !== undefined ? 'handler' : container?.image !== undefined ? 'image' : 'command'
  return [loadBalanced === undefined ? 'queue' : 'load-balanced', app === undefined ? program : 'app']
}

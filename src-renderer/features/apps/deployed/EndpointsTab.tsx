import { Boxes, Rocket, Send } from 'lucide-react'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import type { DeployedEndpoint, EnvironmentDetail } from '../../../../src-main/contract/app.ts'
import type { WorkerView } from '../../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { ADDRESS } from '../../../addresses.ts'
import type { AppTarget } from '../../../api-client/app-queries.ts'
import { useAppState } from '../../../store/app-context.ts'
import { CopyButton } from '../../../ui/Button.tsx'
import { IconName, TextLink } from '../../../ui/Links.tsx'
import { EmptyState } from '../../../ui/PageStates.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { type Column, Table } from '../../../ui/table/Table.tsx'
import { useAddressSort } from '../../../ui/use-address.ts'
import { CutAddress, Nothing } from '../../../ui/Values.tsx'
import { WorkerCount } from '../../endpoints/EndpointColumns.tsx'
import { endpointState } from '../../endpoints/endpoint-state.ts'
import { routesText } from '../EndpointAddresses.tsx'

export type EndpointsTabProps = { readonly detail: EnvironmentDetail; readonly target: AppTarget }

type Row = {
  readonly endpoint: DeployedEndpoint
  readonly live: LiveEndpoint | undefined
  readonly workers: readonly WorkerView[]
}

export function EndpointsTab({ detail, target }: EndpointsTabProps) {
  const [, go] = useLocation()
  const [sort, setSort] = useAddressSort()
  const rows = useRows(detail.endpoints)
  if (rows.length === 0) return <NothingDeployed detail={detail} target={target} />
  return (
    <Table
      label="Endpoints"
      columns={COLUMNS}
      rows={rows}
      rowId={({ endpoint }) => endpoint.id}
      onOpen={({ endpoint }) => go(ADDRESS.endpoint(endpoint.id))}
      sort={sort}
      onSort={setSort}
      className="max-h-full rounded-control border border-line bg-surface-1"
    />
  )
}

function useRows(endpoints: readonly DeployedEndpoint[]): readonly Row[] {
  const live = useAppState((state) => state.live.endpoints)
  const workers = useAppState((state) => state.live.workers)
  return useMemo(() => {
    const workersOf = Object.groupBy(Object.values(workers), ({ endpointId }) => endpointId)
    return endpoints.map((endpoint) => ({
      endpoint,
      live: live[endpoint.id],
      workers: workersOf[endpoint.id] ?? [],
    }))
  }, [endpoints, live, workers])
}

function NothingDeployed({ detail, target: { app, environment } }: EndpointsTabProps) {
  const releases = ADDRESS.environment(app, environment, 'releases')
  const preparing = detail.releases.find(({ state }) => state === 'preparing')
  const last = detail.releases[0]
  if (preparing !== undefined)
    return (
      <EmptyState icon={<Rocket />} action={<ReleasesLink to={`${releases}?release=${preparing.number}`} />}>
        Release {preparing.number} is being prepared. Its endpoints go live when all of them are ready.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={<Rocket />}
      command={`drydock deploy --env ${environment}`}
      action={last && <ReleasesLink to={releases} />}
    >
      {last === undefined
        ? 'Nothing is deployed here yet. Run this in the folder of the app, or deploy it from its project:'
        : `No endpoint is live here; the last release (${last.number}) ${last.state === 'failed' ? 'failed' : 'was removed'}. Deploy again, or roll back to a release:`}
    </EmptyState>
  )
}

function ReleasesLink({ to }: { readonly to: string }) {
  return <TextLink to={to}>See releases</TextLink>
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 172,
    grow: 1,
    sortBy: ({ endpoint }) => endpoint.resource,
    cell: ({ endpoint }) => (
      <IconName icon={Boxes} to={ADDRESS.endpoint(endpoint.id)}>
        {endpoint.resource}
      </IconName>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: 100,
    cell: ({ live, workers }) => (live === undefined ? <Nothing /> : <StateDot {...endpointState(live, workers)} />),
  },
  {
    id: 'workers',
    header: 'Workers',
    width: 80,
    align: 'right',
    cell: ({ live, workers }) => (live === undefined ? <Nothing /> : <WorkerCount workers={workers} endpoint={live} />),
  },
  {
    id: 'address',
    header: 'Address',
    width: 240,
    grow: 2,
    cell: ({ endpoint }) => (
      <span className="flex items-center gap-1">
        <CutAddress url={endpoint.url} />
        <CopyButton text={endpoint.url} what={`address of ${endpoint.resource}`} />
      </span>
    ),
  },
  {
    id: 'answers',
    header: 'Answers',
    width: 118,
    grow: 2,
    cell: ({ endpoint }) => (
      <span className="text-ink-2" title={routesText(endpoint)}>
        {routesText(endpoint)}
      </span>
    ),
  },
  {
    id: 'send',
    header: 'Try',
    width: 130,
    cell: ({ endpoint }) => (
      <TextLink to={ADDRESS.endpoint(endpoint.id, 'requests')} className="inline-flex items-center gap-1.5 align-top">
        <Send aria-hidden className="size-4" /> Send request
      </TextLink>
    ),
  },
]

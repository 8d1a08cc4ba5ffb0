import { useQuery } from '@tanstack/react-query'
import { Share2 } from 'lucide-react'
import { Link, Route, Switch, useLocation } from 'wouter'
import type { PublishedGraph } from '../../../src-main/contract/published.ts'
import { endpointStateLabel } from '../../../src-main/features/endpoints/rules/endpoint-state.ts'
import { ADDRESS } from '../../addresses.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, QueryState } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/Table.tsx'
import { PublishedPage } from './PublishedPage.tsx'
import { SectionTabs } from './SectionTabs.tsx'

export function PublishedPages() {
  return (
    <Switch>
      <Route path={ADDRESS.publishedGraphs}>
        <PublishedListPage />
      </Route>
      <Route path={`${ADDRESS.publishedGraphs}/:graphId`}>
        {({ graphId }) => <PublishedPage graphId={decodeURIComponent(graphId)} />}
      </Route>
    </Switch>
  )
}

const CRUMBS = [{ name: 'Workflows', to: ADDRESS.workflows }, { name: 'Published graphs' }]

const COLUMNS: readonly Column<PublishedGraph>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 160,
    grow: 2,
    cell: ({ id, name }) => (
      <Link to={ADDRESS.publishedGraph(id)} className="font-medium hover:underline">
        {name}
      </Link>
    ),
  },
  { id: 'id', header: 'Id', width: 120, grow: 1, cell: ({ id }) => <code className="font-mono text-small">{id}</code> },
  {
    id: 'behind',
    header: 'Runs on',
    width: 120,
    grow: 1,
    cell: (graph) => <RunsOn {...graph} />,
  },
  { id: 'version', header: 'Version', width: 90, cell: ({ version, versions }) => `${version} of ${versions.length}` },
  {
    id: 'parameters',
    header: 'Parameters',
    width: 160,
    grow: 3,
    cell: ({ parameters }) => parameters.map(({ name }) => name).join(', ') || 'none',
  },
]

function RunsOn({ id, behind }: PublishedGraph) {
  const brokenReason = useAppState(({ live }) => live.endpoints[id]?.brokenReason)
  if (brokenReason === undefined)
    return (
      <Link to={ADDRESS.endpoint(behind)} className="hover:underline">
        {behind}
      </Link>
    )
  return (
    <Tooltip text={`Broken: ${brokenReason}`}>
      <span className="flex min-w-0">
        <StateDot tone="failed" text={endpointStateLabel('broken')} detail={brokenReason} />
      </span>
    </Tooltip>
  )
}

function PublishedListPage() {
  const { client } = useApp()
  const [, go] = useLocation()
  const { data, error, refetch } = useQuery({
    queryKey: ['published'],
    queryFn: ({ signal }) => client.call('publishedList', { signal }),
  })
  return (
    <Page crumbs={CRUMBS} tabs={<SectionTabs current="published" />}>
      <QueryState data={data} error={error} rows={4} onRetry={refetch} />
      {data?.graphs.length === 0 && (
        <EmptyState
          icon={<Share2 />}
          command="drydock workflow publish FILE --endpoint sketch --expose 6.text=prompt"
          action={<Button onClick={() => go(ADDRESS.workflows)}>Open a workflow</Button>}
        >
          No graphs are published yet. Open one, choose its inputs, and publish it as an endpoint.
        </EmptyState>
      )}
      {data !== undefined && data.graphs.length > 0 && (
        <Table
          label="Published graphs"
          columns={COLUMNS}
          rows={data.graphs}
          rowId={({ id }) => id}
          onOpen={({ id }) => go(ADDRESS.publishedGraph(id))}
          className="rounded-control border border-line bg-surface-1"
        />
      )}
    </Page>
  )
}

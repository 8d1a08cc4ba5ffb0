import { useInfiniteQuery } from '@tanstack/react-query'
import { Grid3x3 } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import type { SweepView } from '../../../src-main/contract/workflows.ts'
import { ADDRESS } from '../../addresses.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, QueryState } from '../../ui/PageStates.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/Table.tsx'
import { RelativeTime } from '../../ui/Values.tsx'
import { RunMedia } from '../workflow-editor/run/RunMedia.tsx'
import { SectionTabs } from './SectionTabs.tsx'

const CRUMBS = [{ name: 'Workflows', to: ADDRESS.workflows }, { name: 'Sweeps' }]

const COLUMNS: readonly Column<SweepView>[] = [
  {
    id: 'result',
    header: '',
    width: 48,
    cell: ({ result, title }) =>
      result !== undefined && (
        <RunMedia result={result} name={`Newest result of ${title}`} isThumbnail className="size-7" />
      ),
  },
  {
    id: 'title',
    header: 'Workflow',
    width: 160,
    grow: 2,
    cell: ({ id, title }) => (
      <Link to={ADDRESS.sweep(id)} className="font-medium hover:underline">
        {title}
      </Link>
    ),
  },
  { id: 'axes', header: 'Over', width: 140, grow: 2, cell: ({ axes }) => axes.join(', ') },
  { id: 'runs', header: 'Runs', width: 150, grow: 1, cell: progress },
  { id: 'endpoint', header: 'Endpoint', width: 120, grow: 1, cell: ({ endpointId }) => endpointId },
  { id: 'createdAt', header: 'Started', width: 110, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]

function progress({ runs, ended, completed }: SweepView): string {
  if (ended < runs) return `${ended} of ${runs} ended`
  return completed === runs ? `${runs} completed` : `${completed} of ${runs} completed`
}

export function SweepListPage() {
  const { client } = useApp()
  const [, go] = useLocation()
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['sweeps'],
    queryFn: ({ pageParam, signal }) => client.call('sweepList', { query: { before: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ sweeps, more }) => (more ? sweeps.at(-1)?.id : undefined),
  })
  const sweeps = data?.pages.flatMap((page) => page.sweeps) ?? []
  return (
    <Page crumbs={CRUMBS} tabs={<SectionTabs current="sweeps" />}>
      <QueryState data={data} error={error} rows={4} onRetry={refetch} />
      {data !== undefined && sweeps.length === 0 && (
        <EmptyState
          icon={<Grid3x3 />}
          command="drydock workflow sweep graph.json --endpoint sketch --over 3.seed=1..4 --over 3.cfg=4,7,10"
          action={<Button onClick={() => go(ADDRESS.workflows)}>Open a workflow</Button>}
        >
          No sweeps were run in the last 30 days. Open a workflow and choose Sweep: it runs over lists and ranges of
          values, and one sheet shows all results.
        </EmptyState>
      )}
      {sweeps.length > 0 && (
        <Table
          label="Sweeps"
          columns={COLUMNS}
          rows={sweeps}
          rowId={({ id }) => id}
          onOpen={({ id }) => go(ADDRESS.sweep(id))}
          className="rounded-control border border-line bg-surface-1"
        />
      )}
      {hasNextPage && (
        <Button className="self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older ones
        </Button>
      )}
    </Page>
  )
}

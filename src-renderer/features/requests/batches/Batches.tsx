import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useCallback, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import type { BatchView } from '../../../../src-main/contract/job-routes.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { endedIn, failedIn } from '../../../../src-main/features/batches/rules/counts.ts'
import { useApp } from '../../../store/app-context.ts'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState, QueryState } from '../../../ui/PageStates.tsx'
import { StateDot, type StateDotProps } from '../../../ui/StateDot.tsx'
import type { Column } from '../../../ui/table/column.ts'
import { Table } from '../../../ui/table/Table.tsx'
import { RelativeTime } from '../../../ui/Values.tsx'
import { batchesQuery } from '../request-queries.ts'
import { ShownBatch } from './ShownBatch.tsx'
import { SubmitBatch } from './SubmitBatch.tsx'

const STATES: Readonly<Record<BatchView['state'], StateDotProps>> = {
  uploading: { tone: 'queued', text: 'Inputs missing' },
  running: { tone: 'running', text: 'Running' },
  ended: { tone: 'completed', text: 'Ended' },
  cancelled: { tone: 'cancelled', text: 'Cancelled' },
}
function batchState(batch: BatchView): StateDotProps {
  const hasFailed = batch.state === 'ended' && failedIn(batch) > 0
  return hasFailed ? { tone: 'failed', text: 'Ended with failures' } : STATES[batch.state]
}

export function Batches({ endpoint, choice }: { readonly endpoint: LiveEndpoint; readonly choice: ReactNode }) {
  const { client } = useApp()
  const [search, setSearch] = useSearchParams()
  const { data, error } = useQuery(batchesQuery(client, endpoint.id))
  const batches = data?.batches ?? []
  const shown = batches.find(({ id }) => id === search.get('batch')) ?? batches[0]
  const show = useCallback((id: string) => setSearch({ view: 'batches', batch: id }), [setSearch])
  const columns = useMemo(() => columnsOf(shown?.id), [shown?.id])
  return (
    <>
      <div>{choice}</div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(300px,2fr)_3fr]">
        <SubmitBatch endpointId={endpoint.id} onBegun={show} />
        <QueryState data={data} error={error} rows={6} />
        {data !== undefined && shown === undefined && (
          <div className="rounded-control border border-line border-dashed">
            <EmptyState command={`drydock batch submit ${endpoint.id} inputs.jsonl`}>
              There are no batches of this endpoint yet. A batch is a file of inputs: each becomes a job, and they are
              counted, retried and exported together.
            </EmptyState>
          </div>
        )}
        {shown !== undefined && <ShownBatch key={shown.id} batch={shown} />}
      </div>
      {batches.length > 0 && (
        <Card title="Batches">
          <Table label="Batches" columns={columns} rows={batches} onOpen={({ id }) => show(id)} className="max-h-96" />
        </Card>
      )}
    </>
  )
}

const columnsOf = (shownId: string | undefined): readonly Column<BatchView>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 160,
    grow: 1,
    cell: ({ id, name }) => <span className={id === shownId ? 'font-medium' : ''}>{name}</span>,
  },
  { id: 'state', header: 'State', width: 168, cell: (one) => <StateDot {...batchState(one)} /> },
  {
    id: 'ended',
    header: 'Ended',
    width: 140,
    align: 'right',
    cell: (one) => `${endedIn(one).toLocaleString('en')} of ${one.total.toLocaleString('en')}`,
  },
  { id: 'failed', header: 'Failed', width: 90, align: 'right', cell: (one) => failedIn(one).toLocaleString('en') },
  { id: 'created', header: 'Created', width: 120, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]

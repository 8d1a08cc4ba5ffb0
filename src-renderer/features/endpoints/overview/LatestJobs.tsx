import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import type { JobListItem } from '../../../../src-main/contract/job.ts'
import { ADDRESS } from '../../../addresses.ts'
import { latestJobsQuery } from '../../../api-client/queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { JobErrorCell } from '../../../ui/job-error/JobErrorCell.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import type { Column } from '../../../ui/table/column.ts'
import { Table } from '../../../ui/table/Table.tsx'
import { Duration, Nothing, RelativeTime } from '../../../ui/Values.tsx'

const LATEST = 10

const COLUMNS: readonly Column<JobListItem>[] = [
  { id: 'state', header: 'State', width: 110, cell: ({ status }) => <JobStateDot state={status} /> },
  {
    id: 'job',
    header: 'Job',
    width: 150,
    grow: 2,
    cell: ({ id }) => (
      <Link to={ADDRESS.job(id)} className="font-mono text-small hover:underline">
        {id}
      </Link>
    ),
  },
  { id: 'when', header: 'Created', width: 110, grow: 1, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  {
    id: 'waited',
    header: 'Waited',
    width: 90,
    align: 'right',
    cell: ({ delayTime }) => <Duration ms={delayTime} />,
  },
  {
    id: 'ran',
    header: 'Ran',
    width: 90,
    align: 'right',
    cell: ({ executionTime }) => <Duration ms={executionTime} />,
  },
  {
    id: 'error',
    header: 'Error',
    width: 160,
    grow: 3,
    cell: ({ error }) => <JobErrorCell error={error} />,
  },
  {
    id: 'worker',
    header: 'Worker',
    width: 140,
    cell: ({ workerId }) =>
      workerId === undefined ? <Nothing /> : <span className="font-mono text-small text-ink-2">{workerId}</span>,
  },
]

const idOf = ({ id }: JobListItem) => id

/** The newest jobs of an endpoint. */
export function LatestJobs({ endpointId }: { readonly endpointId: string }) {
  const { client } = useApp()
  const [, go] = useLocation()
  const { data, error } = useQuery(latestJobsQuery(client, endpointId, LATEST))
  const jobs = data?.requests
  return (
    <Card
      title="Latest jobs"
      aside={
        <Link to={ADDRESS.endpoint(endpointId, 'jobs')} className="text-small text-accent hover:underline">
          All jobs
        </Link>
      }
    >
      {error !== null && <ErrorNotice error={error} />}
      {jobs === undefined && error === null && <SkeletonRows rows={4} />}
      {jobs?.length === 0 && (
        <EmptyState command={`drydock runsync ${endpointId} '{}'`}>
          There is no job here yet, or its time in the history is over. This sends one:
        </EmptyState>
      )}
      {jobs !== undefined && jobs.length > 0 && (
        <Table
          label="Latest jobs"
          columns={COLUMNS}
          rows={jobs}
          rowId={idOf}
          onOpen={({ id }) => go(ADDRESS.job(id))}
        />
      )}
    </Card>
  )
}

import { useQuery } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { JobListItem } from '../../../../src-main/contract/job.ts'
import { ADDRESS } from '../../../addresses.ts'
import { latestJobsQuery } from '../../../api-client/queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState, ErrorNotice, SkeletonRows } from '../../../ui/PageStates.tsx'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import type { Column } from '../../../ui/table/column.ts'
import { Table } from '../../../ui/table/Table.tsx'
import { Duration, RelativeTime } from '../../../ui/Values.tsx'
import { HISTORY_LENGTH } from './responses.ts'

/** The jobs that an endpoint got. */
export type JobHistoryProps = { readonly endpointId: string; readonly onLoad: (jobId: string) => void }

const idOf = ({ id }: JobListItem) => id

/** The newest jobs of an endpoint, whoever sent them; a press puts the input of one into the editor. */
export function JobHistory({ endpointId, onLoad }: JobHistoryProps) {
  const { client } = useApp()
  const { data, error } = useQuery(latestJobsQuery(client, endpointId, HISTORY_LENGTH))
  const columns = useMemo(() => columnsOf(onLoad), [onLoad])
  return (
    <Card
      title="History"
      aside={
        <Link to={ADDRESS.endpoint(endpointId, 'jobs')} className="text-accent hover:underline">
          All jobs
        </Link>
      }
    >
      {error !== null && <ErrorNotice error={error} />}
      {data === undefined && error === null && <SkeletonRows rows={4} />}
      {data?.requests.length === 0 && <EmptyState>Nothing has been sent to this endpoint yet.</EmptyState>}
      {data !== undefined && data.requests.length > 0 && (
        <Table
          label="History of requests"
          columns={columns}
          rows={data.requests}
          rowId={idOf}
          onOpen={({ id }) => onLoad(id)}
          className="max-h-96"
        />
      )}
    </Card>
  )
}

const columnsOf = (onLoad: (jobId: string) => void): readonly Column<JobListItem>[] => [
  { id: 'state', header: 'State', width: 110, cell: ({ status }) => <JobStateDot state={status} /> },
  {
    id: 'job',
    header: 'Job',
    width: 120,
    grow: 1,
    cell: ({ id }) => (
      <Link to={ADDRESS.job(id)} className="font-mono text-small hover:underline">
        {id}
      </Link>
    ),
  },
  { id: 'when', header: 'Sent', width: 116, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  { id: 'ran', header: 'Ran', width: 80, align: 'right', cell: ({ executionTime }) => <Duration ms={executionTime} /> },
  {
    id: 'load',
    header: '',
    width: 48,
    cell: ({ id }) => (
      <IconButton label="Put its input into the editor" onClick={() => onLoad(id)}>
        <RotateCcw />
      </IconButton>
    ),
  },
]

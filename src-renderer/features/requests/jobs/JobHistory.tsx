import { useQuery } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useMemo } from 'react'
import type { JobListItem } from '../../../../src-main/contract/job.ts'
import { ADDRESS } from '../../../addresses.ts'
import { latestJobsQuery } from '../../../api-client/queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { JOB_COLUMNS, NowForCells } from '../../../ui/jobs/JobColumns.tsx'
import { useJobKeys } from '../../../ui/jobs/JobKeys.tsx'
import { TextLink } from '../../../ui/Links.tsx'
import { EmptyState, QueryState } from '../../../ui/PageStates.tsx'
import type { Column } from '../../../ui/table/column.ts'
import { Table } from '../../../ui/table/Table.tsx'
import { HISTORY_LENGTH } from './responses.ts'

export type JobHistoryProps = { readonly endpointId: string; readonly onLoad: (jobId: string) => void }

export function JobHistory({ endpointId, onLoad }: JobHistoryProps) {
  const { client } = useApp()
  const { data, error } = useQuery(latestJobsQuery(client, endpointId, HISTORY_LENGTH))
  const { onRerun, onCancel, question } = useJobKeys()
  const columns = useMemo(() => columnsOf(onLoad), [onLoad])
  return (
    <Card title="History" aside={<TextLink to={ADDRESS.endpoint(endpointId, 'jobs')}>All jobs</TextLink>}>
      <QueryState data={data} error={error} rows={4} />
      {data?.requests.length === 0 && <EmptyState>Nothing has been sent to this endpoint yet.</EmptyState>}
      {data !== undefined && data.requests.length > 0 && (
        <NowForCells>
          <Table
            label="History of requests"
            columns={columns}
            rows={data.requests}
            onOpen={({ id }) => onLoad(id)}
            onRerun={onRerun}
            onCancel={onCancel}
            className="max-h-96"
          />
          {question}
        </NowForCells>
      )}
    </Card>
  )
}

const SHOWN = new Set(['state', 'job', 'input', 'result', 'created', 'ran'])

const columnsOf = (onLoad: (jobId: string) => void): readonly Column<JobListItem>[] => [
  // The pane next to the form is narrow.
  ...JOB_COLUMNS.filter(({ id }) => SHOWN.has(id)).map((column) =>
    column.id === 'input' ? { ...column, width: 82 } : column,
  ),
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

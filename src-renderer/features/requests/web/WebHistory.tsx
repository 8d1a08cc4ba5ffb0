import { useQuery } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import type { ProxiedRequest } from '../../../../src-main/contract/management.ts'
import { useApp } from '../../../store/app-context.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState, QueryState } from '../../../ui/PageStates.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import type { Column } from '../../../ui/table/column.ts'
import { Table } from '../../../ui/table/Table.tsx'
import { RelativeTime, SHORT_SPAN_PX, ShortDuration } from '../../../ui/Values.tsx'
import { webRequestsQuery } from '../request-queries.ts'
import { METHODS, type WebDraft } from './web-draft.ts'

export type WebHistoryProps = {
  readonly endpointId: string
  readonly endedAt: number | undefined
  readonly onLoad: (request: Partial<WebDraft>) => void
}

// The service logs requests with a delay, longer under load.
const LOGGED_AFTER_MS = [400, 2000, 6000] as const

export function WebHistory({ endpointId, endedAt, onLoad }: WebHistoryProps) {
  const { client, platform } = useApp()
  const { data, error, refetch } = useQuery(webRequestsQuery(client, endpointId))
  const columns = useMemo(() => columnsOf(onLoad), [onLoad])
  useEffect(() => {
    if (endedAt === undefined) return undefined
    const timers = LOGGED_AFTER_MS.map((ms) => platform.after(ms, () => void refetch()))
    return () => {
      for (const cancel of timers) cancel()
    }
  }, [platform, endedAt, refetch])
  return (
    <Card title="History">
      <QueryState data={data} error={error} rows={4} />
      {data?.requests.length === 0 && <EmptyState>Nothing has been sent to this endpoint yet.</EmptyState>}
      {data !== undefined && data.requests.length > 0 && (
        <Table
          label="History of requests"
          columns={columns}
          rows={data.requests}
          onOpen={(request) => onLoad(draftOf(request))}
          className="max-h-96"
        />
      )}
    </Card>
  )
}

const draftOf = ({ method, path }: ProxiedRequest): Partial<WebDraft> => ({
  path,
  method: METHODS.find((one) => one === method) ?? 'GET',
})

const toneOf = (status = 0) => (status === 0 || status >= 500 ? 'failed' : status >= 400 ? 'timed-out' : 'completed')

const columnsOf = (onLoad: WebHistoryProps['onLoad']): readonly Column<ProxiedRequest>[] => [
  {
    id: 'status',
    header: 'Status',
    width: 100,
    cell: ({ status }) => (
      <StateDot tone={toneOf(status)} text={status === undefined ? 'No response' : String(status)} />
    ),
  },
  {
    id: 'path',
    header: 'Request',
    width: 140,
    grow: 1,
    cell: ({ method, path, error }) => (
      <span className="font-mono text-small" title={error}>
        {method} {path}
      </span>
    ),
  },
  { id: 'when', header: 'Sent', width: 116, cell: ({ at }) => <RelativeTime at={at} /> },
  {
    id: 'took',
    header: 'Took',
    width: SHORT_SPAN_PX,
    align: 'right',
    cell: ({ durationMs }) => <ShortDuration ms={durationMs} />,
  },
  {
    id: 'load',
    header: '',
    width: 48,
    cell: (request) => (
      <IconButton label="Put it into the form" onClick={() => onLoad(draftOf(request))}>
        <RotateCcw />
      </IconButton>
    ),
  },
]

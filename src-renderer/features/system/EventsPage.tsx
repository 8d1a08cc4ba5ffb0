import { useInfiniteQuery } from '@tanstack/react-query'
import { Activity } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { useShallow } from 'zustand/react/shallow'
import type { FleetEvent } from '../../../src-main/contract/fleet-events.ts'
import { ADDRESS } from '../../addresses.ts'
import { fleetEventsQuery } from '../../api-client/system-queries.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Select } from '../../ui/form/Select.tsx'
import { IdLink, NameLink } from '../../ui/Links.tsx'
import { EmptyState, QueryState, useAsCalled } from '../../ui/PageStates.tsx'
import { StateDot, type StateDotProps } from '../../ui/StateDot.tsx'
import { SegmentedChoice } from '../../ui/Tabs.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { type Column, Table } from '../../ui/table/Table.tsx'
import { useSearchParts } from '../../ui/use-address.ts'
import { ClockTime, Nothing } from '../../ui/Values.tsx'
import { SystemPage } from './SystemPage.tsx'

export function EventsPage() {
  const { client } = useApp()
  const [, go] = useLocation()
  const [search, setParts] = useSearchParts()
  const choice = EVENT_CHOICES.find((one) => one === search.get('kind')) ?? 'all'
  const endpoint = search.get('endpoint') ?? undefined
  const isNarrowed = choice !== 'all' || endpoint !== undefined
  const lastEvent = useAppState(
    ({ live }) => live.recent.findLast(({ event }) => event.type !== 'job' && event.type !== 'run')?.id ?? 0,
  )
  const { shown, isBehind, showNow, hold } = useHeldBack(lastEvent)
  const query = useInfiniteQuery(fleetEventsQuery(client, { kinds: KINDS_OF[choice], endpoint }, shown))
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query
  const rows = useMemo(() => data?.pages.flatMap(({ events }) => events) ?? [], [data])
  return (
    <SystemPage
      tab="events"
      fills
      actions={
        <>
          {isBehind && <Button onClick={showNow}>Show new ones</Button>}
          <EndpointFilter value={endpoint} onChange={(value) => setParts({ endpoint: value })} />
        </>
      }
    >
      <div className="overflow-x-auto">
        <SegmentedChoice
          label="Kind of event"
          choices={EVENT_CHOICES}
          value={choice}
          onChange={(kind) => setParts({ kind: kind === 'all' ? undefined : kind })}
        />
      </div>
      <QueryState data={data} error={error} rows={10} onRetry={refetch} />
      {data !== undefined && rows.length === 0 && (
        <EmptyState
          icon={<Activity />}
          action={
            isNarrowed && (
              <Button onClick={() => setParts({ kind: undefined, endpoint: undefined }, { replace: false })}>
                Show all events
              </Button>
            )
          }
        >
          {isNarrowed
            ? 'There are no events of this kind. Events are stored as long as log lines.'
            : 'There are no events yet. New endpoints, starts and stops of workers, and crashes appear here.'}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <div {...hold} className="flex min-h-0 flex-1 flex-col">
          <Table
            label="Events"
            columns={EVENT_COLUMNS}
            rows={rows}
            onOpen={(event) => go(pageOf(event))}
            className="max-h-full rounded-control border border-line bg-surface-1"
          />
          {hasNextPage && (
            <Button
              kind="quiet"
              className="mt-2 self-center"
              disabled={isFetchingNextPage}
              onClick={() => void fetchNextPage()}
            >
              {isFetchingNextPage ? 'Reading' : 'Show older ones'}
            </Button>
          )}
        </div>
      )}
    </SystemPage>
  )
}

const pageOf = ({ endpointId, workerId, kind }: FleetEvent) =>
  workerId !== undefined && kind !== 'crash' ? ADDRESS.worker(workerId) : ADDRESS.endpoint(endpointId)

type EndpointFilterProps = { readonly value: string | undefined; readonly onChange: (endpointId: string) => void }

function EndpointFilter({ value, onChange }: EndpointFilterProps) {
  const known = useAppState(useShallow(({ live }) => Object.keys(live.endpoints)))
  // Deleted endpoints still have events, so their ids remain choices.
  const ids = value === undefined || known.includes(value) ? known : [value, ...known]
  const choices = ids.map((id) => ({ value: id, label: id }))
  return <Select aria-label="Endpoint" none="All endpoints" choices={choices} value={value ?? ''} onChange={onChange} />
}

/** Holds new rows back while the pointer or focus is on the list. */
function useHeldBack(newest: number) {
  const [heldAt, setHeldAt] = useState<number>()
  const hold = () => setHeldAt((held) => held ?? newest)
  const release = () => setHeldAt(undefined)
  const shown = heldAt ?? newest
  return {
    shown,
    isBehind: shown < newest,
    showNow: () => setHeldAt(newest),
    hold: { onPointerEnter: hold, onPointerLeave: release, onFocus: hold, onBlur: release },
  }
}

const EVENT_COLUMNS: readonly Column<FleetEvent>[] = [
  { id: 'at', header: 'When', width: 150, cell: ({ at }) => <ClockTime at={at} /> },
  { id: 'what', header: 'What', width: 130, cell: (event) => <StateDot {...eventDot(event)} /> },
  {
    id: 'endpoint',
    header: 'Endpoint',
    width: 130,
    grow: 1,
    cell: ({ endpointId }) => <NameLink to={ADDRESS.endpoint(endpointId)}>{endpointId}</NameLink>,
  },
  {
    id: 'worker',
    header: 'Worker',
    width: 140,
    cell: ({ workerId }) =>
      workerId === undefined ? <Nothing /> : <IdLink to={ADDRESS.worker(workerId)}>{workerId}</IdLink>,
  },
  { id: 'reason', header: 'Why', width: 200, grow: 4, cell: ({ reason }) => <Reason reason={reason} /> },
]

function Reason({ reason }: Pick<FleetEvent, 'reason'>) {
  const asCalled = useAsCalled()
  if (reason === undefined) return <Nothing />
  const text = asCalled(reason)
  return (
    <Tooltip text={text}>
      <span>{text}</span>
    </Tooltip>
  )
}

const EVENT_CHOICES = ['all', 'crashes', 'scaling', 'endpoints', 'releases', 'moves'] as const

/** Event kinds of a choice; undefined means all except plain transitions. */
const KINDS_OF: Readonly<Record<(typeof EVENT_CHOICES)[number], FleetEvent['kind'] | undefined>> = {
  all: undefined,
  crashes: 'crash',
  scaling: 'scale',
  endpoints: 'endpoint',
  releases: 'release',
  moves: 'worker',
}

function eventDot({ kind, event }: Pick<FleetEvent, 'kind' | 'event'>): StateDotProps {
  if (kind === 'crash') return { tone: 'failed', text: event === 'unhealthy' ? 'Unhealthy' : 'Crashed' }
  if (kind === 'release') return { tone: 'completed', text: 'Release active' }
  if (kind === 'scale')
    return event === 'stopping' ? { tone: 'queued', text: 'Stops' } : { tone: 'running', text: 'Starts' }
  if (kind === 'endpoint') return { tone: 'retried', text: capital(event) }
  return { tone: 'queued', text: capital(event) }
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

import { useInfiniteQuery } from '@tanstack/react-query'
import { Activity } from 'lucide-react'
import { useMemo } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { useShallow } from 'zustand/react/shallow'
import type { FleetEvent } from '../../../../src-main/contract/fleet-events.ts'
import { ADDRESS } from '../../../addresses.ts'
import { fleetEventsQuery } from '../../../api-client/system-queries.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { SegmentedChoice } from '../../../ui/SegmentedChoice.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Table } from '../../../ui/table/Table.tsx'
import { SystemPage } from '../SystemPage.tsx'
import { EVENT_COLUMNS } from './EventColumns.tsx'
import { EVENT_CHOICES, type EventChoice, KINDS_OF } from './event-words.ts'
import { useHeldBack } from './use-held-back.ts'

/** What happened to endpoints, workers and releases, as it happens. */
export function EventsPage() {
  const { client } = useApp()
  const [, go] = useLocation()
  const [search, setSearch] = useSearchParams()
  const choice = EVENT_CHOICES.find((one) => one === search.get('kind')) ?? 'all'
  const endpoint = search.get('endpoint') ?? undefined
  const lastHeard = useAppState(
    ({ live }) => live.recent.findLast(({ event }) => event.type !== 'job' && event.type !== 'run')?.id ?? 0,
  )
  const { shown, isBehind, showNow, hold } = useHeldBack(lastHeard)
  const query = useInfiniteQuery(fleetEventsQuery(client, { kinds: KINDS_OF[choice], endpoint }, shown))
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query
  const rows = useMemo(() => data?.pages.flatMap(({ events }) => events) ?? [], [data])
  const narrow = (changes: { readonly kind?: EventChoice; readonly endpoint?: string }) => {
    const next = { kind: choice, endpoint: endpoint ?? '', ...changes }
    setSearch(
      Object.entries(next).filter(([name, value]) => value !== '' && !(name === 'kind' && value === 'all')),
      { replace: true },
    )
  }
  return (
    <SystemPage
      tab="events"
      fills
      actions={
        <>
          {isBehind && <Button onClick={showNow}>Show new ones</Button>}
          <EndpointFilter value={endpoint} onChange={(value) => narrow({ endpoint: value })} />
        </>
      }
    >
      <div className="overflow-x-auto">
        <SegmentedChoice
          label="Kind of event"
          choices={EVENT_CHOICES}
          value={choice}
          onChange={(kind) => narrow({ kind })}
        />
      </div>
      {error !== null && (
        <ErrorNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />
      )}
      {data === undefined && error === null && <SkeletonRows rows={10} />}
      {data !== undefined && rows.length === 0 && (
        <NoEvents choice={choice} endpoint={endpoint} onAll={() => setSearch({})} />
      )}
      {rows.length > 0 && (
        <div {...hold} className="flex min-h-0 flex-1 flex-col">
          <Table
            label="Events"
            columns={EVENT_COLUMNS}
            rows={rows}
            rowId={idOf}
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
              {isFetchingNextPage ? 'Reading' : 'Older ones'}
            </Button>
          )}
        </div>
      )}
    </SystemPage>
  )
}

const idOf = (event: FleetEvent) => String(event.id)

const pageOf = ({ endpointId, workerId, kind }: FleetEvent) =>
  workerId !== undefined && kind !== 'crash' ? ADDRESS.worker(workerId) : ADDRESS.endpoint(endpointId)

type EndpointFilterProps = { readonly value: string | undefined; readonly onChange: (endpointId: string) => void }

function EndpointFilter({ value, onChange }: EndpointFilterProps) {
  const known = useAppState(useShallow(({ live }) => Object.keys(live.endpoints)))
  // One that is gone still has events.
  const ids = value === undefined || known.includes(value) ? known : [value, ...known]
  const choices = ids.map((id) => ({ value: id, label: id }))
  return <Select aria-label="Endpoint" none="All endpoints" choices={choices} value={value ?? ''} onChange={onChange} />
}

type NoEventsProps = {
  readonly choice: EventChoice
  readonly endpoint: string | undefined
  readonly onAll: () => void
}

function NoEvents({ choice, endpoint, onAll }: NoEventsProps) {
  const isNarrowed = choice !== 'all' || endpoint !== undefined
  return (
    <EmptyState icon={<Activity />} action={isNarrowed && <Button onClick={onAll}>Show all events</Button>}>
      {isNarrowed
        ? 'Nothing of this kind has happened. Events are kept as long as log lines.'
        : 'Nothing has happened yet. Endpoints that are made, workers that come and go, and crashes stand here.'}
    </EmptyState>
  )
}

import { SquareTerminal } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { useStore } from 'zustand'
import { ADDRESS } from '../../addresses.ts'
import { followEvents } from '../../live/follow-events.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { CommandsHere } from '../../ui/Page.tsx'
import { EmptyState, ErrorNotice, SkeletonRows } from '../../ui/PageStates.tsx'
import { SavedViews } from '../../ui/SavedViews.tsx'
import { sampleCommand } from '../../ui/sample-command.ts'
import { FilterBar } from './list/FilterBar.tsx'
import { JobTable } from './list/JobTable.tsx'
import { isEmptyFilter, type JobListFilter, readFilter, writeFilter } from './list/job-list-filter.ts'
import { createJobWindow, type JobWindow } from './list/job-window.ts'

export function JobsView({ endpointId }: { readonly endpointId?: string }) {
  const [search, setSearch] = useSearchParams()
  const text = search.toString()
  const filter = useMemo(() => {
    const read = readFilter(new URLSearchParams(text))
    return endpointId === undefined ? read : { ...read, endpoint: endpointId }
  }, [text, endpointId])
  const setFilter = (next: typeof filter) => {
    const { endpoint: _given, ...rest } = next
    setSearch((before) => writeFilter(before, endpointId === undefined ? next : rest), { replace: true })
  }
  const list = useJobWindow(filter)
  const phase = useStore(list, (state) => state.phase)
  const error = useStore(list, (state) => state.error)
  const isEmpty = useStore(list, (state) => state.count === 0 && state.fresh === 0)
  const { endpoint: _endpoint, ...own } = list.filter
  const isUnfiltered = isEmptyFilter(endpointId === undefined ? list.filter : own)
  const clearFilters = () => setFilter({ states: [] })
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3">
      <FilterBar filter={filter} onChange={setFilter} ofEndpoint={endpointId !== undefined}>
        {endpointId === undefined && <SavedViews list="jobs" />}
      </FilterBar>
      {error !== undefined && (
        <ErrorNotice error={error} action={<Button onClick={() => void list.begin()}>Try again</Button>} />
      )}
      {phase === 'loading' && <SkeletonRows rows={12} />}
      {phase === 'shown' && isEmpty && (
        <NoJobs endpointId={endpointId} isUnfiltered={isUnfiltered} onClear={clearFilters} />
      )}
      {phase === 'shown' && !isEmpty && (
        <JobTable
          key={JSON.stringify(list.filter)}
          list={list}
          isUnfiltered={isUnfiltered}
          onClearFilters={clearFilters}
          ofEndpoint={endpointId !== undefined}
        />
      )}
      <CommandsHere
        commands={[
          {
            id: 'jobs-failed',
            group: 'Jobs here',
            label: 'Show failed and timed out jobs',
            run: () => setFilter({ states: ['FAILED', 'TIMED_OUT'] }),
          },
          { id: 'jobs-all', group: 'Jobs here', label: 'Clear filters', run: clearFilters },
        ]}
      />
    </div>
  )
}

type NoJobsProps = {
  readonly endpointId: string | undefined
  readonly isUnfiltered: boolean
  readonly onClear: () => void
}

function NoJobs({ endpointId, isUnfiltered, onClear }: NoJobsProps) {
  const [, go] = useLocation()
  if (!isUnfiltered)
    return (
      <EmptyState icon={<SquareTerminal />} action={<Button onClick={onClear}>Clear filters</Button>}>
        No job matches these filters.
      </EmptyState>
    )
  const to = endpointId === undefined ? ADDRESS.endpoints : ADDRESS.endpoint(endpointId, 'requests')
  return (
    <EmptyState
      icon={<SquareTerminal />}
      command={sampleCommand('runsync', endpointId ?? 'ENDPOINT')}
      action={
        <Button kind="main" onClick={() => go(to)}>
          {endpointId === undefined ? 'Choose an endpoint' : 'Send a request'}
        </Button>
      }
    >
      There are no jobs yet. Each request to an endpoint creates one. It is stored here for days after it ends, even
      when it has expired for the job API; the settings say how long.
    </EmptyState>
  )
}

/** Shows the previous filter's list while loading, to avoid flicker. Keep the filter object stable. */
function useJobWindow(filter: JobListFilter): JobWindow {
  const { client, platform, store } = useApp()
  const list = useMemo(() => createJobWindow({ client, platform, filter }), [client, platform, filter])

  useEffect(() => {
    list.start()
    const endFollowing = followEvents(store, list)
    return () => {
      endFollowing()
      list.stop()
    }
  }, [list, store])

  const phase = useStore(list, (state) => state.phase)
  const [shown, setShown] = useState(list)
  if (phase !== 'loading' && shown !== list) setShown(list)
  return shown
}

import { ArrowUp, Download } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useStore } from 'zustand'
import { ADDRESS } from '../../../addresses.ts'
import { Button } from '../../../ui/Button.tsx'
import { counted } from '../../../ui/format.ts'
import { LazyTable } from '../../../ui/table/LazyTable.tsx'
import { BulkBar } from './BulkBar.tsx'
import { ImportButton } from './ImportButton.tsx'
import { JOB_COLUMNS, JOB_COLUMNS_OF_ENDPOINT } from './JobColumns.tsx'
import { type JobWindow, rowAt } from './job-window.ts'
import { NowForCells } from './TimeCell.tsx'
import { useBulk } from './use-bulk.ts'
import { ALL_OF_LIST, useExport } from './use-job-files.ts'
import { isNothing, type Selected, useSelection } from './use-selection.ts'

/** A list of jobs that has been read; another list is another table, with nothing selected. */
export type JobTableProps = {
  readonly list: JobWindow
  readonly isUnfiltered: boolean
  /** All are of one endpoint. */
  readonly ofEndpoint: boolean
}

/** The table of jobs, and above it how many there are, or what is selected. */
export function JobTable({ list, isUnfiltered, ofEndpoint }: JobTableProps) {
  const [, go] = useLocation()
  const state = useStore(list)
  const { count, more, fresh, anew } = state
  const [reads, setReads] = useState(false)
  const at = useCallback((index: number) => rowAt(list.getState(), index), [list])
  const { selected, selection, clear } = useSelection(at)
  const bulk = useBulk({ list, selected, onDone: clear })
  const exportSelected = useExport(list, selected)
  const exportAll = useExport(list, ALL_OF_LIST)
  const isSelecting = !isNothing(selected)
  useEffect(() => list.setReading(reads || isSelecting), [list, reads, isSelecting])
  const number = `${count.toLocaleString('en')}${more ? '+' : ''}`
  const words = isUnfiltered ? `${number} job${count === 1 ? '' : 's'}` : `${number} match`
  return (
    <NowForCells>
      <div className="flex min-h-7 flex-wrap items-center gap-3">
        {isSelecting ? (
          <BulkBar
            words={selected.kind === 'all' ? `All ${words}` : `${counted(selected.jobs.size, 'job')} selected`}
            retry={bulk.retry}
            cancel={bulk.cancel}
            rerun={bulk.rerun}
            onExport={() => void exportSelected()}
            busy={bulk.busy}
            compare={comparison(selected)}
            onClear={clear}
          />
        ) : (
          <span role="status" className="text-ink-2">
            {words}
          </span>
        )}
        {!isSelecting && (
          <div className="ml-auto flex gap-1">
            <Button kind="quiet" title="All of this list as lines of JSON" onClick={() => void exportAll()}>
              <Download aria-hidden /> Export
            </Button>
            {list.filter.endpoint !== undefined && <ImportButton endpointId={list.filter.endpoint} />}
          </div>
        )}
        {fresh > 0 && (
          <Button onClick={() => void list.begin()}>
            <ArrowUp aria-hidden /> {fresh.toLocaleString('en')} new
          </Button>
        )}
      </div>
      <LazyTable
        label="Jobs"
        columns={ofEndpoint ? JOB_COLUMNS_OF_ENDPOINT : JOB_COLUMNS}
        count={count}
        rowAt={at}
        onOpen={({ id }) => go(ADDRESS.job(id))}
        selection={selection}
        onSight={list.setSight}
        onReading={setReads}
        anew={anew}
        className="min-h-0 rounded-control border border-line bg-surface-1"
      />
    </NowForCells>
  )
}

// The older one first: it is what the newer one is compared with.
function comparison(selected: Selected): string | undefined {
  if (selected.kind === 'all' || selected.jobs.size !== 2) return undefined
  const [one, other] = [...selected.jobs.values()].sort((a, b) => a.createdAt - b.createdAt)
  return one === undefined || other === undefined ? undefined : ADDRESS.comparedJobs(one.id, other.id)
}

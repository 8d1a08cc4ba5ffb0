import { ArrowUp, Columns2, Download, GitCompareArrows, Repeat, RotateCcw, Upload, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useStore } from 'zustand'
import type { JobListItem } from '../../../../src-main/contract/job.ts'
import { limit } from '../../../../src-main/contract/limits.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { ADDRESS } from '../../../addresses.ts'
import { chooseFiles, saveAddress, saveToDisk } from '../../../browser/browser-files.ts'
import { loadCode } from '../../../browser/load-code.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { useCancelQuestion } from '../../../ui/jobs/CancelQuestion.tsx'
import { jobListColumns, NowForCells } from '../../../ui/jobs/JobColumns.tsx'
import { useJobKeys } from '../../../ui/jobs/JobKeys.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import { Grid } from '../../../ui/table/Grid.tsx'
import { useTell } from '../../../ui/use-tell.ts'
import { JobPreview, useIsWide } from './JobPreview.tsx'
import { type JobListFilter, queryOf, writeFilter } from './job-list-filter.ts'
import { type JobWindow, rowAt } from './job-window.ts'
import { type Bulk, isNothing, type Selected, useBulk, useSelection } from './selected-jobs.ts'

export type JobTableProps = {
  readonly list: JobWindow
  readonly isUnfiltered: boolean
  readonly onClearFilters: () => void
  readonly ofEndpoint: boolean
}

export function JobTable({ list, isUnfiltered, onClearFilters, ofEndpoint }: JobTableProps) {
  const [, go] = useLocation()
  const state = useStore(list)
  const { count, more, fresh, anew } = state
  const [reads, setReads] = useState(false)
  const at = (index: number) => rowAt(list.getState(), index)
  const lineAt = (index: number) => {
    const row = at(index)
    return row && { row }
  }
  const { selected, selection, clear } = useSelection(at)
  const bulk = useBulk({ list, selected, onDone: clear })
  const bulkCancel = useCancelQuestion({
    jobs: bulk.cancel.named,
    action: `Cancel ${counted(bulk.cancel.count ?? 0, 'job')}`,
    run: () => void bulk.cancel.run(),
  })
  const exportSelected = useExport(list, selected)
  const exportAll = useExport(list, ALL_OF_LIST)
  const isSelecting = !isNothing(selected)
  const [active, setActive] = useState(-1)
  const activeJob = active < 0 ? undefined : at(active)
  const isWide = useIsWide()
  const hasPreview = isWide && activeJob !== undefined
  const { onRerun, onCancel, question } = useJobKeys()
  const onKey = (ofSelected: () => void, ofRow: (job: JobListItem) => void) => (row: JobListItem | undefined) => {
    if (isSelecting) ofSelected()
    else if (row !== undefined) ofRow(row)
    return isSelecting || row !== undefined
  }
  useEffect(() => list.setReading(reads || isSelecting), [list, reads, isSelecting])
  // biome-ignore lint/correctness/useExhaustiveDependencies: no row is active in a list that begins anew
  useEffect(() => setActive(-1), [anew])
  const number = `${count.toLocaleString('en')}${more ? '+' : ''}`
  const label = isUnfiltered ? `${number} job${count === 1 ? '' : 's'}` : `${number} match`
  return (
    <NowForCells>
      <div className="flex min-h-7 shrink-0 flex-wrap items-center gap-3">
        {isSelecting ? (
          <BulkBar
            label={selected.kind === 'all' ? `All ${label}` : `${counted(selected.jobs.size, 'job')} selected`}
            bulk={bulk}
            onCancel={() => void bulkCancel.ask()}
            onExport={() => void exportSelected()}
            compare={comparison(selected)}
            versions={onVersions(selected, list.filter)}
            onClear={clear}
          />
        ) : (
          <span role="status" className="text-ink-2">
            {label}
          </span>
        )}
        {!isSelecting && !isUnfiltered && (
          <Button kind="quiet" onClick={onClearFilters}>
            Clear filters
          </Button>
        )}
        {!isSelecting && (
          <div className="ml-auto flex gap-1">
            <Button kind="quiet" title="This list as JSON lines" onClick={() => void exportAll()}>
              <Download aria-hidden /> Export
            </Button>
            {list.filter.endpoint !== undefined && <ImportButton endpointId={list.filter.endpoint} />}
          </div>
        )}
        {fresh > 0 && (
          <Button className="self-start" onClick={() => void list.begin()}>
            <ArrowUp aria-hidden /> {fresh.toLocaleString('en')} new
          </Button>
        )}
      </div>
      <div className="flex min-h-0 gap-3">
        <Grid
          label="Jobs"
          columns={jobListColumns(ofEndpoint, hasPreview ? 'nextToPreview' : isWide ? 'all' : 'narrow')}
          count={count}
          lineAt={lineAt}
          active={active}
          onActive={setActive}
          onOpen={({ id }) => go(ADDRESS.job(id))}
          onRerun={onKey(() => void bulk.rerun.run(), onRerun)}
          onCancel={onKey(() => void bulkCancel.ask(), onCancel)}
          selection={selection}
          onSight={list.setSight}
          onReading={setReads}
          anew={anew}
          className="min-w-0 flex-1 rounded-control border border-line bg-surface-1"
        />
        {hasPreview && <JobPreview job={activeJob} />}
      </div>
      {question}
      {bulkCancel.question}
    </NowForCells>
  )
}

// The older job comes first, as the reference for the newer one.
function comparison(selected: Selected): string | undefined {
  if (selected.kind === 'all' || selected.jobs.size !== 2) return undefined
  const [one, other] = [...selected.jobs.values()].sort((a, b) => a.createdAt - b.createdAt)
  return one === undefined || other === undefined ? undefined : ADDRESS.comparedJobs(one.id, other.id)
}

// More ids do not fit into an address and need a filter.
const IDS_IN_ADDRESS = 100

function onVersions(selected: Selected, filter: JobListFilter): string | undefined {
  if (selected.kind === 'all')
    return ADDRESS.newComparison(writeFilter(new URLSearchParams({ inputs: 'jobs' }), filter).toString())
  if (selected.jobs.size > IDS_IN_ADDRESS) return undefined
  return ADDRESS.newComparison(new URLSearchParams({ ids: [...selected.jobs.keys()].join(',') }).toString())
}

function ImportButton({ endpointId }: { readonly endpointId: string }) {
  const { client, store } = useApp()
  const { attempt, done } = useTell()
  const importFile = async (file: File) => {
    const { queued, refused, bad } = await client.call('jobImport', { path: { endpointId }, bytes: await jobsIn(file) })
    done(`${counted(queued, 'job')} of ${file.name} queued on ${endpointId}.`)
    if (refused === 0) return
    const named = bad.slice(0, NAMED).map(({ line, reason }) => `line ${line}: ${reason}`)
    const more = refused > NAMED ? ` And ${counted(refused - NAMED, 'more line')}.` : ''
    const text = `${counted(refused, 'line')} of ${file.name} could not be queued. ${named.join(' ')}${more}`
    store.getState().notify({ kind: 'error', text })
  }
  const choose = async () => {
    for (const file of await chooseFiles(TYPES)) await attempt(() => importFile(file))
  }
  return (
    <Button
      kind="quiet"
      title={`Each line of a file, like {"input": {...}}, becomes a new job on ${endpointId}`}
      onClick={() => void choose()}
    >
      <Upload aria-hidden /> Import
    </Button>
  )
}

const FILE = 'jobs.jsonl'
const TYPES = '.jsonl,.ndjson,.json,application/x-ndjson'

// Bad lines named in a notice; the command names more.
const NAMED = 3

function useExport(list: JobWindow, selected: Selected) {
  const { client, platform } = useApp()
  const { attempt } = useTell()
  return () =>
    attempt(async () => {
      if (selected.kind === 'all') {
        const { cursor, countedAt } = list.getState()
        return saveAddress(client.address('jobExport', { query: { ...queryOf(list.filter, countedAt), cursor } }), FILE)
      }
      const ids = [...selected.jobs.keys()]
      const parts: Blob[] = []
      for (let from = 0; from < ids.length; from += limit('listIds')) {
        const some = ids.slice(from, from + limit('listIds')).join(',')
        parts.push(await client.download('jobExport', { query: { ids: some } }))
      }
      saveToDisk(new Blob(parts), FILE, platform)
    })
}

const ALL_OF_LIST: Selected = { kind: 'all' }

// A job file starts with a head line, which is no job.
async function jobsIn(file: File): Promise<Blob> {
  if (!(await file.slice(0, 100).text()).startsWith('{"drydock":"job"')) return file
  const { readJobFile } = await loadCode(() => import('../../../../src-main/features/jobs/rules/job-file.ts'))
  const opened = readJobFile(await file.text())
  if ('why' in opened) throw new Error(`${file.name} cannot be opened: ${opened.why}.`)
  return new Blob([`{"input":${opened.input}}\n`])
}

type BulkBarProps = {
  readonly label: string
  readonly bulk: ReturnType<typeof useBulk>
  readonly onCancel: () => void
  readonly onExport: () => void
  readonly compare: string | undefined
  readonly versions: string | undefined
  readonly onClear: () => void
}

function BulkBar({ label, bulk, onCancel, onExport, compare, versions, onClear }: BulkBarProps) {
  const { retry, cancel, rerun, busy } = bulk
  const [, go] = useLocation()
  const group = 'Selected jobs'
  return (
    <div role="toolbar" aria-label="Selected jobs" className="flex min-w-0 flex-1 flex-wrap items-center gap-2">
      <span className="font-medium">{label}</span>
      <Button disabled={!retry.count || busy !== undefined} onClick={() => void retry.run()}>
        <RotateCcw aria-hidden /> {busy === 'retry' ? 'Retrying' : 'Retry'} {numberOf(retry)}
      </Button>
      <Button
        disabled={!rerun.count || busy !== undefined}
        title="New jobs with the same inputs"
        onClick={() => void rerun.run()}
      >
        <Repeat aria-hidden /> {busy === 'rerun' ? 'Queueing' : 'Run again'} {numberOf(rerun)}
      </Button>
      <Button
        kind="danger"
        title="Waiting jobs will not run. Running jobs are stopped and their work is lost. If a worker does not stop in time, its other jobs start again."
        disabled={!cancel.count || busy !== undefined}
        onClick={onCancel}
      >
        <X aria-hidden /> {busy === 'cancel' ? 'Cancelling' : 'Cancel'} {numberOf(cancel)}
      </Button>
      <Button onClick={onExport}>
        <Download aria-hidden /> Export
      </Button>
      {compare !== undefined && (
        <Button onClick={() => go(compare)}>
          <Columns2 aria-hidden /> Compare the two
        </Button>
      )}
      {versions !== undefined && (
        <Button title="Run their inputs on several versions, and see what differs" onClick={() => go(versions)}>
          <GitCompareArrows aria-hidden /> Compare versions
        </Button>
      )}
      <Button kind="quiet" onClick={onClear}>
        Clear selection
      </Button>
      <CommandsHere
        commands={[
          { id: 'bulk-retry', group, label: `Retry ${label}`, run: () => void retry.run() },
          { id: 'bulk-rerun', group, label: `Run ${label} again as new jobs`, run: () => void rerun.run() },
          { id: 'bulk-export', group, label: `Export ${label} as JSON lines`, run: onExport },
          { id: 'bulk-cancel', group, label: `Cancel ${label}`, run: onCancel },
          { id: 'bulk-clear', group, label: 'Clear selection', run: onClear },
        ]}
      />
    </div>
  )
}

const numberOf = ({ count }: Bulk) => count?.toLocaleString('en') ?? '…'

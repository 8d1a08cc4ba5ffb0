import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import clsx from 'clsx'
import { Images } from 'lucide-react'
import { memo, type RefObject, useEffect, useRef, useState } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { cardsIn, nextCard } from '../../../ui/cards.ts'
import { SearchField } from '../../../ui/form/Field.tsx'
import { Select, type SelectChoice } from '../../../ui/form/Select.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, ErrorNotice, Skeleton } from '../../../ui/PageStates.tsx'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { useSearchParts } from '../../../ui/use-address.ts'
import { useListKeys } from '../../../ui/use-list-keys.ts'
import { RelativeTime } from '../../../ui/Values.tsx'
import { RunMedia } from '../../workflow-editor/run/RunMedia.tsx'
import { useRunList } from '../../workflow-editor/run/run-list.ts'
import { locatedLine, readRunError, runName } from '../../workflow-editor/run/run-queries.ts'
import { runEndpoints } from '../../workflow-editor/store/run-store.ts'
import { SectionTabs } from '../SectionTabs.tsx'
import { workflowsQuery } from '../workflow-queries.ts'
import { ComparePage } from './ComparePage.tsx'
import { RunPage } from './RunPage.tsx'

export function GalleryPages() {
  return (
    <Switch>
      <Route path={ADDRESS.gallery()}>
        <GalleryPage />
      </Route>
      <Route path={`${ADDRESS.gallery()}/compare`}>
        <ComparePage />
      </Route>
      <Route path={`${ADDRESS.gallery()}/:runId`}>{({ runId }) => <RunPage runId={decodeURIComponent(runId)} />}</Route>
    </Switch>
  )
}

const CRUMBS = [{ name: 'Workflows', to: ADDRESS.workflows }, { name: 'Gallery' }]
const SEARCH_PAUSE_MS = 250

function GalleryPage() {
  const { address, set } = useGalleryAddress()
  const { workflow, endpoint, compare } = address
  const q = useDebounced(address.q, SEARCH_PAUSE_MS)
  const { phase, error, runs, fresh, more, list } = useRunList({ workflow, endpoint, q })
  const isFiltered = workflow !== undefined || endpoint !== undefined || q !== undefined
  return (
    <Page crumbs={CRUMBS} fills tabs={<SectionTabs current="gallery" />} actions={<GalleryFilters />}>
      {compare !== undefined && (
        <div role="status" className="flex items-center gap-3 rounded-control bg-accent-soft px-3 py-2">
          Choose the run to compare with.
          <Button onClick={() => set('compare', undefined)}>Cancel</Button>
        </div>
      )}
      {error !== undefined && <ErrorNotice error={error} onRetry={list.start} />}
      {phase === 'loading' && <Skeleton className="h-96" />}
      {fresh.length > 0 && (
        <Button className="self-center" onClick={list.showFresh}>
          {counted(fresh.length, 'new run')}
        </Button>
      )}
      {phase === 'shown' && runs.length === 0 && <NoRuns isFiltered={isFiltered} />}
      {runs.length > 0 && (
        <RunWall
          runs={runs}
          more={more}
          onEnd={() => void list.readMore()}
          onReading={list.setReading}
          compared={compare}
          linkOf={(runId) => (compare === undefined ? ADDRESS.run(runId) : ADDRESS.comparedRuns(compare, runId))}
        />
      )}
    </Page>
  )
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }) {
  const [, go] = useLocation()
  if (isFiltered)
    return (
      <EmptyState icon={<Images />} action={<Button onClick={() => go(ADDRESS.gallery())}>Show all runs</Button>}>
        No run matches these filters.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={<Images />}
      command="drydock workflow run graph.json --endpoint sketch -o out/"
      action={
        <Button kind="main" onClick={() => go(ADDRESS.workflows)}>
          Open a workflow
        </Button>
      }
    >
      No graphs have been run yet. Open a workflow and press Run: its results are stored here, with its settings.
    </EmptyState>
  )
}

function useDebounced<Value>(value: Value, pauseMs: number): Value {
  const { platform } = useApp()
  const [debounced, setDebounced] = useState(value)
  useEffect(() => platform.after(pauseMs, () => setDebounced(value)), [platform, value, pauseMs])
  return debounced
}

function GalleryFilters() {
  const { address, set } = useGalleryAddress()
  const { client } = useApp()
  const { data } = useQuery(workflowsQuery(client))
  const endpoints = useAppState(({ live }) => live.endpoints)
  const workflows = (data?.workflows ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const ids = runEndpoints(endpoints).map(({ id }) => ({ value: id, label: id }))
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <Select
        aria-label="Workflow"
        none="All workflows"
        choices={withChosen(workflows, address.workflow)}
        value={address.workflow ?? ''}
        onChange={(value) => set('workflow', value)}
        className="w-44"
      />
      <Select
        aria-label="Endpoint"
        none="All endpoints"
        choices={withChosen(ids, address.endpoint)}
        value={address.endpoint ?? ''}
        onChange={(value) => set('endpoint', value)}
        className="w-40"
      />
      <SearchField label="Search runs" value={address.q ?? ''} onChange={(value) => set('q', value)} />
    </div>
  )
}

// The address may name something deleted; it still filters.
function withChosen(choices: readonly SelectChoice[], chosen: string | undefined): readonly SelectChoice[] {
  if (chosen === undefined || choices.some(({ value }) => value === chosen)) return choices
  return [{ value: chosen, label: `${chosen} (deleted)` }, ...choices]
}

function useGalleryAddress() {
  const [search, setParts] = useSearchParts()
  const read = (part: string) => search.get(part) || undefined
  const address = { workflow: read('workflow'), endpoint: read('endpoint'), q: read('q'), compare: read('compare') }
  const set = (part: keyof typeof address, value: string | undefined) => setParts({ [part]: value })
  return { address, set }
}

type RunWallProps = {
  readonly runs: readonly RunView[]
  readonly more: boolean
  readonly onEnd: () => void
  readonly onReading: (reads: boolean) => void
  readonly linkOf: (runId: string) => string
  readonly compared: string | undefined
}

const CARD_PX = 200
const GAP_PX = 12
const CAPTION_PX = 52
const ROWS_AHEAD = 2

function RunWall({ runs, more, onEnd, onReading, linkOf, compared }: RunWallProps) {
  const scroller = useRef<HTMLElement>(null)
  const width = useWidth(scroller)
  const [focused, setFocused] = useState(false)
  const wanted = useRef<number>(undefined)
  const columns = Math.max(1, Math.floor((width + GAP_PX) / (CARD_PX + GAP_PX)))
  const cardWidth = (width - GAP_PX * (columns - 1)) / columns
  const rows = Math.ceil(runs.length / columns)
  const rowHeight = Math.round(cardWidth + CAPTION_PX + GAP_PX)
  const virtual = useVirtualizer({
    count: width === 0 ? 0 : rows,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: ROWS_AHEAD,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height are measured anew
  useEffect(() => virtual.measure(), [virtual, rowHeight])
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (more && rows > 0 && last >= rows - 1 - ROWS_AHEAD) onEnd()
  }, [more, rows, last, onEnd])
  const reads = focused || (virtual.scrollOffset ?? 0) > 0
  useEffect(() => onReading(reads), [onReading, reads])
  useEffect(() => {
    const card = scroller.current?.querySelector<HTMLElement>(`[data-card="${wanted.current}"]`)
    if (wanted.current === undefined || card == null) return
    wanted.current = undefined
    card.focus({ preventScroll: true })
  })

  const move = (key: string): boolean => {
    const { cards, from } = cardsIn(scroller.current)
    const next = nextCard(key, Number(cards[from]?.dataset.card ?? -1), { count: runs.length, columns })
    if (next === undefined) return false
    wanted.current = next
    virtual.scrollToIndex(Math.floor(next / columns))
    scroller.current?.querySelector<HTMLElement>(`[data-card="${next}"]`)?.focus({ preventScroll: true })
    return true
  }
  useListKeys('Runs', scroller, { move, across: move })

  return (
    <section
      ref={scroller}
      aria-label="Runs"
      onFocus={() => setFocused(true)}
      onBlur={({ currentTarget, relatedTarget }) => setFocused(currentTarget.contains(relatedTarget))}
      className="min-h-0 flex-1 overflow-y-auto"
    >
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => (
          <ul
            key={index}
            className="absolute inset-x-0 top-0 grid"
            style={{
              transform: `translateY(${start}px)`,
              gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
              columnGap: GAP_PX,
            }}
          >
            {runs.slice(index * columns, (index + 1) * columns).map((run, at) => (
              <RunCard
                key={run.id}
                run={run}
                to={linkOf(run.id)}
                range={index * columns + at}
                isCompared={run.id === compared}
              />
            ))}
          </ul>
        ))}
      </div>
    </section>
  )
}

function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const watched = element.current
    if (watched === null) return
    setWidth(watched.clientWidth)
    const observer = new ResizeObserver(() => setWidth(watched.clientWidth))
    observer.observe(watched)
    return () => observer.disconnect()
  }, [element])
  return width
}

type RunCardProps = {
  readonly run: RunView
  readonly to: string
  readonly range: number
  readonly isCompared: boolean
}

const RunCard = memo(function RunCard({ run, to, range, isCompared }: RunCardProps) {
  const [first] = run.results
  const [error] = run.errors
  const name = runName(run)
  return (
    <li className="min-w-0">
      <Link
        to={to}
        data-card={range}
        className={clsx(
          'flex flex-col overflow-hidden rounded-control border bg-surface-1 -outline-offset-2',
          isCompared ? 'border-accent' : 'border-line hover:border-line-strong',
        )}
      >
        <span className="relative flex aspect-square items-center justify-center overflow-hidden bg-surface-0">
          {first !== undefined && <RunMedia result={first} name="" isThumbnail className="size-full" />}
          {first === undefined && error === undefined && <JobStateDot state={run.status} />}
          {first === undefined && error !== undefined && (
            <span className="line-clamp-6 p-3 text-small break-words text-failed-ink">
              {locatedLine(readRunError(error))}
            </span>
          )}
          {isCompared && (
            <span className="absolute top-1.5 left-1.5 rounded-control bg-accent px-1.5 text-small text-on-accent">
              Chosen
            </span>
          )}
          {run.results.length > 1 && (
            <span className="absolute right-1.5 bottom-1.5 rounded-control bg-ink/80 px-1.5 text-small text-surface-1">
              {run.results.length} results
            </span>
          )}
        </span>
        <span className="flex h-12 flex-col justify-center border-t border-line px-2">
          <span className="truncate font-medium" title={name}>
            {name}
          </span>
          <span className="flex items-center gap-2 text-small text-ink-2">
            {run.status === 'COMPLETED' ? (
              <span className="sr-only">Completed</span>
            ) : (
              <JobStateDot state={run.status} />
            )}
            <RelativeTime at={run.createdAt} />
            <span className="ml-auto truncate">{run.endpointId}</span>
          </span>
        </span>
      </Link>
    </li>
  )
})

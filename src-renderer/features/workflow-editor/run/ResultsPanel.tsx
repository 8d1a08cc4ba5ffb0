import clsx from 'clsx'
import { Images } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from 'react'
import { Link } from 'wouter'
import type { RunDetail, RunResult, RunView } from '../../../../src-main/contract/workflows.ts'
import { readPayloadNode } from '../../../../src-main/features/workflows/rules/payload.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button, CopyButton } from '../../../ui/Button.tsx'
import { EmptyState, ErrorNotice, SkeletonRows } from '../../../ui/PageStates.tsx'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { useSearchParts } from '../../../ui/use-address.ts'
import { Duration, RelativeTime } from '../../../ui/Values.tsx'
import { useJump } from '../problems/use-problems.ts'
import { useRuns, useTab } from '../store/editor-store.ts'
import type { ProgressOfNodes } from './node-progress.ts'
import { loadGraph, ResultActions, undoLater } from './ResultActions.tsx'
import { RunErrors, SettingList, whyNoResults } from './RunDetails.tsx'
import { RunMedia } from './RunMedia.tsx'
import { mainSettings, seedOf } from './read-settings.ts'
import { useRunActions } from './run-actions.ts'
import { useRunList } from './run-list.ts'
import { payloadOf, useRun } from './run-queries.ts'

export function ResultsPanel() {
  const { workflowId } = useTab()
  const { run } = useRunActions()
  const { phase, error, runs, fresh, list } = useRunList({ workflow: workflowId })
  const [search, set] = useSearchParts()
  const shown = useRuns((state) => state.shown?.id)
  const usual = shown ?? runs[0]?.id
  const chosen = search.get('run') ?? usual
  const choose = (runId: string) => set({ run: runId === usual ? undefined : runId })
  if (phase === 'loading') return <SkeletonRows rows={6} />
  if (error !== undefined && runs.length === 0) return <ErrorNotice error={error} onRetry={list.start} />
  if (chosen === undefined)
    return (
      <EmptyState icon={<Images />} action={<Button onClick={() => void run()}>Run the graph</Button>}>
        This workflow has not been run yet. Results of its runs appear here.
      </EmptyState>
    )
  return (
    <section aria-label="Results" className="flex min-w-0 flex-col gap-2 p-3">
      <RunStrip runs={runs} selected={chosen} onSelect={choose} onEnd={() => void list.readMore()} />
      {fresh.length > 0 && <Button onClick={list.showFresh}>{fresh.length} new</Button>}
      {error !== undefined && <ErrorNotice error={error} />}
      <RunDetails key={chosen} runId={chosen} />
      <RunTextLink to={ADDRESS.gallery(workflowId)}>All runs of this workflow</RunTextLink>
    </section>
  )
}

function RunDetails({ runId }: { readonly runId: string }) {
  const { data, error } = useRun(runId)
  if (error !== null) return <ErrorNotice error={error} />
  return data === undefined ? <SkeletonRows rows={6} /> : <Details run={data} />
}

function Details({ run }: { readonly run: RunDetail }) {
  const { store } = useApp()
  const tab = useTab()
  const show = useJump()
  const payload = useMemo(() => payloadOf(run), [run])
  const seed = useMemo(() => seedOf(payload), [payload])
  const load = () => {
    loadGraph(tab, run)
    store.getState().notify({ kind: 'done', text: 'The graph of the run is loaded', undo: undoLater(tab, store) })
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <JobStateDot state={run.status} />
        <RelativeTime at={run.createdAt} />
        {run.executionMs !== undefined && <Duration ms={run.executionMs} />}
        {seed !== undefined && (
          <span className="flex min-w-0 items-center">
            <span className="truncate text-ink-2">
              Seed <span className="text-ink tabular-nums">{seed}</span>
            </span>
            <CopyButton text={seed} what="seed" />
          </span>
        )}
      </div>
      <RunErrors run={run} onNode={show} />
      <ResultList run={run} onNode={show} />
      <div className="flex flex-wrap gap-2">
        <Button onClick={load}>Load this graph</Button>
      </div>
      <h3 className="font-medium">Settings</h3>
      <SettingList settings={mainSettings(payload)} />
      <RunTextLink to={ADDRESS.run(run.id)}>All settings in the gallery</RunTextLink>
    </>
  )
}

type ResultListProps = { readonly run: RunDetail; readonly onNode: (payloadId: string) => void }

function ResultList({ run, onNode }: ResultListProps) {
  const payload = useMemo(() => payloadOf(run), [run])
  const byNode = [...Map.groupBy(run.results, ({ node }) => node ?? '')]
  if (run.status === 'IN_PROGRESS') return <Preview run={run} />
  if (run.results.length === 0) return <p className="text-ink-2">{whyNoResults(run)}</p>
  return byNode.map(([node, results]) => (
    <div key={node} className="flex min-w-0 flex-col gap-1">
      {node !== '' && byNode.length > 1 && (
        <button type="button" onClick={() => onNode(node)} className="self-start text-ink-2 hover:underline">
          {titleOf(payload, node)}
        </button>
      )}
      {results.map((result) => (
        <Result key={`${result.asset} ${result.filename}`} run={run} result={result} />
      ))}
    </div>
  ))
}

function Preview({ run }: Pick<ResultListProps, 'run'>) {
  const source = useRuns(({ shown, progress }) => (shown?.id === run.id ? newestPreview(progress) : undefined))
  if (source === undefined) return <p className="text-ink-2">{whyNoResults(run)}</p>
  return (
    <img
      src={source}
      alt="Progress"
      className="h-auto max-h-[60vh] w-full rounded-control border border-line bg-surface-0 object-contain"
    />
  )
}

function newestPreview(progress: ProgressOfNodes): string | undefined {
  const withPreview = [...progress.values()].filter(({ preview }) => preview !== undefined)
  return (withPreview.find(({ state }) => state === 'running') ?? withPreview.at(-1))?.preview
}

function Result({ run, result }: { readonly run: RunDetail; readonly result: RunResult }) {
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <RunMedia
        result={result}
        name={`${result.filename} of run ${run.id}`}
        className="h-auto max-h-[60vh] w-full rounded-control border border-line bg-surface-0"
      />
      <figcaption className="flex flex-wrap items-center justify-between gap-x-2 text-small text-ink-2">
        <span className="min-w-0 truncate">
          {result.filename}
          {result.width !== undefined && ` · ${result.width} × ${result.height}`}
        </span>
        <ResultActions result={result} />
      </figcaption>
    </figure>
  )
}

function titleOf(payload: ReturnType<typeof payloadOf>, id: string): string {
  const node = readPayloadNode(id, payload.get(id))
  return node === undefined ? `Node ${id}` : `${node.title ?? node.classType} (${id})`
}

function RunTextLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link to={to} className="self-start text-accent hover:underline">
      {children}
    </Link>
  )
}

type RunStripProps = {
  readonly runs: readonly RunView[]
  readonly selected: string | undefined
  readonly onSelect: (runId: string) => void
  readonly onEnd: () => void
}

const NEAR_PX = 400

function RunStrip({ runs, selected, onSelect, onEnd }: RunStripProps) {
  const row = useRef<HTMLDivElement>(null)
  // Not animated, because it follows a selection made by key.
  useEffect(() => {
    if (selected !== undefined)
      row.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [selected])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, j: 1, ArrowLeft: -1, k: -1 }[event.key]
    const next = step === undefined ? undefined : runs[runs.findIndex(({ id }) => id === selected) + step]
    if (next === undefined) return
    event.preventDefault()
    onSelect(next.id)
    row.current?.querySelector<HTMLElement>(`[data-run="${CSS.escape(next.id)}"]`)?.focus()
  }
  return (
    <div
      ref={row}
      role="listbox"
      aria-label="Runs of this workflow"
      aria-orientation="horizontal"
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget: { scrollWidth, scrollLeft, clientWidth } }) => {
        if (scrollWidth - scrollLeft - clientWidth < NEAR_PX) onEnd()
      }}
      className="flex gap-1.5 overflow-x-auto p-1"
    >
      {runs.map((run) => (
        <RunTile key={run.id} run={run} isSelected={run.id === selected} onSelect={onSelect} />
      ))}
    </div>
  )
}

type RunTileProps = Pick<RunStripProps, 'onSelect'> & { readonly run: RunView; readonly isSelected: boolean }

function RunTile({ run, isSelected, onSelect }: RunTileProps) {
  const [first] = run.results
  return (
    <div
      role="option"
      data-run={run.id}
      aria-selected={isSelected}
      tabIndex={isSelected ? 0 : -1}
      onClick={() => onSelect(run.id)}
      onKeyDown={({ key }) => key === 'Enter' && onSelect(run.id)}
      className={clsx(
        'relative flex size-16 shrink-0 cursor-pointer items-center justify-center overflow-hidden rounded-control border bg-surface-0 [contain:strict]',
        isSelected ? 'border-accent ring-1 ring-accent' : 'border-line hover:border-line-strong',
      )}
    >
      {first === undefined ? (
        <span className="text-small [&>span]:flex-col [&>span]:gap-1">
          <JobStateDot state={run.status} />
        </span>
      ) : (
        <>
          <RunMedia result={first} name="" isThumbnail className="size-full object-cover" />
          <span className="sr-only">{run.status.toLowerCase()}</span>
        </>
      )}
      <span className="sr-only">run {run.id}</span>
      {run.results.length > 1 && (
        <span className="absolute right-0.5 bottom-0.5 rounded-control bg-ink/80 px-1 text-small text-surface-1">
          {run.results.length}
        </span>
      )}
    </div>
  )
}

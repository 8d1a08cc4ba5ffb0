import clsx from 'clsx'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { RunMedia } from './RunMedia.tsx'

export type RunStripProps = {
  readonly runs: readonly RunView[]
  readonly selected: string | undefined
  readonly onSelect: (runId: string) => void
  readonly onEnd: () => void
}

const NEAR_PX = 400

export function RunStrip({ runs, selected, onSelect, onEnd }: RunStripProps) {
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

import { useVirtualizer } from '@tanstack/react-virtual'
import clsx from 'clsx'
import { memo, type RefObject, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { cardsIn, nextCard } from '../../../ui/cards.ts'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { useListKeys } from '../../../ui/use-list-keys.ts'
import { RelativeTime } from '../../../ui/Values.tsx'
import { RunMedia } from '../../workflow-editor/run/RunMedia.tsx'
import { locatedLine, readRunError, runName } from '../../workflow-editor/run/run-queries.ts'

export type RunWallProps = {
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

export function RunWall({ runs, more, onEnd, onReading, linkOf, compared }: RunWallProps) {
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

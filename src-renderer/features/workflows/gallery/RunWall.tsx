import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { nextCard } from './next-card.ts'
import { RunCard } from './RunCard.tsx'

/** Runs as a wall of pictures, of which only those in sight are drawn. */
export type RunWallProps = {
  readonly runs: readonly RunView[]
  /** Whether older ones can be read. */
  readonly more: boolean
  readonly onEnd: () => void
  /** Hears whether somebody reads: has scrolled, or is on a card. */
  readonly onReading: (reads: boolean) => void
  readonly linkOf: (runId: string) => string
  /** The run that another is looked for to compare with; undefined where none is. */
  readonly compared: string | undefined
}

const CARD_PX = 200
const GAP_PX = 12
const CAPTION_PX = 52
const ROWS_AHEAD = 2

/** The wall. Its cards are links; arrows and h j k l move between them. */
export function RunWall({ runs, more, onEnd, onReading, linkOf, compared }: RunWallProps) {
  const scroller = useRef<HTMLElement>(null)
  const width = useWidth(scroller)
  const [focused, setFocused] = useState(false)
  // A card that a key has led to may have to be drawn before it can take the focus.
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

  function onKeyDown(event: KeyboardEvent) {
    const { target, ctrlKey, metaKey, altKey } = event
    if (!(target instanceof HTMLElement) || target.dataset.card === undefined || ctrlKey || metaKey || altKey) return
    const next = nextCard(event.key, { from: Number(target.dataset.card), count: runs.length, columns })
    if (next === undefined) return
    event.preventDefault()
    wanted.current = next
    virtual.scrollToIndex(Math.floor(next / columns))
    scroller.current?.querySelector<HTMLElement>(`[data-card="${next}"]`)?.focus({ preventScroll: true })
  }

  return (
    <section
      ref={scroller}
      aria-label="Runs"
      onKeyDown={onKeyDown}
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
                place={index * columns + at}
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

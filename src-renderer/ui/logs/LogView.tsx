/** Lines of a log, of any number: only those in sight are drawn. It stays at the newest line until somebody scrolls up. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { LogLine } from '../../../src-main/contract/management.ts'
import { Button } from '../Button.tsx'
import { counted } from '../format.ts'
import { SearchField } from '../SearchField.tsx'
import { SegmentedChoice } from '../SegmentedChoice.tsx'
import { filterLines, LOG_LEVELS, type LogFilter } from './filter-lines.ts'
import { LogRow } from './LogRow.tsx'

/** Lines of a log, oldest first. */
export type LogViewProps = { readonly lines: readonly LogLine[]; readonly label: string }

const LINE_PX = 18
const LINES_AHEAD = 30
// How near to the end still counts as being there.
const AT_END_PX = 24

/** A log with a search, levels and colours. */
export function LogView({ lines, label }: LogViewProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [filter, setFilter] = useState<LogFilter>({ text: '', level: 'debug' })
  const [follows, setFollows] = useState(true)
  const shown = useMemo(() => filterLines(lines, filter), [lines, filter])
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    getItemKey: (index) => shown[index]?.id ?? index,
    overscan: LINES_AHEAD,
  })
  const toEnd = () => virtual.scrollToIndex(shown.length - 1, { align: 'end' })

  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when lines come
  useEffect(() => {
    if (follows && shown.length > 0) toEnd()
  }, [shown.length, follows])

  function onScroll() {
    const element = scroller.current
    if (element === null) return
    setFollows(element.scrollHeight - element.scrollTop - element.clientHeight < AT_END_PX)
  }

  return (
    <div className="relative flex min-h-0 flex-1 flex-col rounded-control border border-line bg-surface-1">
      <div className="flex flex-wrap items-center gap-2 border-b border-line p-2">
        <SearchField label="Search the log" value={filter.text} onChange={(text) => setFilter({ ...filter, text })} />
        <SegmentedChoice
          label="Least level"
          choices={LOG_LEVELS}
          value={filter.level}
          onChange={(level) => setFilter({ ...filter, level })}
        />
        <span className="ml-auto text-small text-ink-2">
          {shown.length < lines.length && `${shown.length} of `}
          {counted(lines.length, 'line')}
        </span>
      </div>
      <div
        ref={scroller}
        role="log"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        onScroll={onScroll}
        className="min-h-0 flex-1 overflow-auto font-mono text-small"
      >
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = shown[index]
            return (
              line && (
                <div
                  key={line.id}
                  ref={virtual.measureElement}
                  data-index={index}
                  className="absolute inset-x-0"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <LogRow line={line} search={filter.text} />
                </div>
              )
            )
          })}
        </div>
      </div>
      {!follows && (
        <Button className="absolute right-4 bottom-3 shadow-float" onClick={() => setFollows(true)}>
          Newest lines
        </Button>
      )}
    </div>
  )
}

/**
 * A table of rows that are read as they come into sight, of any number: a row that is not there yet keeps its place.
 * Its keys are those of `LIST_KEYS`.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import clsx from 'clsx'
import { type MouseEvent, useCallback, useEffect, useId, useRef, useState } from 'react'
import { nextRow } from '../keyboard.ts'
import { useListKeys } from '../use-list-keys.ts'
import type { Column, LazySelection } from './column.ts'
import { HEAD_PX, ROW_PX } from './column.ts'
import { LazyHead, LazyRow } from './LazyRow.tsx'

/** A table of rows that come later. Keep `columns` the same between two drawings. */
export type LazyTableProps<Row> = {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Rows there are, read or not. */
  readonly count: number
  /** Undefined while it is not read. The same row has to be the same object. */
  readonly rowAt: (index: number) => Row | undefined
  readonly onOpen: (row: Row) => void
  /** Hears which row is active; undefined: none is. */
  readonly onActive?: (row: Row | undefined) => void
  /** For rows that are jobs: `r` and `c` on what is selected, or on the active row. Each returns whether it did anything. */
  readonly onRerun?: (active: Row | undefined) => boolean
  readonly onCancel?: (active: Row | undefined) => boolean
  readonly selection: LazySelection<Row>
  /** Receives which rows are in sight. */
  readonly onSight: (first: number, last: number) => void
  /** Hears whether somebody reads: has scrolled, or has an active row. */
  readonly onReading: (reads: boolean) => void
  /** Grows when the list begins anew: it goes to the top, and no row is active. */
  readonly anew: number
  readonly className?: string
}

const ROWS_AHEAD = 12

/** A table of any length whose rows come as they are looked at. */
export function LazyTable<Row extends object>(props: LazyTableProps<Row>) {
  const { label, columns, count, rowAt, onOpen, selection, onSight, onReading, anew, className } = props
  const { onActive, onRerun, onCancel } = props
  const scroller = useRef<HTMLDivElement>(null)
  const grid = useRef<HTMLTableElement>(null)
  const idOfTable = useId()
  const [active, setActive] = useState(-1)
  const [focused, setFocused] = useState(false)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: ROWS_AHEAD,
    rangeExtractor: (range) =>
      slotsOf({ ...range, size: Math.ceil((scroller.current?.clientHeight ?? 0) / ROW_PX) + 1 }),
    scrollMargin: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
  })
  const items = virtual.getVirtualItems()
  const indexes = items.map(({ index }) => index)
  // None are drawn before the table has a height.
  const [first, last] = indexes.length === 0 ? [0, 0] : [Math.min(...indexes), Math.max(...indexes)]
  const reads = active >= 0 || (virtual.scrollOffset ?? 0) > 0
  useEffect(() => onSight(first, last), [onSight, first, last])
  useEffect(() => onReading(reads), [onReading, reads])
  // biome-ignore lint/correctness/useExhaustiveDependencies: begins anew when told to
  useEffect(() => {
    setActive(-1)
    scroller.current?.scrollTo({ top: 0 })
  }, [anew])

  const template = `36px ${columns.map(({ width, grow }) => (grow ? `minmax(${width}px, ${grow}fr)` : `${width}px`)).join(' ')}`
  const minWidth = 36 + columns.reduce((sum, { width }) => sum + width, 0)

  function move(key: string, shift: boolean): boolean {
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX)
    const next = nextRow(key, { active, count, page })
    if (next === undefined) return false
    setActive(next)
    virtual.scrollToIndex(next)
    grid.current?.focus({ preventScroll: true })
    if (shift) selection.onSelect(next, 'to')
    return true
  }

  const activeRow = active < 0 ? undefined : rowAt(active)
  useEffect(() => onActive?.(activeRow), [onActive, activeRow])
  useListKeys(label, grid, {
    move,
    page: move,
    open: () => {
      if (activeRow !== undefined) onOpen(activeRow)
      return activeRow !== undefined
    },
    select: (_key, shift) => {
      if (active >= 0) selection.onSelect(active, shift ? 'to' : 'toggle')
      return active >= 0
    },
    selectAll: () => {
      selection.onSelectAll()
      return true
    },
    rerun: onRerun && (() => onRerun(activeRow)),
    cancel: onCancel && (() => onCancel(activeRow)),
    leave: () => {
      const did = active >= 0 || selection.all !== 'none'
      selection.onClear()
      setActive(-1)
      return did
    },
  })

  function click(event: MouseEvent) {
    const { target } = event
    const at = target instanceof Element ? Number(target.closest('tr')?.dataset.index ?? -1) : -1
    if (at < 0 || !(target instanceof Element)) return
    if (target.closest('[data-select]') !== null || event.shiftKey || event.ctrlKey || event.metaKey) {
      if (target.closest('a') !== null) return
      setActive(at)
      selection.onSelect(at, event.shiftKey ? 'to' : 'toggle')
      return
    }
    const row = rowAt(at)
    if (row === undefined || target.closest('a, button, input') !== null) return
    setActive(at)
    onOpen(row)
  }

  const pressed = useRef(click)
  useEffect(() => {
    pressed.current = click
  })
  // The same function at each drawing, so that rows which stay as they are are not drawn again.
  const onPress = useCallback((event: MouseEvent) => pressed.current(event), [])

  return (
    <div
      ref={scroller}
      // Not by :has(), which the browser would look at anew with each row that comes and goes.
      className={clsx('overflow-auto data-focused:outline-2 data-focused:outline-accent', className)}
      data-focused={focused || undefined}
    >
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: it is moved through with keys, as a grid is
        role="grid"
        aria-label={label}
        aria-rowcount={count + 1}
        aria-multiselectable
        aria-activedescendant={active < 0 ? undefined : `${idOfTable}${active}`}
        ref={grid}
        tabIndex={0}
        onFocus={({ target }) => setFocused(target.matches('table:focus-visible'))}
        onBlur={() => setFocused(false)}
        className="group block outline-none select-none"
        style={{ minWidth }}
      >
        <LazyHead columns={columns} template={template} selection={selection} />
        <tbody className="relative block" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index }, slot) => {
            const row = rowAt(index)
            return (
              <LazyRow
                // biome-ignore lint/suspicious/noArrayIndexKey: a slot that takes the next row is cheaper than a new one
                key={slot}
                id={`${idOfTable}${index}`}
                index={index}
                row={row}
                name={row === undefined ? '' : selection.nameOf(row)}
                columns={columns}
                template={template}
                isActive={index === active}
                onPress={onPress}
                isSelected={row !== undefined && selection.isSelected(row)}
              />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/**
 * The rows that are drawn, always as many: each has a slot by its index, so that a row that scrolls out of sight lends
 * its elements to one that comes in: to make them anew is most of what scrolling costs. The elements therefore do not
 * stand in the order of the rows, which `aria-rowindex` tells.
 * @param range.startIndex first row in sight
 * @param range.size rows that may be in sight
 * @param range.overscan rows drawn before and after them
 * @param range.count rows there are
 * @returns the index of the row in each slot
 */
export function slotsOf({
  startIndex,
  size,
  overscan,
  count,
}: {
  readonly startIndex: number
  readonly size: number
  readonly overscan: number
  readonly count: number
}): number[] {
  const length = Math.min(count, size + 2 * overscan)
  const from = Math.max(0, Math.min(startIndex - overscan, count - length))
  const slots = new Array<number>(length)
  for (let index = from; index < from + length; index++) slots[index % length] = index
  return slots
}

/**
 * A grid of any length: only the rows in sight are drawn, and an unread row keeps its place. Its keys are those of
 * `LIST_KEYS`.
 */
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import clsx from 'clsx'
import { type MouseEvent, useCallback, useEffect, useId, useRef, useState } from 'react'
import { nextRow } from '../keyboard.ts'
import { useListKeys } from '../use-list-keys.ts'
import { type Column, type GridSelection, HEAD_PX, ROW_PX, type TableSort } from './column.ts'
import { GridHead, type GridLine, GridRow, StillRow } from './GridRow.tsx'

/** Keep `columns` stable between renders. */
export type GridProps<Row> = {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly count: number
  readonly lineAt: (index: number) => GridLine<Row> | undefined
  /** Without it, rows that scroll out of sight lend their elements to others, so no cell may have a state of its own. */
  readonly keyAt?: (index: number) => string
  readonly active: number
  readonly onActive: (index: number) => void
  readonly onOpen?: ((row: Row) => void) | undefined
  /** For rows that are jobs: `r` and `c`. Each returns whether it did anything. */
  readonly onRerun?: ((active: Row | undefined) => boolean) | undefined
  readonly onCancel?: ((active: Row | undefined) => boolean) | undefined
  readonly selection?: GridSelection<Row>
  readonly sort?: TableSort | undefined
  readonly onSort?: ((sort: TableSort | undefined) => void) | undefined
  readonly onSight?: (first: number, last: number) => void
  readonly onReading?: (reads: boolean) => void
  /** Grows when the list begins anew: the grid goes to the top. */
  readonly anew?: number
  readonly className?: string | undefined
}

const ROWS_AHEAD = 12
const BOX_PX = 36

export function Grid<Row extends object>(props: GridProps<Row>) {
  const { label, columns, count, lineAt, keyAt, active, onActive, onOpen, selection, onSight, onReading, anew } = props
  const { onRerun, onCancel, sort, onSort, className } = props
  const scroller = useRef<HTMLDivElement>(null)
  const grid = useRef<HTMLTableElement>(null)
  const movedTo = useRef(-1)
  const idOfTable = useId()
  const [focused, setFocused] = useState(false)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    ...(keyAt && { getItemKey: keyAt }),
    overscan: ROWS_AHEAD,
    rangeExtractor: (range) =>
      keyAt
        ? defaultRangeExtractor(range)
        : slotsOf({ ...range, size: Math.ceil((scroller.current?.clientHeight ?? 0) / ROW_PX) + 1 }),
    // The sticky head stands above the first row and over the others.
    scrollMargin: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
  })
  const items = virtual.getVirtualItems()
  const indexes = items.map(({ index }) => index)
  // No rows are rendered before the table has a height.
  const [first, last] = indexes.length === 0 ? [0, 0] : [Math.min(...indexes), Math.max(...indexes)]
  const reads = active >= 0 || (virtual.scrollOffset ?? 0) > 0
  useEffect(() => onSight?.(first, last), [onSight, first, last])
  useEffect(() => onReading?.(reads), [onReading, reads])
  // biome-ignore lint/correctness/useExhaustiveDependencies: begins anew when told to
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 })
  }, [anew])
  // Scrolls the page too, since the table may be longer than it.
  useEffect(() => {
    if (movedTo.current === active)
      document.getElementById(`${idOfTable}${active}`)?.scrollIntoView({ block: 'nearest' })
    movedTo.current = -1
  }, [idOfTable, active])

  const box = selection === undefined ? 0 : BOX_PX
  const widths = columns.map(({ width, grow }) => (grow ? `minmax(${width}px, ${grow}fr)` : `${width}px`))
  const template = [...(box > 0 ? [`${box}px`] : []), ...widths].join(' ')
  const minWidth = columns.reduce((sum, { width }) => sum + width, box)

  const rowAt = (index: number): Row | undefined => {
    const line = index < 0 ? undefined : lineAt(index)
    return line !== undefined && 'row' in line ? line.row : undefined
  }

  /** The next line that is no name of a group. */
  function rowFrom(index: number, step: 1 | -1): number | undefined {
    for (let at = index; at >= 0 && at < count; at += step) {
      const line = lineAt(at)
      if (line === undefined || 'row' in line) return at
    }
    return undefined
  }

  function move(key: string, shift: boolean): boolean {
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX)
    const wanted = nextRow(key, { active, count, page })
    if (wanted === undefined) return false
    const next =
      wanted < active ? (rowFrom(wanted, -1) ?? rowFrom(wanted, 1)) : (rowFrom(wanted, 1) ?? rowFrom(wanted, -1))
    if (next === undefined) return false
    movedTo.current = next
    onActive(next)
    virtual.scrollToIndex(next)
    grid.current?.focus({ preventScroll: true })
    if (shift) selection?.onSelect(next, 'to')
    return true
  }

  const activeRow = rowAt(active)
  useListKeys(label, grid, {
    move,
    page: move,
    open:
      onOpen &&
      (() => {
        if (activeRow !== undefined) onOpen(activeRow)
        return activeRow !== undefined
      }),
    rerun: onRerun && (() => onRerun(activeRow)),
    cancel: onCancel && (() => onCancel(activeRow)),
    ...(selection && {
      select: (_key, shift) => {
        if (active >= 0) selection.onSelect(active, shift ? 'to' : 'toggle')
        return active >= 0
      },
      selectAll: () => {
        selection.onSelectAll()
        return true
      },
      leave: () => {
        const did = active >= 0 || selection.all !== 'none'
        selection.onClear()
        onActive(-1)
        return did
      },
    }),
  })

  function click(event: MouseEvent) {
    const { target } = event
    const at = target instanceof Element ? Number(target.closest('tr')?.dataset.index ?? -1) : -1
    if (at < 0 || !(target instanceof Element)) return
    const selects = target.closest('[data-select]') !== null || event.shiftKey || event.ctrlKey || event.metaKey
    if (selection !== undefined && selects) {
      if (target.closest('a') !== null) return
      onActive(at)
      selection.onSelect(at, event.shiftKey ? 'to' : 'toggle')
      return
    }
    const row = rowAt(at)
    const isOnControl = target.closest('a, button, input') !== null
    if (row === undefined || (selection !== undefined && isOnControl)) return
    onActive(at)
    if (!isOnControl) onOpen?.(row)
  }

  const pressed = useRef(click)
  useEffect(() => {
    pressed.current = click
  })
  // A stable function, so that unchanged rows are not rendered again.
  const onPress = useCallback((event: MouseEvent) => pressed.current(event), [])
  const DrawnRow = keyAt ? GridRow : StillRow

  return (
    <div
      ref={scroller}
      // Not :has(), which the browser would re-evaluate whenever a row appears or leaves.
      className={clsx('overflow-auto data-focused:outline-2 data-focused:outline-accent', className)}
      data-focused={focused || undefined}
    >
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: it is moved through with keys, as a grid is
        role="grid"
        aria-label={label}
        aria-rowcount={count + 1}
        aria-multiselectable={selection === undefined ? undefined : true}
        aria-activedescendant={active < 0 ? undefined : `${idOfTable}${active}`}
        ref={grid}
        tabIndex={0}
        onFocus={({ target }) => setFocused(target.matches('table:focus-visible'))}
        onBlur={() => setFocused(false)}
        className={clsx('group block outline-none', selection !== undefined && 'select-none')}
        style={{ minWidth }}
      >
        <GridHead columns={columns} template={template} selection={selection} sort={sort} onSort={onSort} />
        <tbody className="relative block" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index }, slot) => {
            const line = lineAt(index)
            const { row, group, count: members } = { row: undefined, group: undefined, count: undefined, ...line }
            return (
              <DrawnRow
                key={keyAt?.(index) ?? slot}
                id={`${idOfTable}${index}`}
                index={index}
                row={row}
                group={group}
                count={members}
                columns={columns}
                template={template}
                isActive={index === active}
                isSelected={selection === undefined ? index === active : row !== undefined && selection.isSelected(row)}
                boxName={selection && (row === undefined ? '' : selection.nameOf(row))}
                isOpened={onOpen !== undefined}
                onPress={onPress}
              />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/**
 * Assigns rows to reused elements, as creating them is most of the cost of scrolling. DOM order therefore differs from
 * `aria-rowindex`.
 * @param range.overscan rows rendered before and after those in sight
 * @returns the row index in each slot
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

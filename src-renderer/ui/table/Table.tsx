/**
 * A table of any length: only the rows in sight are drawn. Its keys are those of `LIST_KEYS`. The first cell holds the link of a row, so that it can be opened in a window of its own.
 * Where rows have groups, each group stands below its name, and the order by a column holds within it.
 */
import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import clsx from 'clsx'
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { nextRow } from '../keyboard.ts'
import { useListKeys } from '../use-list-keys.ts'
import type { Column, TableSort } from './column.ts'
import { HEAD_PX, ROW_PX } from './column.ts'
import { HeaderCell } from './HeaderCell.tsx'

/** A table. Keep `columns` the same between two drawings. */
export type TableProps<Row> = {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowId: (row: Row) => string
  readonly onOpen?: (row: Row) => void
  /** For rows that are jobs: `r` and `c`. */
  readonly onRerun?: (row: Row) => void
  readonly onCancel?: (row: Row) => void
  /** The group of a row, by the name that stands above it. Groups come in the order of `rows`. */
  readonly groupOf?: ((row: Row) => string) | undefined
  readonly sort?: TableSort | undefined
  readonly onSort?: (sort: TableSort | undefined) => void
  /** Takes part in the layout of the page, like `flex-1 min-h-0` or `max-h-96`. */
  readonly className?: string
}

const ROWS_AHEAD = 12
const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() })

/** A table of any length. */
export function Table<Row extends object>(props: TableProps<Row>) {
  const { label, columns, rows, rowId, onOpen, groupOf, sort, onSort } = props
  const scroller = useRef<HTMLDivElement>(null)
  const idOfTable = useId()
  const grid = useRef<HTMLTableElement>(null)
  const movedTo = useRef<string>(undefined)
  const [activeId, setActiveId] = useState<string>()
  const table = useTable({
    features,
    columns: useMemo(() => definitions(columns), [columns]),
    data: rows,
    getRowId: rowId,
    enableSortingRemoval: true,
    enableMultiSort: false,
    state: { sorting: useMemo(() => sortingOf(sort), [sort]) },
    onSortingChange: () => undefined, // The header says what is wanted; the owner of `sort` decides.
  })
  const inOrderOfSort = table.getRowModel().rows
  const lines = useMemo(() => linesOf(rows, inOrderOfSort, groupOf), [rows, inOrderOfSort, groupOf])
  const sorted = useMemo(() => lines.flatMap((line) => ('row' in line ? [line.row] : [])), [lines])
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => keyOf(lines[index]) ?? index,
    overscan: ROWS_AHEAD,
    // The head stays at the top of what scrolls, above the first row and over the others.
    scrollMargin: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
  })
  const activeIndex = sorted.findIndex(({ id }) => id === activeId)
  const template = columns.map(({ width, grow }) => (grow ? `minmax(${width}px, ${grow}fr)` : `${width}px`)).join(' ')
  const minWidth = columns.reduce((sum, { width }) => sum + width, 0)

  function move(key: string): boolean {
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX)
    const next = nextRow(key, { active: activeIndex, count: sorted.length, page })
    if (next === undefined) return false
    setActiveId(sorted[next]?.id)
    movedTo.current = sorted[next]?.id
    virtual.scrollToIndex(lines.findIndex((line) => 'row' in line && line.row === sorted[next]))
    grid.current?.focus({ preventScroll: true })
    return true
  }

  const onActive = (act: ((row: Row) => void) | undefined) =>
    act &&
    (() => {
      const active = sorted[activeIndex]
      if (active !== undefined) act(active.original)
      return active !== undefined
    })
  useListKeys(label, grid, {
    move,
    page: move,
    open: onActive(onOpen),
    rerun: onActive(props.onRerun),
    cancel: onActive(props.onCancel),
  })
  // Within the page, which the table may be longer than.
  useEffect(() => {
    if (movedTo.current !== activeId) return
    movedTo.current = undefined
    grid.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  return (
    <div
      ref={scroller}
      className={clsx(
        'overflow-auto has-[table:focus-visible]:outline-2 has-[table:focus-visible]:outline-accent',
        props.className,
      )}
    >
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: it is moved through with keys, as a grid is
        role="grid"
        aria-label={label}
        aria-rowcount={lines.length + 1}
        aria-activedescendant={activeIndex < 0 ? undefined : `${idOfTable}${activeId}`}
        ref={grid}
        tabIndex={0}
        className="group block outline-none"
        style={{ minWidth }}
      >
        <thead className="sticky top-0 z-10 block">
          <tr
            aria-rowindex={1}
            className="grid h-8 border-b border-line bg-surface-1"
            style={{ gridTemplateColumns: template }}
          >
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody className="relative block" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = lines[index]
            if (line === undefined) return null
            const transform = `translateY(${start - HEAD_PX}px)`
            if (!('row' in line))
              return (
                <tr
                  key={keyOf(line)}
                  aria-rowindex={index + 2}
                  className="absolute inset-x-0 flex h-8 items-center border-b border-line/60 bg-surface-2"
                  style={{ transform }}
                >
                  <th scope="rowgroup" className="truncate pl-3 text-small font-semibold">
                    {line.group} <span className="font-normal text-ink-2">{line.count}</span>
                  </th>
                </tr>
              )
            const { row } = line
            return (
              <tr
                key={row.id}
                id={`${idOfTable}${row.id}`}
                aria-rowindex={index + 2}
                aria-selected={row.id === activeId}
                onClick={(event) => {
                  setActiveId(row.id)
                  if (!isControl(event.target)) onOpen?.(row.original)
                }}
                className={clsx(
                  'absolute inset-x-0 grid h-8 scroll-mt-8 items-center border-b border-line/60',
                  onOpen !== undefined && 'cursor-pointer hover:bg-surface-2',
                  row.id === activeId && 'group-focus-within:bg-accent-soft',
                )}
                style={{ gridTemplateColumns: template, transform }}
              >
                {columns.map(({ id, cell, align }) => (
                  <td
                    key={id}
                    className={clsx('min-w-0 truncate px-2 first:pl-3 last:pr-3', align === 'right' && 'text-right')}
                  >
                    {cell(row.original)}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function definitions<Row extends object>(columns: readonly Column<Row>[]) {
  const helper = createColumnHelper<typeof features, Row>()
  return helper.columns(
    columns.map(({ id, sortBy }) =>
      helper.accessor((row) => sortBy?.(row), {
        id,
        enableSorting: sortBy !== undefined,
        sortUndefined: 'last',
        sortFn: inOrder,
      }),
    ),
  )
}

type WithValue = { readonly getValue: (column: string) => unknown }

function inOrder(one: WithValue, other: WithValue, column: string): number {
  const [a, b] = [one.getValue(column), other.getValue(column)]
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en')
}

function sortingOf(sort: TableSort | undefined): SortingState {
  return sort === undefined ? [] : [{ id: sort.column, desc: sort.descending }]
}

const isControl = (target: EventTarget) => target instanceof Element && target.closest('a, button, input') !== null

/** What stands in one line: a row, or the name of a group with the number of its rows. */
type Line<SortedRow> = { readonly row: SortedRow } | { readonly group: string; readonly count: number }

/** The lines of a table, group by group: groups in the order of `rows`, the rows of each in the order of `sorted`. */
function linesOf<Row, SortedRow extends { readonly original: Row }>(
  rows: readonly Row[],
  sorted: readonly SortedRow[],
  groupOf: ((row: Row) => string) | undefined,
): readonly Line<SortedRow>[] {
  if (groupOf === undefined) return sorted.map((row) => ({ row }))
  const members = Map.groupBy(sorted, ({ original }) => groupOf(original))
  return [...new Set(rows.map(groupOf))].flatMap((group) => {
    const own = members.get(group) ?? []
    return [{ group, count: own.length }, ...own.map((row) => ({ row }))]
  })
}

/** What tells a line from all others of its table. */
function keyOf(line: Line<{ readonly id: string }> | undefined): string | undefined {
  if (line === undefined) return undefined
  return 'row' in line ? line.row.id : `group ${line.group}`
}

import clsx from 'clsx'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type MouseEvent, memo, type ReactNode } from 'react'
import { type Column, type GridSelection, ROW_PX, type TableSort } from './column.ts'

export type GridLine<Row> = { readonly row: Row } | { readonly group: ReactNode; readonly count: number }

type GridRowProps<Row> = {
  readonly id: string
  readonly index: number
  /** Undefined while it is not read, and for the name of a group. */
  readonly row: Row | undefined
  readonly group: ReactNode
  readonly count: number | undefined
  readonly columns: readonly Column<Row>[]
  readonly template: string
  readonly isActive: boolean
  readonly isSelected: boolean
  /** Name of the box that selects the row; undefined: rows are not selected. */
  readonly boxName: string | undefined
  readonly isOpened: boolean
  readonly onPress: (event: MouseEvent) => void
}

export function GridRow<Row extends object>(props: GridRowProps<Row>) {
  const { id, index, row, group, count, columns, template, isActive, isSelected, boxName, isOpened, onPress } = props
  const transform = `translateY(${index * ROW_PX}px)`
  if (group !== undefined)
    return (
      <tr
        aria-rowindex={index + 2}
        className="absolute inset-x-0 flex h-8 items-center border-b border-line/60 bg-surface-2"
        style={{ transform }}
      >
        <th scope="rowgroup" className="flex min-w-0 items-center gap-2 truncate pl-3 text-small font-semibold">
          {group} <span className="font-normal text-ink-2">{count}</span>
        </th>
      </tr>
    )
  const hasBox = boxName !== undefined
  return (
    <tr
      id={id}
      onClick={onPress}
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-busy={row === undefined}
      className={clsx(
        'absolute inset-x-0 grid h-8 scroll-mt-8 items-center border-b border-line/60',
        row !== undefined && isOpened && 'cursor-pointer hover:bg-surface-2',
        isActive && 'group-focus-within:bg-accent-soft',
        // Strict containment, so that changes within a row never affect other rows.
        hasBox && 'contain-strict',
        hasBox && isSelected && 'bg-accent-soft',
        hasBox && isActive && 'shadow-[inset_2px_0_0_var(--accent)]',
      )}
      style={{ gridTemplateColumns: template, transform }}
    >
      {hasBox && (
        <td data-select className="flex h-full items-center pl-3">
          {row !== undefined && (
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={boxName}
              checked={isSelected}
              readOnly
              className="pointer-events-none accent-accent"
            />
          )}
        </td>
      )}
      {row === undefined ? (
        <td className="px-2" style={{ gridColumn: '2 / -1' }}>
          <div className="waits-to-show h-3 w-1/2 rounded-control bg-surface-2" />
        </td>
      ) : (
        columns.map(({ id: column, cell, align }) => (
          <td
            key={column}
            className={clsx('min-w-0 truncate px-2 first:pl-3 last:pr-3', align === 'right' && 'text-right')}
          >
            {cell(row)}
          </td>
        ))
      )}
    </tr>
  )
}

/** Memoized: while a list scrolls, most rows stay the same. */
export const StillRow = memo(GridRow) as typeof GridRow

type GridHeadProps<Row> = {
  readonly columns: readonly Column<Row>[]
  readonly template: string
  readonly selection: GridSelection<Row> | undefined
  readonly sort: TableSort | undefined
  readonly onSort: ((sort: TableSort | undefined) => void) | undefined
}

/** The head of a grid; its box selects all rows, read or not. */
export function GridHead<Row>({ columns, template, selection, sort, onSort }: GridHeadProps<Row>) {
  return (
    <thead className="sticky top-0 z-10 block">
      <tr
        aria-rowindex={1}
        className="grid h-8 border-b border-line bg-surface-1"
        style={{ gridTemplateColumns: template }}
      >
        {selection !== undefined && (
          <th scope="col" className="flex items-center pl-3 font-normal">
            <input
              type="checkbox"
              aria-label="Select all"
              checked={selection.all === 'all'}
              ref={(box) => {
                if (box !== null) box.indeterminate = selection.all === 'some'
              }}
              onChange={() => (selection.all === 'none' ? selection.onSelectAll() : selection.onClear())}
              className="accent-accent"
            />
          </th>
        )}
        {columns.map((column) => (
          <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
        ))}
      </tr>
    </thead>
  )
}

type HeaderCellProps<Row> = {
  readonly column: Column<Row>
  readonly sort: TableSort | undefined
  readonly onSort: ((sort: TableSort | undefined) => void) | undefined
}

function HeaderCell<Row>({ column, sort, onSort }: HeaderCellProps<Row>) {
  const { id, header, align, sortBy } = column
  const sorted = sort?.column === id ? (sort.descending ? 'descending' : 'ascending') : 'none'
  const next = sorted === 'none' ? { column: id, descending: false } : { column: id, descending: true }
  const sortable = sortBy !== undefined && onSort !== undefined
  return (
    <th
      scope="col"
      aria-sort={sortable ? sorted : undefined}
      className={clsx(
        'flex min-w-0 items-center px-2 text-small font-normal text-ink-2 first:pl-3 last:pr-3',
        align === 'right' && 'justify-end',
      )}
    >
      {sortable ? (
        <button
          type="button"
          onClick={() => onSort(sorted === 'descending' ? undefined : next)}
          className="flex min-w-0 items-center gap-1 rounded-control hover:text-ink [&_svg]:size-3"
        >
          <span className="truncate">{header}</span>
          {sorted === 'ascending' && <ArrowUp aria-hidden />}
          {sorted === 'descending' && <ArrowDown aria-hidden />}
        </button>
      ) : (
        <span className="truncate">{header}</span>
      )}
    </th>
  )
}

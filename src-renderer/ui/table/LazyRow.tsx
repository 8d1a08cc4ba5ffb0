import clsx from 'clsx'
import { type MouseEvent, memo } from 'react'
import type { Column, LazySelection } from './column.ts'
import { ROW_PX } from './column.ts'
import { HeaderCell } from './HeaderCell.tsx'

type LazyRowProps<Row> = {
  readonly id: string
  readonly index: number
  readonly row: Row | undefined
  readonly name: string
  readonly columns: readonly Column<Row>[]
  readonly template: string
  readonly isActive: boolean
  readonly isSelected: boolean
  readonly onPress: (event: MouseEvent) => void
}

// Drawn again only when something of it changes: while a list scrolls, most of its rows stay as they are.
function Row<Row extends object>(props: LazyRowProps<Row>) {
  const { id, index, row, name, columns, template, isActive, isSelected, onPress } = props
  return (
    <tr
      id={id}
      onClick={onPress}
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-busy={row === undefined}
      className={clsx(
        // Strictly contained: what comes and goes within a row concerns no other.
        'absolute inset-x-0 grid h-8 items-center border-b border-line/60 contain-strict',
        row !== undefined && 'cursor-pointer hover:bg-surface-2',
        isSelected && 'bg-accent-soft',
        isActive && 'shadow-[inset_2px_0_0_var(--accent)] group-focus-within:bg-accent-soft',
      )}
      style={{ gridTemplateColumns: template, transform: `translateY(${index * ROW_PX}px)` }}
    >
      <td data-select className="flex h-full items-center pl-3">
        {row !== undefined && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={name}
            checked={isSelected}
            readOnly
            className="pointer-events-none accent-accent"
          />
        )}
      </td>
      {row === undefined ? (
        <td className="px-2" style={{ gridColumn: '2 / -1' }}>
          <div className="waits-to-show h-3 w-1/2 rounded-control bg-surface-2" />
        </td>
      ) : (
        columns.map(({ id: column, cell, align }) => (
          <td key={column} className={clsx('min-w-0 truncate px-2 last:pr-3', align === 'right' && 'text-right')}>
            {cell(row)}
          </td>
        ))
      )}
    </tr>
  )
}

/** A row of a LazyTable, or its place. */
export const LazyRow = memo(Row) as typeof Row

type LazyHeadProps<Row> = {
  readonly columns: readonly Column<Row>[]
  readonly template: string
  readonly selection: LazySelection<Row>
}

/** The head of a LazyTable, with the box that selects all rows, read or not. */
export function LazyHead<Row>({ columns, template, selection }: LazyHeadProps<Row>) {
  const { all, onSelectAll, onClear } = selection
  return (
    <thead className="sticky top-0 z-10 block">
      <tr
        aria-rowindex={1}
        className="grid h-8 border-b border-line bg-surface-1"
        style={{ gridTemplateColumns: template }}
      >
        <th scope="col" className="flex items-center pl-3 font-normal">
          <input
            type="checkbox"
            aria-label="Select all"
            checked={all === 'all'}
            ref={(box) => {
              if (box !== null) box.indeterminate = all === 'some'
            }}
            onChange={() => (all === 'none' ? onSelectAll() : onClear())}
            className="accent-accent"
          />
        </th>
        {columns.map((column) => (
          <HeaderCell key={column.id} column={column} sort={undefined} onSort={undefined} />
        ))}
      </tr>
    </thead>
  )
}

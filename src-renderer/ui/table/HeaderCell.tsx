import clsx from 'clsx'
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { Column, TableSort } from './column.ts'

export type HeaderCellProps<Row> = {
  readonly column: Column<Row>
  readonly sort: TableSort | undefined
  readonly onSort: ((sort: TableSort | undefined) => void) | undefined
}

export function HeaderCell<Row>({ column, sort, onSort }: HeaderCellProps<Row>) {
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

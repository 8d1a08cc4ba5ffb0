/**
 * A grid of rows that are all loaded. The first cell is the row's link, so that it can be opened in its own window.
 * Sorting by a column applies within each group.
 */
import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { type ReactNode, useMemo, useState } from 'react'
import type { Column, TableSort } from './column.ts'
import { Grid } from './Grid.tsx'
import type { GridLine } from './GridRow.tsx'

export type TableProps<Row> = {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly onOpen?: (row: Row) => void
  readonly onRerun?: (row: Row) => void
  readonly onCancel?: (row: Row) => void
  readonly groupOf?: ((row: Row) => string) | undefined
  readonly groupName?: (row: Row) => ReactNode
  readonly sort?: TableSort | undefined
  readonly onSort?: (sort: TableSort | undefined) => void
  readonly className?: string
} & (Row extends WithId ? { readonly rowId?: RowId<Row> } : { readonly rowId: RowId<Row> })

export type { Column } from './column.ts'

type RowId<Row> = (row: Row) => string
type WithId = { readonly id: string | number }

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() })

export function Table<Row extends object>(props: TableProps<Row>) {
  const { label, columns, rows, onOpen, groupOf, groupName, sort, onSort } = props
  const { rowId = idOf } = props as { readonly rowId?: RowId<Row> }
  const [activeId, setActiveId] = useState<string>()
  const table = useTable({
    features,
    columns: useMemo(() => definitions(columns), [columns]),
    data: rows,
    getRowId: rowId,
    enableSortingRemoval: true,
    enableMultiSort: false,
    state: { sorting: useMemo(() => (sort === undefined ? [] : [{ id: sort.column, desc: sort.descending }]), [sort]) },
    onSortingChange: () => undefined,
  })
  const sorted = table.getRowModel().rows
  const lines = useMemo(() => linesOf(rows, sorted, groupOf, groupName), [rows, sorted, groupOf, groupName])
  const onActive = (act: ((row: Row) => void) | undefined) =>
    act &&
    ((active: Row | undefined) => {
      if (active !== undefined) act(active)
      return active !== undefined
    })
  return (
    <Grid
      label={label}
      columns={columns}
      count={lines.length}
      lineAt={(index) => lines[index]}
      keyAt={(index) => lines[index]?.key ?? String(index)}
      active={lines.findIndex((line) => line.key === activeId)}
      onActive={(index) => setActiveId(lines[index]?.key)}
      onOpen={onOpen}
      onRerun={onActive(props.onRerun)}
      onCancel={onActive(props.onCancel)}
      sort={sort}
      onSort={onSort}
      className={props.className}
    />
  )
}

// Rows without an id have a `rowId`.
const idOf = (row: object) => String((row as WithId).id)

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

function linesOf<Row>(
  rows: readonly Row[],
  sorted: readonly { readonly id: string; readonly original: Row }[],
  groupOf: ((row: Row) => string) | undefined,
  groupName: ((row: Row) => ReactNode) | undefined,
): readonly (GridLine<Row> & { readonly key: string })[] {
  const lineOf = ({ id, original }: (typeof sorted)[number]) => ({ key: id, row: original })
  if (groupOf === undefined) return sorted.map(lineOf)
  const members = Map.groupBy(sorted, ({ original }) => groupOf(original))
  return [...new Set(rows.map(groupOf))].flatMap((group) => {
    const own = members.get(group) ?? []
    const [first] = own
    const name = first && groupName ? groupName(first.original) : group
    return [{ key: `group ${group}`, group: name, count: own.length }, ...own.map(lineOf)]
  })
}

import { useMemo } from 'react'
import type { Column } from '../table/column.ts'
import { Table } from '../table/Table.tsx'
import { cellText, type FoundTable } from './find-table.ts'

type NumberedRow = { readonly at: number; readonly row: Readonly<Record<string, unknown>> }

const keyOf = ({ at }: NumberedRow) => String(at)

/** A list of flat objects as a table. */
export function TableOf({ found }: { readonly found: FoundTable }) {
  const rows = useMemo(() => found.rows.map((row, at) => ({ at, row })), [found])
  const columns = useMemo(
    () =>
      found.columns.map<Column<NumberedRow>>((name) => ({
        id: name,
        header: name,
        width: 96,
        grow: 1,
        cell: ({ row }) => <span title={cellText(row[name])}>{cellText(row[name])}</span>,
      })),
    [found],
  )
  return (
    <Table
      label={found.path === '' ? 'Rows' : found.path}
      columns={columns}
      rows={rows}
      rowId={keyOf}
      className="max-h-80 rounded-control border border-line"
    />
  )
}

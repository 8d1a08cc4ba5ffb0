import { useMemo } from 'react'
import { Card } from '../../../ui/Card.tsx'
import { OutputView } from '../../../ui/output/OutputView.tsx'
import type { Column } from '../../../ui/table/column.ts'
import { Table } from '../../../ui/table/Table.tsx'
import { cellText, type FoundTable, findTable } from './find-table.ts'

/** An input or an output. */
export type PayloadCardProps = {
  readonly title: string
  readonly value: unknown
  /** What is said where there is no value. */
  readonly none: string
  /** What is said above the value. */
  readonly note?: string | undefined
}

/** An input or an output, rendered or raw; a list of flat objects is a table too. */
export function PayloadCard({ title, value, none, note }: PayloadCardProps) {
  const table = useMemo(() => findTable(value), [value])
  return (
    <Card title={title}>
      <div className="flex min-w-0 flex-col gap-3 p-3">
        {note !== undefined && <p className="text-ink-2">{note}</p>}
        {table !== undefined && <TableOf found={table} />}
        {value === undefined ? <p className="text-ink-2">{none}</p> : <OutputView value={value} label={title} />}
      </div>
    </Card>
  )
}

type NumberedRow = { readonly at: number; readonly row: Readonly<Record<string, unknown>> }

const keyOf = ({ at }: NumberedRow) => String(at)

function TableOf({ found }: { readonly found: FoundTable }) {
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

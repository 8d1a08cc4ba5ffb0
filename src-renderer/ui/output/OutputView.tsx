import { useMemo, useState } from 'react'
import { isRecord, writeExact } from '../../../src-main/lib/json/plain.ts'
import { CopyButton } from '../Button.tsx'
import { bytes } from '../format.ts'
import { JsonTree } from '../JsonTree.tsx'
import { Scrolling } from '../Scrolling.tsx'
import { SegmentedChoice } from '../Tabs.tsx'
import { type Column, Table } from '../table/Table.tsx'
import { findParts, OutputPartView } from './OutputPartView.tsx'

type Form = 'Rendered' | 'Raw'

export function OutputView({ value, label = 'Output' }: { readonly value: unknown; readonly label?: string }) {
  const [form, setForm] = useState<Form>('Rendered')
  const raw = useMemo(() => (value === undefined ? '' : writeExact(value, 2)), [value])
  if (value === undefined) return <p className="text-ink-2">No output.</p>
  return (
    <section aria-label={label} className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center justify-between gap-2">
        <SegmentedChoice label={`Format of ${label}`} choices={['Rendered', 'Raw']} value={form} onChange={setForm} />
        <CopyButton text={typeof value === 'string' && form === 'Rendered' ? value : raw} what={label.toLowerCase()} />
      </div>
      {form === 'Raw' ? <RawOutput text={raw} label={label} /> : <Rendered value={value} />}
    </section>
  )
}

function Rendered({ value }: { readonly value: unknown }) {
  const parts = useMemo(() => findParts(value), [value])
  const table = useMemo(() => findTable(value), [value])
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {parts.map((part) => (
        <OutputPartView key={part.path} part={part} />
      ))}
      {table !== undefined && <TableOf found={table} />}
      {typeof value !== 'string' && <JsonTree value={value} />}
    </div>
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

type FoundTable = {
  readonly path: string
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

// More columns than fit side by side are easier to read as a tree.
const MOST_COLUMNS = 16
const LEAST_ROWS = 2
const LONG_CELL = 2000
// Enough rows to conclude that all have the same shape.
const SAMPLED = 200

export function findTable(value: unknown): FoundTable | undefined {
  const own = tableOf(value, '')
  if (own !== undefined || !isRecord(value)) return own
  for (const [name, item] of Object.entries(value)) {
    const found = tableOf(item, name)
    if (found !== undefined) return found
  }
  return undefined
}

function tableOf(value: unknown, path: string): FoundTable | undefined {
  if (!Array.isArray(value) || value.length < LEAST_ROWS) return undefined
  const columns = new Set<string>()
  for (const row of value.slice(0, SAMPLED)) {
    if (!isRecord(row)) return undefined
    for (const [name, cell] of Object.entries(row)) {
      if (typeof cell === 'object' && cell !== null) return undefined
      if (typeof cell === 'string' && cell.length > LONG_CELL) return undefined
      columns.add(name)
    }
    if (columns.size > MOST_COLUMNS) return undefined
  }
  return columns.size === 0 ? undefined : { path, columns: [...columns], rows: value }
}

function cellText(cell: unknown): string {
  if (cell === undefined || cell === null) return ''
  return typeof cell === 'object' ? writeExact(cell) : String(cell)
}

// More characters in one element make the window stutter; the rest can be copied or saved.
const SHOWN = 200_000

export function RawOutput({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="min-w-0">
      <Scrolling
        label={`${label} as JSON`}
        className="max-h-[32rem] overflow-auto rounded-control border border-line bg-surface-0 p-3 font-mono text-small break-all whitespace-pre-wrap"
      >
        {text.slice(0, SHOWN)}
      </Scrolling>
      {text.length > SHOWN && (
        <p className="mt-1 text-small text-ink-2">
          The first {bytes(SHOWN)} of {bytes(text.length)}. Copy it to get all of it.
        </p>
      )}
    </div>
  )
}

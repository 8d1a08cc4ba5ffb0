import type { Column } from './column.ts'
import { HeaderCell } from './HeaderCell.tsx'
import type { LazySelection } from './lazy-selection.ts'

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

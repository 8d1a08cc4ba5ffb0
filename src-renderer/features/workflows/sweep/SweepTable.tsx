import type { RunView } from '../../../../src-main/contract/workflows.ts'
import type { SweepSheet } from '../../../../src-main/domain/workflow/publish/sweep-sheet.ts'
import { SweepCell } from './SweepCell.tsx'

/** The table of a sweep. */
export type SweepTableProps = { readonly sheet: Extract<SweepSheet<RunView>, { readonly kind: 'table' }> }

/** A row for each value of one input and a column for each of another; a table for each value of a third. */
export function SweepTable({ sheet }: SweepTableProps) {
  const { rowName, columnName, columns, pages } = sheet
  return pages.map(({ title, rows }) => (
    <div key={title ?? ''} className="flex flex-col gap-2">
      {title !== undefined && <h2 className="text-section font-semibold">{title}</h2>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no pointer scrolls a wide table with the keys */}
      <section aria-label={`Table of ${title ?? 'results'}`} tabIndex={0} className="overflow-x-auto">
        <table className="border-separate border-spacing-2">
          <thead>
            <tr>
              <th scope="col" className="text-left text-small font-normal text-ink-2">
                {rowName} ↓ {columnName} →
              </th>
              {columns.map((column, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a value may stand twice, and its place never changes
                <th key={at} scope="col" className="max-w-44 text-left text-small font-medium break-words">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ heading, cells }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <tr key={at} className="align-top">
                <th
                  scope="row"
                  className="sticky left-0 z-10 max-w-44 bg-surface-0 pr-2 text-left text-small font-medium break-words"
                >
                  {heading}
                </th>
                {cells.map((run, place) => (
                  <td key={run?.id ?? `empty ${place}`} className="w-44 min-w-28">
                    {run !== undefined && <SweepCell run={run} isLabelled={false} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  ))
}

import { Link } from 'wouter'
import type { RunView } from '../../../src-main/contract/workflows.ts'
import type { SweepSheet } from '../../../src-main/features/workflows/rules/publish/sweep-sheet.ts'
import { ADDRESS } from '../../addresses.ts'
import { JobStateDot } from '../../ui/StateDot.tsx'
import { RunMedia } from '../workflow-editor/run/RunMedia.tsx'
import { locatedLine, readRunError } from '../workflow-editor/run/run-queries.ts'

export type SweepTableProps = { readonly sheet: Extract<SweepSheet<RunView>, { readonly kind: 'table' }> }

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
                {cells.map((run, index) => (
                  <td key={run?.id ?? `empty ${index}`} className="w-44 min-w-28">
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

export function SweepCell({ run, isLabelled }: { readonly run: RunView; readonly isLabelled: boolean }) {
  const [result] = run.results
  const [error] = run.errors
  const label = run.label ?? run.id
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <Link
        to={ADDRESS.run(run.id)}
        aria-label={`Run with ${label}`}
        title={isLabelled ? undefined : label}
        className="flex aspect-square items-center justify-center overflow-hidden rounded-control border border-line bg-surface-2"
      >
        {result === undefined ? (
          <JobStateDot state={run.status} />
        ) : (
          <RunMedia result={result} name={label} isThumbnail className="size-full" />
        )}
      </Link>
      <figcaption className="text-small break-words">
        {isLabelled && label}
        {error !== undefined && <span className="block text-failed-ink">{locatedLine(readRunError(error))}</span>}
      </figcaption>
    </figure>
  )
}

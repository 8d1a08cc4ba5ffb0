import { Link } from 'wouter'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { RunMedia } from '../../workflow-editor/run/RunMedia.tsx'
import { placedLine, readRunError } from '../../workflow-editor/run/read-run-error.ts'

/** A run on the sheet of its sweep. */
export type SweepCellProps = {
  readonly run: RunView
  /** Whether it says what sets it apart; in a table, rows and columns do. */
  readonly isLabelled: boolean
}

/** What a run of a sweep gave, or its state and its error; it opens the run. */
export function SweepCell({ run, isLabelled }: SweepCellProps) {
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
        {error !== undefined && <span className="block text-failed-ink">{placedLine(readRunError(error))}</span>}
      </figcaption>
    </figure>
  )
}

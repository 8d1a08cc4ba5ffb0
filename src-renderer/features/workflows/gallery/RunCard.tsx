import clsx from 'clsx'
import { memo } from 'react'
import { Link } from 'wouter'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { RelativeTime } from '../../../ui/Values.tsx'
import { RunMedia } from '../../workflow-editor/run/RunMedia.tsx'
import { placedLine, readRunError } from '../../workflow-editor/run/read-run-error.ts'
import { runName } from '../../workflow-editor/run/run-name.ts'

/** A run on the wall. */
export type RunCardProps = {
  readonly run: RunView
  readonly to: string
  /** Its place on the wall. */
  readonly place: number
  /** Another run is looked for to compare it with. */
  readonly isCompared: boolean
}

/** A run: its first result, what it was of, when it was. */
export const RunCard = memo(function RunCard({ run, to, place, isCompared }: RunCardProps) {
  const [first] = run.results
  const name = runName(run)
  return (
    <li className="min-w-0">
      <Link
        to={to}
        data-card={place}
        className={clsx(
          'flex flex-col overflow-hidden rounded-control border bg-surface-1 -outline-offset-2',
          isCompared ? 'border-accent' : 'border-line hover:border-line-strong',
        )}
      >
        <span className="relative flex aspect-square items-center justify-center overflow-hidden bg-surface-0">
          {first === undefined ? (
            <NoPicture run={run} />
          ) : (
            <RunMedia result={first} name="" isThumbnail className="size-full" />
          )}
          {isCompared && (
            <span className="absolute top-1.5 left-1.5 rounded-control bg-accent px-1.5 text-small text-on-accent">
              Chosen
            </span>
          )}
          {run.results.length > 1 && (
            <span className="absolute right-1.5 bottom-1.5 rounded-control bg-ink/80 px-1.5 text-small text-surface-1">
              {run.results.length} results
            </span>
          )}
        </span>
        <span className="flex h-12 flex-col justify-center border-t border-line px-2">
          <span className="truncate font-medium" title={name}>
            {name}
          </span>
          <span className="flex items-center gap-2 text-small text-ink-2">
            {run.status === 'COMPLETED' ? (
              <span className="sr-only">Completed</span>
            ) : (
              <JobStateDot state={run.status} />
            )}
            <RelativeTime at={run.createdAt} />
            <span className="ml-auto truncate">{run.endpointId}</span>
          </span>
        </span>
      </Link>
    </li>
  )
})

function NoPicture({ run: { status, errors } }: { readonly run: RunView }) {
  const [error] = errors
  if (error !== undefined)
    return (
      <span className="line-clamp-6 p-3 text-small break-words text-failed-ink">{placedLine(readRunError(error))}</span>
    )
  return <JobStateDot state={status} />
}

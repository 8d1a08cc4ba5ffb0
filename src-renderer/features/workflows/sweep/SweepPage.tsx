import { Link } from 'wouter'
import type { RunView } from '../../../../src-main/contract/workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { Page } from '../../../ui/Page.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { RunMedia } from '../../workflow-editor/run/RunMedia.tsx'
import { placedLine, readRunError } from '../../workflow-editor/run/read-run-error.ts'
import { useRunList } from '../../workflow-editor/run/use-run-list.ts'

/** The runs of a sweep on one sheet, each under what sets it apart, in the order in which they were queued. */
export function SweepPage({ sweepId }: { readonly sweepId: string }) {
  const { phase, error, runs, fresh, more, list } = useRunList({ sweep: sweepId })
  const all = [...fresh, ...runs].toReversed()
  const [first] = all
  const workflow = first?.workflowId
  const ended = all.filter(({ endedAt }) => endedAt !== undefined).length
  const crumbs = [
    { name: 'Workflows', to: ADDRESS.workflows },
    ...(first === undefined || workflow === undefined ? [] : [{ name: first.title, to: ADDRESS.workflow(workflow) }]),
    { name: 'Sweep' },
  ]
  return (
    <Page
      crumbs={crumbs}
      state={all.length > 0 && <span className="text-ink-2">{`${ended} of ${all.length} ended`}</span>}
    >
      {phase === 'loading' && <SkeletonRows rows={6} />}
      {error !== undefined && (
        <ErrorNotice error={error} action={<Button onClick={() => void list.start()}>Try again</Button>} />
      )}
      {phase === 'shown' && all.length === 0 && (
        <EmptyState>No run of this sweep is kept any more. Runs are kept in the gallery for 30 days.</EmptyState>
      )}
      {more && <Button onClick={() => void list.readMore()}>Show the earlier ones too</Button>}
      <ol aria-label="Contact sheet" className="grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-3">
        {all.map((run) => (
          <li key={run.id}>
            <SheetPicture run={run} />
          </li>
        ))}
      </ol>
    </Page>
  )
}

function SheetPicture({ run }: { readonly run: RunView }) {
  const [result] = run.results
  const [error] = run.errors
  const label = run.label ?? run.id
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <Link
        to={ADDRESS.run(run.id)}
        aria-label={`Run with ${label}`}
        className="flex aspect-square items-center justify-center overflow-hidden rounded-control border border-line bg-surface-2"
      >
        {result === undefined ? (
          <JobStateDot state={run.status} />
        ) : (
          <RunMedia result={result} name={label} isThumbnail className="size-full" />
        )}
      </Link>
      <figcaption className="text-small break-words">
        {label}
        {error !== undefined && <span className="block text-failed-ink">{placedLine(readRunError(error))}</span>}
      </figcaption>
    </figure>
  )
}

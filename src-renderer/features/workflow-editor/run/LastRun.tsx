import { counted } from '../../../ui/format.ts'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { Duration } from '../../../ui/Values.tsx'
import { useRuns } from '../store/editor-context.ts'
import { hasEnded } from './follow-runs.ts'
import { placedLine, readRunError } from './read-run-error.ts'
import { useShowResults } from './use-show-results.ts'

/** How the last run of this window ended, with the way to what it gave. */
export function LastRun() {
  const run = useRuns(({ shown }) => shown)
  const showResults = useShowResults()
  if (run === undefined || !hasEnded(run)) return null
  const [error] = run.errors
  return (
    <div
      role="status"
      aria-label="Last run"
      className="flex max-w-xl flex-wrap items-center gap-x-3 gap-y-0.5 border-b border-line px-3 py-1.5"
    >
      <JobStateDot state={run.status} />
      {run.executionMs !== undefined && (
        <span className="text-ink-2">
          <Duration ms={run.executionMs} />
        </span>
      )}
      {error === undefined ? (
        <span className="text-ink-2">{counted(run.results.length, 'result')}</span>
      ) : (
        <span className="line-clamp-2 min-w-0 text-failed-ink">{placedLine(readRunError(error))}</span>
      )}
      {showResults !== undefined && (
        <button type="button" onClick={showResults} className="ml-auto text-accent hover:underline">
          Show results
        </button>
      )}
    </div>
  )
}

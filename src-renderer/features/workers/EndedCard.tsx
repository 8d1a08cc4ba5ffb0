import { Link } from 'wouter'
import { duration } from '../../ui/format.ts'
import { StateDot } from '../../ui/StateDot.tsx'
import { RelativeTime } from '../../ui/Values.tsx'
import type { EndedWorker } from './ended-workers.ts'
import { asSentence } from './worker-state.ts'

/** A worker that ended a little while ago, with its last words. @param to address of its drawer, with its log */
export function EndedCard({ worker, to }: { readonly worker: EndedWorker; readonly to: string }) {
  const { id, crashed, reason, endedAt, startedAt } = worker
  return (
    <li className="relative flex min-w-0 flex-col gap-2 rounded-control border border-dashed border-line-strong/60 p-3 hover:border-line-strong">
      <div className="flex items-center gap-2">
        <StateDot tone={crashed ? 'failed' : 'queued'} word={crashed ? 'Crashed' : 'Ended'} />
        <Link
          to={to}
          data-card
          className="min-w-0 flex-1 truncate font-mono text-small text-ink-2 after:absolute after:inset-0 after:rounded-control"
        >
          {id}
        </Link>
      </div>
      <p
        className={crashed ? 'line-clamp-3 font-mono text-small break-words' : 'line-clamp-3 text-small text-ink-2'}
        title={reason}
      >
        {reason === undefined ? 'Nothing is known of why.' : crashed ? reason : asSentence(reason)}
      </p>
      <p className="mt-auto truncate text-small text-ink-2">
        <RelativeTime at={endedAt} />
        {startedAt !== undefined && ` · was up ${duration(Math.max(0, endedAt - startedAt))}`}
      </p>
    </li>
  )
}

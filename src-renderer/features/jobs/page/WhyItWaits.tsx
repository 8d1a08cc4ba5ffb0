import { Hourglass } from 'lucide-react'
import { Link } from 'wouter'
import { ADDRESS } from '../../../addresses.ts'
import type { JobDetail } from '../../../api-client/job-queries.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { duration } from '../../../ui/format.ts'
import { useNow } from '../../../ui/use-now.ts'

const SECOND_MS = 1000

/** Why a job waits and for how long, with the next step. */
export function WhyItWaits({ job }: { readonly job: JobDetail }) {
  const { client, store } = useApp()
  const now = useNow(SECOND_MS)
  const { endpointId, waitingReason, history } = job
  const paused = useAppState(({ live }) => live.endpoints[endpointId]?.paused === true)
  const since = history.at(-1)?.at ?? job.createdAt
  const resume = () =>
    client
      .call('endpointResume', { path: { endpointId } })
      .catch((error: Error) => void store.getState().tell({ kind: 'error', text: error.message }))
  return (
    <div role="status" className="flex items-center gap-2 rounded-control bg-warn-soft px-3 py-2 text-warn-ink">
      <Hourglass aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 break-words">
        Waits for {duration(Math.max(0, now - since))}: {waitingReason ?? 'a worker takes it in a moment.'}
      </p>
      {paused ? (
        <Button onClick={() => void resume()}>Resume {endpointId}</Button>
      ) : (
        <Link to={ADDRESS.endpoint(endpointId, 'workers')} className="shrink-0 underline">
          Workers of {endpointId}
        </Link>
      )}
    </div>
  )
}

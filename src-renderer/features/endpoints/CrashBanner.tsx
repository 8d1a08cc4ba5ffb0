import { TriangleAlert } from 'lucide-react'
import { Link } from 'wouter'
import type { EndpointCrash } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { crashSummary } from '../../../src-main/domain/worker/endpoint-state.ts'
import { ADDRESS } from '../../addresses.ts'
import { Button } from '../../ui/Button.tsx'
import { counted } from '../../ui/format.ts'
import { useNow } from '../../ui/use-now.ts'
import { useEndpointActions } from './use-endpoint-actions.ts'

// The next try counts down in seconds.
const EVERY_MS = 1000

/** An endpoint whose workers crash. */
export type CrashBannerProps = { readonly endpoint: LiveEndpoint; readonly crash: EndpointCrash }

/** Says on every tab that the workers crash: why, how often, when the next one is tried, and how to try at once. */
export function CrashBanner({ endpoint, crash }: CrashBannerProps) {
  const now = useNow(EVERY_MS)
  const { tryAgain } = useEndpointActions(endpoint)
  const { id, inQueue } = endpoint
  return (
    <section
      aria-label="Crashes"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 rounded-control bg-failed-soft px-3 py-2 text-failed-ink"
    >
      <TriangleAlert aria-hidden className="size-4 shrink-0" />
      <p className="min-w-60 flex-1 break-words">
        Its workers crash ({crashSummary(crash, now)}): <code className="font-mono">{crash.lastWords}</code>
        {inQueue > 0 && ` ${counted(inQueue, 'job')} ${inQueue === 1 ? 'waits' : 'wait'}.`}
      </p>
      <Link to={ADDRESS.endpoint(id, 'logs')} className="hover:underline">
        See the log
      </Link>
      <Button onClick={() => void tryAgain()}>Try now</Button>
    </section>
  )
}

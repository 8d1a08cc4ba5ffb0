import { Hourglass } from 'lucide-react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { Button } from '../../../ui/Button.tsx'
import { counted } from '../../../ui/format.ts'
import { useEndpointActions } from '../use-endpoint-actions.ts'

/** Says why jobs wait, or would, with the next step. */
export function WaitingNotice({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const { resume } = useEndpointActions(endpoint)
  const { inQueue, paused } = endpoint
  const reason = (inQueue > 0 ? endpoint.waitingReason : undefined) ?? whyIdle(endpoint)
  if (reason === undefined) return null
  return (
    <div role="status" className="flex items-center gap-2 rounded-control bg-warn-soft px-3 py-2 text-warn-ink">
      <Hourglass aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 break-words">
        {inQueue > 0 && `${counted(inQueue, 'job')} ${inQueue === 1 ? 'waits' : 'wait'}. `}
        {reason}
      </p>
      {paused && <Button onClick={() => void resume()}>Resume</Button>}
    </div>
  )
}

// Nothing waits, and something may still be in the way of what comes.
function whyIdle({ paused, throttledReason }: LiveEndpoint): string | undefined {
  if (paused) return 'The endpoint is paused.'
  return throttledReason && `A worker is to start and finds no place: ${throttledReason}.`
}

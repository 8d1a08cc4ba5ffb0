import { TriangleAlert } from 'lucide-react'
import { Link } from 'wouter'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { ADDRESS } from '../../addresses.ts'
import { Button } from '../../ui/Button.tsx'
import { faultsInWords } from './fault-words.ts'
import { useEndpointActions } from './use-endpoint-actions.ts'

/** Says on every tab that what goes wrong here is meant to, with the way back. */
export function FaultBanner({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const { id, name, faults } = endpoint
  const { clearFaults } = useEndpointActions(endpoint)
  if (faults === undefined) return null
  return (
    <section
      aria-label="Fault switches"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 rounded-control bg-warn-soft px-3 py-2 text-warn-ink"
    >
      <TriangleAlert aria-hidden className="size-4 shrink-0" />
      <p className="min-w-60 flex-1 break-words">
        Fault switches are on: {name} {faultsInWords(faults)}, on purpose.
      </p>
      <Link to={`${ADDRESS.endpoint(id, 'settings')}?section=faults`} className="hover:underline">
        Change
      </Link>
      <Button onClick={() => void clearFaults(faults)}>Turn all off</Button>
    </section>
  )
}

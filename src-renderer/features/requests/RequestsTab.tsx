import { SquareTerminal } from 'lucide-react'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'

/** Requests to an endpoint, made by hand. */
export function RequestsTab({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  return (
    <EmptyState icon={<SquareTerminal />} command={`drydock runsync ${endpoint.id} '{}'`}>
      Requests have no page yet. This command sends one:
    </EmptyState>
  )
}

import { SquareTerminal } from 'lucide-react'
import { EmptyState } from '../../ui/EmptyState.tsx'

/** The jobs of an endpoint, or of all: filters, search, table. */
export function JobsView({ endpointId }: { readonly endpointId?: string }) {
  return (
    <EmptyState icon={<SquareTerminal />} command={`drydock jobs list ${endpointId ?? ''}`}>
      Jobs have no page yet. This command lists them:
    </EmptyState>
  )
}

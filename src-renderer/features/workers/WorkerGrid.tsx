import { SquareTerminal } from 'lucide-react'
import { EmptyState } from '../../ui/EmptyState.tsx'

/** The workers of an endpoint, or of all, as cards. */
export function WorkerGrid({ endpointId }: { readonly endpointId?: string }) {
  return (
    <EmptyState icon={<SquareTerminal />} command={`drydock workers list ${endpointId ?? ''}`}>
      Workers have no page yet. This command lists them:
    </EmptyState>
  )
}

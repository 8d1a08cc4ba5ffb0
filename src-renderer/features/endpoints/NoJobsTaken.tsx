import { SquareTerminal } from 'lucide-react'
import { useLocation } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'

/** Stands where the jobs would be of an endpoint that answers requests itself. */
export function NoJobsTaken({ endpointId }: { readonly endpointId: string }) {
  const [, go] = useLocation()
  return (
    <EmptyState
      icon={<SquareTerminal />}
      command={`drydock requests ${endpointId}`}
      action={
        <Button kind="main" onClick={() => go(ADDRESS.endpoint(endpointId, 'requests'))}>
          Show its requests
        </Button>
      }
    >
      A load-balanced endpoint answers requests itself and takes no jobs.
    </EmptyState>
  )
}

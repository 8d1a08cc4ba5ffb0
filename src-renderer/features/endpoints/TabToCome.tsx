import { SquareTerminal } from 'lucide-react'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import type { EndpointTab } from '../../addresses.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'

const COMMANDS: Readonly<Record<Exclude<EndpointTab, 'overview'>, (endpointId: string) => string>> = {
  requests: (id) => `drydock runsync ${id} '{}'`,
  jobs: (id) => `drydock jobs list --endpoint ${id}`,
  workers: (id) => `drydock workers list --endpoint ${id}`,
  logs: (id) => `drydock logs ${id} -f`,
  settings: (id) => `drydock endpoint update ${id} --help`,
}

/** A part of an endpoint that has no page yet, with the command that does the same. */
export function TabToCome({
  endpoint,
  tab,
}: {
  readonly endpoint: LiveEndpoint
  readonly tab: Exclude<EndpointTab, 'overview'>
}) {
  return (
    <EmptyState icon={<SquareTerminal />} command={COMMANDS[tab](endpoint.id)}>
      The {tab} of an endpoint have no page yet. This command shows them:
    </EmptyState>
  )
}

import { SquareTerminal } from 'lucide-react'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'

/** The settings of an endpoint. */
export function SettingsTab({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  return (
    <EmptyState icon={<SquareTerminal />} command={`drydock endpoint update ${endpoint.id} --help`}>
      Settings have no page yet. This command changes them:
    </EmptyState>
  )
}

import type { WorkerView } from '../../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { StateDotProps } from '../../../ui/StateDot.tsx'
import { endpointState } from '../../endpoints/endpoint-state.ts'

// What a person would want to know first stands first.
const ORDER = ['Unhealthy', 'Waiting', 'Starting', 'Running', 'Ready', 'Asleep', 'Paused', 'Closed']

/** How the endpoints of an environment are, all together: the state that asks most for attention. */
export function environmentState(
  endpoints: readonly LiveEndpoint[],
  workers: Readonly<Record<string, WorkerView>>,
): StateDotProps {
  if (endpoints.length === 0) return { tone: 'queued', word: 'Not deployed' }
  const all = Object.values(workers)
  const states = endpoints.map((endpoint) =>
    endpointState(
      endpoint,
      all.filter(({ endpointId }) => endpointId === endpoint.id),
    ),
  )
  const first = ORDER.find((word) => states.some((state) => state.word === word))
  return states.find(({ word }) => word === first) ?? { tone: 'queued', word: 'Asleep' }
}

import type { WorkerView } from '../../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { STATES_BY_ATTENTION } from '../../../../src-main/domain/worker/endpoint-state.ts'
import type { StateDotProps } from '../../../ui/StateDot.tsx'
import { endpointStateDot, stateNow } from '../../endpoints/endpoint-state.ts'

/** How the endpoints of an environment are, all together: the state that asks most for attention. */
export function environmentState(
  endpoints: readonly LiveEndpoint[],
  workers: Readonly<Record<string, WorkerView>>,
): StateDotProps {
  if (endpoints.length === 0) return { tone: 'queued', word: 'Not deployed' }
  const all = Object.values(workers)
  const states = endpoints.map((endpoint) =>
    stateNow(
      endpoint,
      all.filter(({ endpointId }) => endpointId === endpoint.id),
    ),
  )
  return endpointStateDot(STATES_BY_ATTENTION.find((state) => states.includes(state)) ?? 'asleep')
}

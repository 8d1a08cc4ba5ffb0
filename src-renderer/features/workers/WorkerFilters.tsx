import { WORKER_STATES } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { PickOne } from '../../ui/form/PickOne.tsx'
import type { WorkerFilter } from './filter-workers.ts'
import { WORKER_LOOKS } from './worker-state.ts'

/** The filters of the workers. */
export type WorkerFiltersProps = {
  readonly filter: WorkerFilter
  /** To choose from; none: the endpoint is given. */
  readonly endpoints: readonly LiveEndpoint[]
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void
}

const STATES = WORKER_STATES.filter((state) => state !== 'throttled')

/** Chooses which workers are shown. */
export function WorkerFilters({ filter, endpoints, onChange }: WorkerFiltersProps) {
  return (
    <>
      {endpoints.length > 0 && (
        <PickOne
          label="Endpoint"
          any="All endpoints"
          value={filter.endpointId}
          choices={endpoints.map(({ id, name }) => [id, name] as const)}
          onChange={(endpoint) => onChange({ endpoint })}
        />
      )}
      <PickOne
        label="State"
        any="All states"
        value={filter.state}
        choices={STATES.map((state) => [state, WORKER_LOOKS[state].word] as const)}
        onChange={(state) => onChange({ state })}
      />
    </>
  )
}

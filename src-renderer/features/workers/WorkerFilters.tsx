import { WORKER_STATES } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
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
        <Choice
          label="Endpoint"
          all="All endpoints"
          value={filter.endpointId}
          choices={endpoints.map(({ id, name }) => ({ id, name }))}
          onChange={(endpoint) => onChange({ endpoint })}
        />
      )}
      <Choice
        label="State"
        all="All states"
        value={filter.state}
        choices={STATES.map((state) => ({ id: state, name: WORKER_LOOKS[state].word }))}
        onChange={(state) => onChange({ state })}
      />
    </>
  )
}

function Choice({
  label,
  all,
  value,
  choices,
  onChange,
}: {
  readonly label: string
  readonly all: string
  readonly value: string | undefined
  readonly choices: readonly { readonly id: string; readonly name: string }[]
  readonly onChange: (value: string | undefined) => void
}) {
  // What an address names and is not there (any more) is shown all the same, so that it can be taken away.
  const isKnown = value === undefined || choices.some(({ id }) => id === value)
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      className="h-7 max-w-48 rounded-control border border-line-strong/60 bg-surface-1 px-2"
    >
      <option value="">{all}</option>
      {!isKnown && <option value={value}>{value}</option>}
      {choices.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}

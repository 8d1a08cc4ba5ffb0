import { endpointStateWord, STATES_BY_ATTENTION } from '../../../src-main/domain/worker/endpoint-state.ts'
import { Button } from '../../ui/Button.tsx'
import { PickOne } from '../../ui/form/PickOne.tsx'
import { SavedViews } from '../../ui/SavedViews.tsx'
import type { SetSearchParts } from '../../ui/use-search-parts.ts'
import { ENDPOINT_KINDS, type EndpointListFilter } from './endpoint-list-filter.ts'

/** The filters of the list of endpoints. */
export type EndpointFilterBarProps = {
  readonly filter: EndpointListFilter
  /** Whether there is an endpoint of an app, so that groups make sense. */
  readonly hasApps: boolean
  readonly onChange: SetSearchParts
}

const STATE_CHOICES = STATES_BY_ATTENTION.map((state) => [state, endpointStateWord(state)] as const)

/** Chooses by state and kind which endpoints are shown, whether in groups, and saves that as a view. */
export function EndpointFilterBar({ filter, hasApps, onChange }: EndpointFilterBarProps) {
  const isFiltered = filter.text !== '' || filter.state !== undefined || filter.kind !== undefined
  return (
    <div className="flex flex-wrap items-center gap-2">
      <PickOne
        label="State"
        any="All states"
        value={filter.state}
        choices={STATE_CHOICES}
        onChange={(state) => onChange({ state })}
      />
      <PickOne
        label="Kind"
        any="All kinds"
        value={filter.kind}
        choices={ENDPOINT_KINDS}
        onChange={(kind) => onChange({ kind })}
      />
      {hasApps && (
        <Button
          aria-pressed={filter.isGrouped}
          onClick={() => onChange({ group: filter.isGrouped ? 'none' : undefined })}
          className="aria-pressed:bg-accent-soft"
        >
          Group by app
        </Button>
      )}
      {isFiltered && (
        <Button kind="quiet" onClick={() => onChange({ q: undefined, state: undefined, kind: undefined })}>
          Clear filters
        </Button>
      )}
      <SavedViews list="endpoints" />
    </div>
  )
}

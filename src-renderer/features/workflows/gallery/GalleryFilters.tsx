import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Select } from '../../../ui/form/Select.tsx'
import { SearchField } from '../../../ui/SearchField.tsx'
import { runEndpoints } from '../../workflow-editor/run/run-endpoints.ts'
import { workflowsQuery } from '../library/queries.ts'
import type { GalleryAddress, GalleryPart } from './use-gallery-address.ts'

/** What is filtered by. */
export type GalleryFiltersProps = {
  readonly address: GalleryAddress
  readonly onChange: (part: GalleryPart, value: string | undefined) => void
}

/** Filters of the gallery: by workflow, by endpoint, by words. */
export function GalleryFilters({ address, onChange }: GalleryFiltersProps) {
  const { client } = useApp()
  const { data } = useQuery(workflowsQuery(client))
  const endpoints = useAppState(({ live }) => live.endpoints)
  const workflows = (data?.workflows ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const ids = useMemo(() => runEndpoints(endpoints).map(({ id }) => ({ value: id, label: id })), [endpoints])
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <Select
        aria-label="Workflow"
        none="All workflows"
        choices={withChosen(workflows, address.workflow)}
        value={address.workflow ?? ''}
        onChange={(value) => onChange('workflow', value)}
        className="w-44"
      />
      <Select
        aria-label="Endpoint"
        none="All endpoints"
        choices={withChosen(ids, address.endpoint)}
        value={address.endpoint ?? ''}
        onChange={(value) => onChange('endpoint', value)}
        className="w-40"
      />
      <SearchField label="Search runs" value={address.q ?? ''} onChange={(value) => onChange('q', value)} />
    </div>
  )
}

type Choice = { readonly value: string; readonly label: string }

// What the address asks for may be deleted, and is filtered by all the same.
function withChosen(choices: readonly Choice[], chosen: string | undefined): readonly Choice[] {
  if (chosen === undefined || choices.some(({ value }) => value === chosen)) return choices
  return [{ value: chosen, label: `${chosen} (deleted)` }, ...choices]
}

import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { catalogQuery } from '../../api-client/queries.ts'
import { useApp } from '../../store/app-context.ts'
import type { Command } from '../../store/commands-slice.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorNotice } from '../../ui/ErrorNotice.tsx'
import { Page } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EntryCard } from './EntryCard.tsx'
import { EntryPanel } from './EntryPanel.tsx'
import { findEntries } from './find-entries.ts'

const CRUMBS = [{ name: 'Catalog' }]

/** What comes ready to be made into an endpoint. The search and the open entry stand in the address. */
export function CatalogPage() {
  const { client } = useApp()
  const { data, error, refetch } = useQuery(catalogQuery(client))
  const [search, setSearch] = useSearchParams()
  const text = search.get('q') ?? ''
  const set = useCallback(
    (name: 'q' | 'entry', value: string | undefined) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          if (value === undefined || value === '') next.delete(name)
          else next.set(name, value)
          return next
        },
        { replace: name === 'q' },
      ),
    [setSearch],
  )
  const entries = useMemo(() => findEntries(data?.entries ?? [], text), [data, text])
  const open = data?.entries.find(({ id }) => id === search.get('entry'))
  const commands = useMemo<readonly Command[]>(
    () =>
      (data?.entries ?? []).map(({ id, name }) => ({
        id: `catalog-${id}`,
        group: 'Catalog',
        label: `Create an endpoint: ${name}`,
        run: () => set('entry', id),
      })),
    [data, set],
  )
  return (
    <Page
      crumbs={CRUMBS}
      commands={commands}
      actions={<SearchField label="Search the catalog" value={text} onChange={(q) => set('q', q)} />}
    >
      {error !== null && <ErrorNotice error={error} />}
      {data === undefined && error === null && <Skeleton className="h-96" />}
      {data !== undefined && entries.length === 0 && (
        <EmptyState>Nothing in the catalog has “{text}” in its name, model or image.</EmptyState>
      )}
      {/* As a list is found by the keys of the search. */}
      <ul className="grid grid-cols-1 gap-3 md:grid-cols-2 xl:grid-cols-3">
        {entries.map((entry) => (
          <EntryCard key={entry.id} entry={entry} onOpen={() => set('entry', entry.id)} />
        ))}
      </ul>
      {open !== undefined && (
        <EntryPanel
          key={open.id}
          entry={open}
          onClose={() => set('entry', undefined)}
          onLookAgain={() => void refetch()}
        />
      )}
    </Page>
  )
}

import { useQuery } from '@tanstack/react-query'
import { AppWindow, Container, FileCode, Globe, LayoutGrid, Plus, SquareTerminal, TriangleAlert } from 'lucide-react'
import { useMemo } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { useShallow } from 'zustand/react/shallow'
import { endpointStateLabel, STATES_BY_ATTENTION } from '../../../src-main/features/endpoints/rules/endpoint-state.ts'
import { ADDRESS } from '../../addresses.ts'
import { statsQuery } from '../../api-client/queries.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import type { Command } from '../../store/app-slices.ts'
import { Button } from '../../ui/Button.tsx'
import { SearchField } from '../../ui/form/Field.tsx'
import { PickOne } from '../../ui/form/Select.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, SkeletonRows } from '../../ui/PageStates.tsx'
import { SavedViews } from '../../ui/SavedViews.tsx'
import { isSample } from '../../ui/samples.ts'
import { Table } from '../../ui/table/Table.tsx'
import { type SetSearchParts, useAddressSort, useSearchParts } from '../../ui/use-address.ts'
import { type EndpointRow, endpointColumns, GroupName } from './EndpointColumns.tsx'
import {
  attentionOf,
  ENDPOINT_KINDS,
  type EndpointListFilter,
  filterEndpoints,
  groupOfEndpoint,
  readEndpointFilter,
} from './endpoint-list-filter.ts'
import { NEW_ENDPOINT_TITLES, NEW_ENDPOINTS, type NewEndpoint } from './endpoint-state.ts'
import { FirstPage } from './FirstPage.tsx'
import { NewEndpointPanel } from './NewEndpointPanel.tsx'

export function EndpointListPage() {
  const [, go] = useLocation()
  const loaded = useAppState((state) => state.live.loaded)
  const [search, setSearch] = useSearchParams()
  const [, setParts] = useSearchParts()
  const [sort, setSort] = useAddressSort()
  const text = search.toString()
  const filter = useMemo(() => readEndpointFilter(new URLSearchParams(text)), [text])
  const all = useEndpointRows()
  const rows = useMemo(() => filterEndpoints(all, filter), [all, filter])
  const hasApps = all.some(({ endpoint }) => endpoint.app !== undefined)
  const isGrouped = hasApps && filter.isGrouped
  const columns = useMemo(() => endpointColumns(isGrouped), [isGrouped])
  const isEmpty = useAppState((state) => Object.keys(state.live.endpoints).length === 0)
  const isNew = useAppState(({ live }) => Object.values(live.endpoints).every(isSample))
  const wanted = NEW_ENDPOINTS.find((kind) => kind === search.get('new'))
  const openNew = (kind: NewEndpoint | undefined) => setSearch(kind === undefined ? {} : { new: kind })
  const commands: readonly Omit<Command, 'group'>[] = [
    ...NEW_ENDPOINTS.map((kind) => ({
      id: `new-${kind}`,
      label: NEW_ENDPOINT_TITLES[kind],
      ...(kind === 'handler' && { keys: 'n' }),
      run: () => openNew(kind),
    })),
    { id: 'new-catalog', label: 'New endpoint from the catalog', run: () => go(ADDRESS.catalog) },
    { id: 'open-folder', label: 'New endpoints from an app folder', run: () => go(ADDRESS.openFolder('folder')) },
  ]
  return (
    <Page
      fills
      crumbs={[{ name: 'Endpoints' }]}
      commands={commands.map((one) => ({ ...one, group: 'Endpoints here' }))}
      actions={
        <>
          {!isEmpty && <SearchField label="Search endpoints" value={filter.text} onChange={(q) => setParts({ q })} />}
          <NewEndpointMenu onNew={openNew} />
        </>
      }
    >
      {!loaded && <SkeletonRows rows={8} />}
      {loaded && isEmpty && <FirstPage intro="There are no endpoints yet. Start with one of these." />}
      {loaded && <AttentionStrip rows={all} filter={filter} onChange={setParts} />}
      {loaded && !isEmpty && <EndpointFilterBar filter={filter} hasApps={hasApps} onChange={setParts} />}
      {loaded && !isEmpty && rows.length === 0 && (
        <EmptyState action={<Button onClick={() => setParts(NO_FILTER)}>Clear filters</Button>}>
          No endpoint matches these filters.
        </EmptyState>
      )}
      {loaded && rows.length > 0 && (
        <Table
          label="Endpoints"
          columns={columns}
          rows={rows}
          rowId={idOf}
          onOpen={(row) => go(ADDRESS.endpoint(row.endpoint.id))}
          groupOf={isGrouped ? groupOf : undefined}
          groupName={groupName}
          sort={sort}
          onSort={setSort}
          className="max-h-full rounded-control border border-line bg-surface-1"
        />
      )}
      {loaded && !isEmpty && isNew && <FirstPage intro="These are the samples. To continue, choose one of these." />}
      {wanted !== undefined && <NewEndpointPanel kind={wanted} onClose={() => openNew(undefined)} />}
    </Page>
  )
}

const NO_FILTER = { q: undefined, state: undefined, kind: undefined, jobs: undefined }
const groupOf = ({ endpoint }: EndpointRow) => groupOfEndpoint(endpoint)
const groupName = ({ endpoint }: EndpointRow) => <GroupName {...endpoint} />
const idOf = (row: EndpointRow) => row.endpoint.id

function useEndpointRows(): readonly EndpointRow[] {
  const { client } = useApp()
  const endpoints = useAppState(useShallow((state) => Object.values(state.live.endpoints)))
  const workers = useAppState((state) => state.live.workers)
  const { data: stats } = useQuery(statsQuery(client))
  return useMemo(() => {
    const workersOf = Object.groupBy(Object.values(workers), ({ endpointId }) => endpointId)
    const statsOf = new Map(stats?.endpoints.map((one) => [one.endpointId, one]))
    return endpoints.map((endpoint) => ({
      endpoint,
      workers: workersOf[endpoint.id] ?? [],
      stats: statsOf.get(endpoint.id),
    }))
  }, [endpoints, workers, stats])
}

type OfFilter = { readonly filter: EndpointListFilter; readonly onChange: SetSearchParts }

function AttentionStrip({ rows, filter, onChange }: OfFilter & { readonly rows: readonly EndpointRow[] }) {
  const parts = attentionOf(rows)
  if (parts.length === 0) return null
  return (
    <section
      aria-label="Needs attention"
      className="flex flex-wrap items-center gap-1 rounded-control bg-warn-soft px-2 py-1"
    >
      <TriangleAlert aria-hidden className="mx-1 size-4 shrink-0 text-warn-ink" />
      {parts.map(({ text, part }) => {
        const isChosen = 'jobs' in part ? filter.isQueued : filter.state === part.state
        return (
          <Button
            key={'jobs' in part ? 'jobs' : part.state}
            kind="quiet"
            aria-pressed={isChosen}
            onClick={() => onChange({ ...NO_FILTER, ...(isChosen ? {} : part) })}
            className="text-warn-ink underline-offset-2 hover:underline aria-pressed:bg-surface-1"
          >
            {text}
          </Button>
        )
      })}
    </section>
  )
}

const STATE_CHOICES = STATES_BY_ATTENTION.map((state) => [state, endpointStateLabel(state)] as const)

function EndpointFilterBar({ filter, hasApps, onChange }: OfFilter & { readonly hasApps: boolean }) {
  const { text, state, kind, isQueued } = filter
  const isFiltered = text !== '' || state !== undefined || kind !== undefined || isQueued
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
      <SavedViews list="endpoints" />
      {isFiltered && (
        <Button kind="quiet" onClick={() => onChange(NO_FILTER)}>
          Clear filters
        </Button>
      )}
    </div>
  )
}

function NewEndpointMenu({ onNew }: { readonly onNew: (kind: NewEndpoint) => void }) {
  const [, go] = useLocation()
  return (
    <Menu
      groups={[
        [
          {
            label: 'Handler file',
            detail: 'A file with a handler, in Python or TypeScript',
            icon: <FileCode />,
            onSelect: () => onNew('handler'),
          },
          {
            label: 'Command',
            detail: 'A program that takes jobs with a worker SDK',
            icon: <SquareTerminal />,
            onSelect: () => onNew('command'),
          },
          {
            label: 'Web app',
            detail: 'A program that answers HTTP, load-balanced',
            icon: <Globe />,
            onSelect: () => onNew('web'),
          },
          {
            label: 'Image',
            detail: 'An image that takes jobs or answers HTTP',
            icon: <Container />,
            onSelect: () => onNew('image'),
          },
        ],
        [
          {
            label: 'App folder',
            detail: 'Endpoints of decorated functions',
            icon: <AppWindow />,
            onSelect: () => go(ADDRESS.apps),
          },
          {
            label: 'Catalog',
            detail: 'Ready images and small handlers',
            icon: <LayoutGrid />,
            onSelect: () => go(ADDRESS.catalog),
          },
        ],
      ]}
    >
      <Button kind="main">
        <Plus aria-hidden /> New endpoint
      </Button>
    </Menu>
  )
}

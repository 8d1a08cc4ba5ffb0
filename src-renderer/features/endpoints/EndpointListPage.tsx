import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { useShallow } from 'zustand/react/shallow'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { ADDRESS } from '../../addresses.ts'
import { figuresQuery } from '../../api-client/queries.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import type { Command } from '../../store/commands-slice.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Page } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { Table } from '../../ui/table/Table.tsx'
import { useAddressSort } from '../../ui/table/use-address-sort.ts'
import { useSearchParts } from '../../ui/use-search-parts.ts'
import { ENDPOINT_COLUMNS, type EndpointRow } from './EndpointColumns.tsx'
import { EndpointFilterBar } from './EndpointFilterBar.tsx'
import { filterEndpoints, groupOfEndpoint, readEndpointFilter } from './endpoint-list-filter.ts'
import { FirstPage } from './FirstPage.tsx'
import { NewEndpointMenu } from './NewEndpointMenu.tsx'
import { NewEndpointPanel } from './NewEndpointPanel.tsx'
import { NEW_ENDPOINTS, type NewEndpoint } from './new-endpoint.ts'

const CRUMBS = [{ name: 'Endpoints' }]

/** All endpoints as they are now. */
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
  const isEmpty = useAppState((state) => Object.keys(state.live.endpoints).length === 0)
  const isNew = useAppState(({ live }) => Object.values(live.endpoints).every(isSample))
  const wanted = NEW_ENDPOINTS.find((kind) => kind === search.get('new'))
  const openNew = useCallback(
    (kind: NewEndpoint | undefined) => setSearch(kind === undefined ? {} : { new: kind }),
    [setSearch],
  )
  const commands = useMemo<readonly Command[]>(
    () => [
      {
        id: 'new-handler',
        group: 'Endpoints here',
        label: 'New endpoint from a handler file',
        keys: 'n',
        run: () => openNew('handler'),
      },
      {
        id: 'new-command',
        group: 'Endpoints here',
        label: 'New endpoint from a command',
        run: () => openNew('command'),
      },
      { id: 'new-web', group: 'Endpoints here', label: 'New endpoint from a web app', run: () => openNew('web') },
      { id: 'new-image', group: 'Endpoints here', label: 'New endpoint from an image', run: () => openNew('image') },
      {
        id: 'new-catalog',
        group: 'Endpoints here',
        label: 'New endpoint from the catalog',
        run: () => go(ADDRESS.catalog),
      },
      {
        id: 'open-folder',
        group: 'Endpoints here',
        label: 'New endpoints from an app folder',
        run: () => go(ADDRESS.openFolder('folder')),
      },
    ],
    [openNew, go],
  )
  return (
    <Page
      fills
      crumbs={CRUMBS}
      commands={commands}
      actions={
        <>
          {!isEmpty && <SearchField label="Search endpoints" value={filter.text} onChange={(q) => setParts({ q })} />}
          <NewEndpointMenu onNew={openNew} />
        </>
      }
    >
      {!loaded && <SkeletonRows rows={8} />}
      {loaded && isEmpty && <FirstPage intro="There are no endpoints yet. Begin with one of these." />}
      {loaded && !isEmpty && <EndpointFilterBar filter={filter} hasApps={hasApps} onChange={setParts} />}
      {loaded && !isEmpty && rows.length === 0 && (
        <EmptyState action={<Button onClick={() => setParts(NO_FILTER)}>Clear filters</Button>}>
          No endpoint is like that.
        </EmptyState>
      )}
      {loaded && rows.length > 0 && (
        <Table
          label="Endpoints"
          columns={ENDPOINT_COLUMNS}
          rows={rows}
          rowId={idOf}
          onOpen={(row) => go(ADDRESS.endpoint(row.endpoint.id))}
          groupOf={hasApps && filter.isGrouped ? groupOf : undefined}
          sort={sort}
          onSort={setSort}
          className="max-h-full rounded-control border border-line bg-surface-1"
        />
      )}
      {loaded && !isEmpty && isNew && <FirstPage intro="These are the samples. Go on with one of these." />}
      {wanted !== undefined && <NewEndpointPanel kind={wanted} onClose={() => openNew(undefined)} />}
    </Page>
  )
}

// What a first start brings along; whoever has nothing else is still at the beginning.
const isSample = ({ handler }: Pick<LiveEndpoint, 'handler'>) =>
  handler !== undefined && /[\\/]resources[\\/](?:examples|node|catalog)[\\/]/.test(handler)

const NO_FILTER = { q: undefined, state: undefined, kind: undefined }
const groupOf = ({ endpoint }: EndpointRow) => groupOfEndpoint(endpoint)
const idOf = (row: EndpointRow) => row.endpoint.id

function useEndpointRows(): readonly EndpointRow[] {
  const { client } = useApp()
  const endpoints = useAppState(useShallow((state) => Object.values(state.live.endpoints)))
  const workers = useAppState((state) => state.live.workers)
  const { data: figures } = useQuery(figuresQuery(client))
  return useMemo(() => {
    const workersOf = Object.groupBy(Object.values(workers), ({ endpointId }) => endpointId)
    const figuresOf = new Map(figures?.endpoints.map((one) => [one.endpointId, one]))
    return endpoints.map((endpoint) => ({
      endpoint,
      workers: workersOf[endpoint.id] ?? [],
      figures: figuresOf.get(endpoint.id),
    }))
  }, [endpoints, workers, figures])
}

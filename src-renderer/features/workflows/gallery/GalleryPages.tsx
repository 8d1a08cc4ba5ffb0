import { useQuery } from '@tanstack/react-query'
import { Images } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { counted } from '../../../../src-main/lib/text.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { SearchField } from '../../../ui/form/Field.tsx'
import { Select, type SelectChoice } from '../../../ui/form/Select.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, ErrorNotice, Skeleton } from '../../../ui/PageStates.tsx'
import { useSearchParts } from '../../../ui/use-address.ts'
import { useRunList } from '../../workflow-editor/run/run-list.ts'
import { runEndpoints } from '../../workflow-editor/store/run-store.ts'
import { SectionTabs } from '../SectionTabs.tsx'
import { workflowsQuery } from '../workflow-queries.ts'
import { ComparePage } from './ComparePage.tsx'
import { RunPage } from './RunPage.tsx'
import { RunWall } from './RunWall.tsx'

export function GalleryPages() {
  return (
    <Switch>
      <Route path={ADDRESS.gallery()}>
        <GalleryPage />
      </Route>
      <Route path={`${ADDRESS.gallery()}/compare`}>
        <ComparePage />
      </Route>
      <Route path={`${ADDRESS.gallery()}/:runId`}>{({ runId }) => <RunPage runId={decodeURIComponent(runId)} />}</Route>
    </Switch>
  )
}

const CRUMBS = [{ name: 'Workflows', to: ADDRESS.workflows }, { name: 'Gallery' }]
const SEARCH_PAUSE_MS = 250

function GalleryPage() {
  const { address, set } = useGalleryAddress()
  const { workflow, endpoint, compare } = address
  const q = useDebounced(address.q, SEARCH_PAUSE_MS)
  const { phase, error, runs, fresh, more, list } = useRunList({ workflow, endpoint, q })
  const isFiltered = workflow !== undefined || endpoint !== undefined || q !== undefined
  return (
    <Page crumbs={CRUMBS} fills tabs={<SectionTabs current="gallery" />} actions={<GalleryFilters />}>
      {compare !== undefined && (
        <div role="status" className="flex items-center gap-3 rounded-control bg-accent-soft px-3 py-2">
          Choose the run to compare with.
          <Button onClick={() => set('compare', undefined)}>Cancel</Button>
        </div>
      )}
      {error !== undefined && <ErrorNotice error={error} onRetry={list.start} />}
      {phase === 'loading' && <Skeleton className="h-96" />}
      {fresh.length > 0 && (
        <Button className="self-center" onClick={list.showFresh}>
          {counted(fresh.length, 'new run')}
        </Button>
      )}
      {phase === 'shown' && runs.length === 0 && <NoRuns isFiltered={isFiltered} />}
      {runs.length > 0 && (
        <RunWall
          runs={runs}
          more={more}
          onEnd={() => void list.readMore()}
          onReading={list.setReading}
          compared={compare}
          linkOf={(runId) => (compare === undefined ? ADDRESS.run(runId) : ADDRESS.comparedRuns(compare, runId))}
        />
      )}
    </Page>
  )
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }) {
  const [, go] = useLocation()
  if (isFiltered)
    return (
      <EmptyState icon={<Images />} action={<Button onClick={() => go(ADDRESS.gallery())}>Show all runs</Button>}>
        No run matches these filters.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={<Images />}
      command="drydock workflow run graph.json --endpoint sketch -o out/"
      action={
        <Button kind="main" onClick={() => go(ADDRESS.workflows)}>
          Open a workflow
        </Button>
      }
    >
      No graphs have been run yet. Open a workflow and press Run: its results are stored here, with its settings.
    </EmptyState>
  )
}

function useDebounced<Value>(value: Value, pauseMs: number): Value {
  const { platform } = useApp()
  const [debounced, setDebounced] = useState(value)
  useEffect(() => platform.after(pauseMs, () => setDebounced(value)), [platform, value, pauseMs])
  return debounced
}

function GalleryFilters() {
  const { address, set } = useGalleryAddress()
  const { client } = useApp()
  const { data } = useQuery(workflowsQuery(client))
  const endpoints = useAppState(({ live }) => live.endpoints)
  const workflows = (data?.workflows ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const ids = runEndpoints(endpoints).map(({ id }) => ({ value: id, label: id }))
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <Select
        aria-label="Workflow"
        none="All workflows"
        choices={withChosen(workflows, address.workflow)}
        value={address.workflow ?? ''}
        onChange={(value) => set('workflow', value)}
        className="w-44"
      />
      <Select
        aria-label="Endpoint"
        none="All endpoints"
        choices={withChosen(ids, address.endpoint)}
        value={address.endpoint ?? ''}
        onChange={(value) => set('endpoint', value)}
        className="w-40"
      />
      <SearchField label="Search runs" value={address.q ?? ''} onChange={(value) => set('q', value)} />
    </div>
  )
}

// The address may name something deleted; it still filters.
function withChosen(choices: readonly SelectChoice[], chosen: string | undefined): readonly SelectChoice[] {
  if (chosen === undefined || choices.some(({ value }) => value === chosen)) return choices
  return [{ value: chosen, label: `${chosen} (deleted)` }, ...choices]
}

function useGalleryAddress() {
  const [search, setParts] = useSearchParts()
  const read = (part: string) => search.get(part) || undefined
  const address = { workflow: read('workflow'), endpoint: read('endpoint'), q: read('q'), compare: read('compare') }
  const set = (part: keyof typeof address, value: string | undefined) => setParts({ [part]: value })
  return { address, set }
}

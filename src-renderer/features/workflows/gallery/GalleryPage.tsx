import { Images } from 'lucide-react'
import { useLocation } from 'wouter'
import { ADDRESS } from '../../../addresses.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { counted } from '../../../ui/format.ts'
import { Page } from '../../../ui/Page.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useRunList } from '../../workflow-editor/run/use-run-list.ts'
import { SectionTabs } from '../SectionTabs.tsx'
import { GalleryFilters } from './GalleryFilters.tsx'
import { RunWall } from './RunWall.tsx'
import { useGalleryAddress } from './use-gallery-address.ts'
import { useSettled } from './use-settled.ts'

const CRUMBS = [{ name: 'Workflows', to: ADDRESS.workflows }, { name: 'Gallery' }]
const SEARCH_PAUSE_MS = 250

/** All runs of graphs, the newest first. Filters stand in the address. */
export function GalleryPage() {
  const [, go] = useLocation()
  const { address, set } = useGalleryAddress()
  const { workflow, endpoint, compare } = address
  const q = useSettled(address.q, SEARCH_PAUSE_MS)
  const { phase, error, runs, fresh, more, list } = useRunList({ workflow, endpoint, q })
  const isFiltered = workflow !== undefined || endpoint !== undefined || q !== undefined
  return (
    <Page
      crumbs={CRUMBS}
      fills
      tabs={<SectionTabs current="gallery" />}
      actions={<GalleryFilters address={address} onChange={set} />}
    >
      {compare !== undefined && (
        <div role="status" className="flex items-center gap-3 rounded-control bg-accent-soft px-3 py-2">
          Choose the run to compare with.
          <Button onClick={() => set('compare', undefined)}>Do not compare</Button>
        </div>
      )}
      {error !== undefined && (
        <ErrorNotice error={error} action={<Button onClick={() => void list.start()}>Try again</Button>} />
      )}
      {phase === 'loading' && <Skeleton className="h-96" />}
      {fresh.length > 0 && (
        <Button className="self-center" onClick={list.showFresh}>
          {counted(fresh.length, 'new run')}
        </Button>
      )}
      {phase === 'shown' && runs.length === 0 && (
        <NoRuns isFiltered={isFiltered} onClear={() => go(ADDRESS.gallery())} />
      )}
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

function NoRuns({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  const [, go] = useLocation()
  if (isFiltered)
    return (
      <EmptyState icon={<Images />} action={<Button onClick={onClear}>Show all runs</Button>}>
        No run fits these filters.
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
      No graph has been run yet. Open a workflow and press Run: what it gives is kept here, with its settings.
    </EmptyState>
  )
}

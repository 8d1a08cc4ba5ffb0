import { Link, Route, Switch, useLocation } from 'wouter'
import { counted } from '../../../src-main/lib/text.ts'
import { ADDRESS } from '../../addresses.ts'
import { useAppState } from '../../store/app-context.ts'
import { Page } from '../../ui/Page.tsx'
import { NotFound } from '../../ui/PageStates.tsx'
import { PodListPage } from './PodPages.tsx'
import { WorkerGrid } from './WorkerGrid.tsx'
import { WORKER_STYLES } from './worker-state.ts'

export function WorkerPages() {
  return (
    <Switch>
      <Route path={ADDRESS.workers} component={AllWorkers} />
      <Route path={ADDRESS.pods} component={PodListPage} />
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

const OFFERED_STATES = ['running', 'idle', 'initializing', 'unhealthy', 'ended'] as const

function AllWorkers() {
  const [, go] = useLocation()
  const count = useAppState((state) => Object.keys(state.live.workers).length)
  const running = useAppState(
    (state) => Object.values(state.live.workers).filter((worker) => worker.state === 'running').length,
  )
  return (
    <Page
      crumbs={[{ name: 'Workers' }]}
      commands={[
        { id: 'pods', group: 'Workers', label: 'Show pods', run: () => go(ADDRESS.pods) },
        { id: 'all-workers', group: 'Workers', label: 'Show all workers', run: () => go(ADDRESS.workers) },
        ...OFFERED_STATES.map((state) => ({
          id: `workers-${state}`,
          group: 'Workers',
          label: `Show workers: ${WORKER_STYLES[state].text}`,
          run: () => go(`${ADDRESS.workers}?state=${state}`),
        })),
      ]}
      state={
        <span className="text-ink-2">
          {counted(count, 'worker')}, {running} running
        </span>
      }
      actions={
        <Link to={ADDRESS.pods} className="text-accent underline">
          Pods
        </Link>
      }
    >
      <WorkerGrid />
    </Page>
  )
}

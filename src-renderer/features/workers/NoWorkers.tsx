import { Cpu } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { ADDRESS } from '../../addresses.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/PageStates.tsx'
import { useWorkerActions } from './use-worker-actions.ts'
import type { WorkerFilter } from './worker-groups.ts'
import { WORKER_STYLES, whyNoWorker } from './worker-state.ts'

export type NoWorkersProps = {
  readonly endpoint: LiveEndpoint | undefined
  readonly filter: WorkerFilter
  readonly hasEndpoints: boolean
  readonly onClear: () => void
}

export function NoWorkers({ endpoint, filter, hasEndpoints, onClear }: NoWorkersProps) {
  const [, go] = useLocation()
  if (filter.state !== undefined)
    return (
      <EmptyState icon={<Cpu />} action={<Button onClick={onClear}>Show all workers</Button>}>
        No worker {endpoint === undefined ? '' : `of ${endpoint.name} `}is in the state “
        {WORKER_STYLES[filter.state].text}” now.
      </EmptyState>
    )
  if (endpoint !== undefined) return <NoneOfEndpoint endpoint={endpoint} />
  if (filter.endpointId !== undefined)
    return (
      <EmptyState icon={<Cpu />} action={<Button onClick={onClear}>Show all workers</Button>}>
        There is no endpoint {filter.endpointId}, so it has no worker.
      </EmptyState>
    )
  return hasEndpoints ? (
    <EmptyState icon={<Cpu />} command="drydock workers" action={<Link to={ADDRESS.endpoints}>See the endpoints</Link>}>
      No workers are running: no endpoint has work. A worker starts when a job arrives, and stops when there are none
      for a while.
    </EmptyState>
  ) : (
    <EmptyState
      icon={<Cpu />}
      command="drydock endpoint create hello --handler handler.py"
      action={<Button onClick={() => go(`${ADDRESS.endpoints}?new=handler`)}>New endpoint</Button>}
    >
      Workers run the jobs of endpoints, and there are no endpoints yet.
    </EmptyState>
  )
}

function NoneOfEndpoint({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const [, go] = useLocation()
  const { resume } = useWorkerActions()
  const { id, paused, workersMax } = endpoint
  return (
    <EmptyState
      icon={<Cpu />}
      command={paused ? `drydock endpoint resume ${id}` : `drydock run ${id} '{}'`}
      action={
        paused ? (
          <Button onClick={() => void resume(endpoint)}>Resume {endpoint.name}</Button>
        ) : workersMax === 0 ? (
          <Button onClick={() => go(ADDRESS.endpoint(id, 'settings'))}>Open the settings</Button>
        ) : (
          <Button onClick={() => go(ADDRESS.endpoint(id, 'requests'))}>Send a request</Button>
        )
      }
    >
      {whyNoWorker(endpoint)}
    </EmptyState>
  )
}

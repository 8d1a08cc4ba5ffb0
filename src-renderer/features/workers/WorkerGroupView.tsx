import { RefreshCw } from 'lucide-react'
import { memo, useState } from 'react'
import { Link } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { Button } from '../../ui/Button.tsx'
import { counted } from '../../ui/format.ts'
import { EndedCard } from './EndedCard.tsx'
import type { WorkerGroup } from './filter-workers.ts'
import type { UsageHistory } from './usage-history.ts'
import { useWorkerActions } from './use-worker-actions.ts'
import { WorkerCard } from './WorkerCard.tsx'
import { whyNoWorker } from './worker-state.ts'

/** The workers of an endpoint. */
export type WorkerGroupViewProps = {
  readonly group: WorkerGroup
  readonly usage: UsageHistory
  /** Address of a worker's drawer. */
  readonly toWorker: (workerId: string) => string
  /** Whether this is the page of the endpoint, which says its name. */
  readonly isAlone: boolean
}

const ENDED_SHOWN = 4

/** The workers of an endpoint as cards, and after them those that ended lately. */
export const WorkerGroupView = memo(function WorkerGroupView({
  group,
  usage,
  toWorker,
  isAlone,
}: WorkerGroupViewProps) {
  const { endpointId, endpoint, workers, ended } = group
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? ended : ended.slice(0, ENDED_SHOWN)
  return (
    <section aria-label={`Workers of ${endpoint?.name ?? endpointId}`} className="flex flex-col gap-2">
      <div className="flex min-h-7 flex-wrap items-center gap-x-3">
        {!isAlone && (
          <h2 className="min-w-0 truncate text-section font-semibold">
            {endpoint === undefined ? (
              endpointId
            ) : (
              <Link to={ADDRESS.endpoint(endpointId, 'workers')} className="hover:underline">
                {endpoint.name}
              </Link>
            )}
          </h2>
        )}
        <span className="text-ink-2">
          {endpoint === undefined
            ? 'Its endpoint has been deleted.'
            : `${workers.length} of at most ${counted(endpoint.workersMax, 'worker')}`}
        </span>
        {endpoint !== undefined && workers.length > 1 && <ReplaceAll endpoint={endpoint} />}
      </div>
      {workers.length === 0 && endpoint !== undefined && (
        <p className="text-ink-2">No worker now. {whyNoWorker(endpoint)}</p>
      )}
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(20rem,1fr))] gap-3">
        {workers.map((worker) => (
          <WorkerCard
            key={worker.id}
            worker={worker}
            endpoint={endpoint}
            points={usage.get(worker.id)}
            to={toWorker(worker.id)}
          />
        ))}
        {shown.map((worker) => (
          <EndedCard key={worker.id} worker={worker} to={toWorker(worker.id)} />
        ))}
      </ul>
      {ended.length > ENDED_SHOWN && (
        <Button kind="quiet" className="self-start" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show fewer' : `Show all ${ended.length} that ended in the last ten minutes`}
        </Button>
      )}
    </section>
  )
})

function ReplaceAll({ endpoint }: { readonly endpoint: NonNullable<WorkerGroup['endpoint']> }) {
  const { replaceAll } = useWorkerActions()
  return (
    <Button kind="quiet" className="ml-auto" onClick={() => void replaceAll(endpoint)}>
      <RefreshCw aria-hidden /> Replace all
    </Button>
  )
}

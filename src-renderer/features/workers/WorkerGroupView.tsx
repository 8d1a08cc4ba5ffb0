import { ChevronDown, ChevronRight, RefreshCw } from 'lucide-react'
import { memo, useId, useState } from 'react'
import { Link } from 'wouter'
import { workersText } from '../../../src-main/features/workers/rules/pools.ts'
import { ADDRESS } from '../../addresses.ts'
import { Button } from '../../ui/Button.tsx'
import { onMachineText } from '../../ui/form/machine-choice.ts'
import { asSentence, duration } from '../../ui/format.ts'
import { useAsCalled } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { RelativeTime } from '../../ui/Values.tsx'
import type { UsageHistory } from './UsageCharts.tsx'
import { useWorkerActions } from './use-worker-actions.ts'
import { WorkerCard } from './WorkerCard.tsx'
import type { EndedWorker, WorkerGroup } from './worker-groups.ts'
import { whyNoWorker, whyNoWorkerStarts } from './worker-state.ts'

export type WorkerGroupViewProps = {
  readonly group: WorkerGroup
  readonly usage: UsageHistory
  readonly toWorker: (workerId: string) => string
  readonly isAlone: boolean
  readonly showsEnded: boolean
}

export const WorkerGroupView = memo(function WorkerGroupView({
  group,
  usage,
  toWorker,
  isAlone,
  showsEnded,
}: WorkerGroupViewProps) {
  const { endpointId, endpoint, workers, ended } = group
  const crashed = ended.find((worker) => worker.crashed)
  // A list of all endpoints says once what holds for the idle ones.
  const explain = isAlone ? whyNoWorker : whyNoWorkerStarts
  const asCalled = useAsCalled()
  const why = workers.length === 0 && endpoint !== undefined ? explain(endpoint) : undefined
  const folded = ended.filter((worker) => worker !== crashed)
  // Width by cards, so that small groups share a row.
  const cards = Math.max(1, workers.length + (crashed === undefined ? 0 : 1))
  return (
    <section
      aria-label={`Workers of ${endpoint?.name ?? endpointId}`}
      className="flex max-w-full min-w-0 flex-col gap-2"
      style={{ flex: `${cards} 1 ${cards * CARD_REM}rem` }}
    >
      <div className="flex min-h-7 shrink-0 flex-wrap items-center gap-x-3">
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
            : `${workersText(workers, endpoint)}${onMachineText(endpoint)}`}
        </span>
        {endpoint !== undefined && workers.length > 1 && <ReplaceAll endpoint={endpoint} />}
      </div>
      {why !== undefined && <p className="text-ink-2">{asCalled(why)}</p>}
      <ul className={CARDS}>
        {crashed !== undefined && <EndedCard worker={crashed} to={toWorker(crashed.id)} />}
        {workers.map((worker) => (
          <WorkerCard
            key={worker.id}
            worker={worker}
            endpoint={endpoint}
            points={usage.get(worker.id)}
            to={toWorker(worker.id)}
          />
        ))}
      </ul>
      {folded.length > 0 && (
        <EndedWorkers key={String(showsEnded)} isOpenFirst={showsEnded} workers={folded} toWorker={toWorker} />
      )}
    </section>
  )
})

const CARD_REM = 20
const CARDS = 'grid grid-cols-[repeat(auto-fit,minmax(min(20rem,100%),1fr))] gap-3'

type EndedWorkersProps = Pick<WorkerGroupViewProps, 'toWorker'> & {
  readonly workers: WorkerGroup['ended']
  readonly isOpenFirst: boolean
}

function EndedWorkers({ workers, toWorker, isOpenFirst }: EndedWorkersProps) {
  const [isOpen, setOpen] = useState(isOpenFirst)
  const id = useId()
  return (
    <>
      <Button
        kind="quiet"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        className="self-start"
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
        {workers.length} ended in the last ten minutes
      </Button>
      {isOpen && (
        <ul id={id} className={CARDS}>
          {workers.map((worker) => (
            <EndedCard key={worker.id} worker={worker} to={toWorker(worker.id)} />
          ))}
        </ul>
      )}
    </>
  )
}

function ReplaceAll({ endpoint }: { readonly endpoint: NonNullable<WorkerGroup['endpoint']> }) {
  const { replaceAll } = useWorkerActions()
  return (
    <Button kind="quiet" className="ml-auto" onClick={() => void replaceAll(endpoint)}>
      <RefreshCw aria-hidden /> Replace all
    </Button>
  )
}

function EndedCard({ worker, to }: { readonly worker: EndedWorker; readonly to: string }) {
  const { id, crashed, reason, endedAt, startedAt } = worker
  const asCalled = useAsCalled()
  return (
    <li className="relative flex min-w-0 flex-col gap-2 rounded-control border border-dashed border-line-strong/60 p-3 hover:border-line-strong">
      <div className="flex items-center gap-2">
        <StateDot tone={crashed ? 'failed' : 'queued'} text={crashed ? 'Crashed' : 'Ended'} />
        <Link
          to={to}
          data-card
          className="min-w-0 flex-1 truncate font-mono text-small text-ink-2 after:absolute after:inset-0 after:rounded-control"
        >
          {id}
        </Link>
      </div>
      <p
        className={crashed ? 'line-clamp-3 font-mono text-small break-words' : 'line-clamp-3 text-small text-ink-2'}
        title={reason && asCalled(reason)}
      >
        {reason === undefined ? 'The reason is not known.' : asCalled(crashed ? reason : asSentence(reason))}
      </p>
      <p className="mt-auto truncate text-small text-ink-2">
        <RelativeTime at={endedAt} />
        {startedAt !== undefined && ` · was up ${duration(Math.max(0, endedAt - startedAt))}`}
      </p>
    </li>
  )
}

import { useQuery } from '@tanstack/react-query'
import { CircleStop, RefreshCw } from 'lucide-react'
import { memo, useState } from 'react'
import { Link } from 'wouter'
import type { WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { runningJobsQuery } from '../../api-client/queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Confirm } from '../../ui/Dialog.tsx'
import { duration, exactTime, wholeSeconds } from '../../ui/format.ts'
import { InputCell, JobLink } from '../../ui/jobs/JobCells.tsx'
import { MoreMenu } from '../../ui/Menu.tsx'
import { useAsCalled } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { useNow } from '../../ui/Values.tsx'
import { UsageCharts, type UsagePoint } from './UsageCharts.tsx'
import { useWorkerActions } from './use-worker-actions.ts'
import { explainWorker, WORKER_STYLES, whatStopDoes } from './worker-state.ts'

export type WorkerCardProps = {
  readonly worker: WorkerView
  readonly endpoint: LiveEndpoint | undefined
  readonly points: readonly UsagePoint[] | undefined
  readonly to: string
}

const JOBS_SHOWN = 2
const SHORT_ID = 12

export const WorkerCard = memo(function WorkerCard({ worker, endpoint, points, to }: WorkerCardProps) {
  const { id, state, startedAt, jobsDone } = worker
  const asCalled = useAsCalled()
  const why = explainWorker(worker, endpoint)
  return (
    // The browser lays out and paints only visible cards of hundreds.
    <li className="relative flex min-w-0 flex-col gap-2 rounded-control border border-line bg-surface-1 p-3 [contain-intrinsic-size:auto_11rem] [content-visibility:auto] hover:border-line-strong">
      <div className="-my-1 flex items-center gap-2">
        <StateDot {...WORKER_STYLES[state]} />
        <Link
          to={to}
          data-card
          className="min-w-0 flex-1 truncate font-mono text-small after:absolute after:inset-0 after:rounded-control"
        >
          {id}
        </Link>
        <WorkerMenu worker={worker} />
      </div>
      {why !== undefined && (
        <p className="line-clamp-2 text-small break-words text-ink-2" title={asCalled(why)}>
          {asCalled(why)}
        </p>
      )}
      <div className="mt-auto">
        <UsageCharts points={points} hasGpu={(worker.gpus?.length ?? 0) > 0} />
      </div>
      <p className="truncate text-small text-ink-2">
        <Since at={startedAt} /> · {locationOf(worker)}
        {worker.pool === 'batch' && ' · for batches'}
      </p>
      <div className="flex items-center gap-2 text-small">
        <Jobs jobs={worker.jobs} />
        <span className="ml-auto whitespace-nowrap text-ink-2">{jobsDone.toLocaleString('en')} done</span>
      </div>
    </li>
  )
})

function Jobs({ jobs }: Pick<WorkerView, 'jobs'>) {
  const { client } = useApp()
  const { data } = useQuery({ ...runningJobsQuery(client), enabled: jobs.length > 0 })
  if (jobs.length === 0) return <span className="text-ink-2">No job now</span>
  return (
    <span className="flex min-w-0 items-center gap-2">
      {jobs.slice(0, JOBS_SHOWN).map((jobId) => (
        <span key={jobId} className="relative z-10 flex min-w-0 items-center gap-1">
          <JobLink id={jobId} />
          <span className="min-w-0 truncate">
            <InputCell preview={data?.requests.find(({ id }) => id === jobId)?.preview} />
          </span>
        </span>
      ))}
      {jobs.length > JOBS_SHOWN && <span className="whitespace-nowrap">and {jobs.length - JOBS_SHOWN} more</span>}
    </span>
  )
}

function locationOf({ pid, container, machine, gpus = [] }: WorkerView): string {
  const location =
    container !== undefined
      ? `container ${container.slice(0, SHORT_ID)}`
      : pid === undefined
        ? 'no process yet'
        : `process ${pid}`
  const cards = gpus.length === 0 ? '' : ` · ${gpus.map(gpuName).join(', ')}`
  return `${machine === undefined ? '' : `on ${machine} · `}${location}${cards}`
}

// GPUs have a number, or an id of 40 characters that begins with `GPU-`.
const gpuName = (id: string) => (id.startsWith('GPU-') ? id.slice(0, SHORT_ID) : `GPU ${id}`)

function Since({ at }: { readonly at: number }) {
  const now = useNow()
  const ms = Math.max(0, wholeSeconds(now - at))
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {ms === 0 ? 'just started' : `up ${duration(ms).replace(/\.0 s$/, ' s')}`}
    </time>
  )
}

function WorkerMenu({ worker }: { readonly worker: WorkerView }) {
  const { id, jobs, state } = worker
  const { stop, replace } = useWorkerActions()
  const [asks, setAsks] = useState(false)
  const leaves = state === 'stopping'
  return (
    <>
      <MoreMenu
        label={`More for worker ${id}`}
        className="relative z-10"
        groups={[
          [
            {
              label: 'Replace',
              detail: leaves ? 'It is already stopping' : 'A new one takes over, then this one stops',
              icon: <RefreshCw />,
              disabled: leaves,
              onSelect: () => void replace(worker),
            },
          ],
          [
            {
              label: `Stop worker ${id}`,
              icon: <CircleStop />,
              danger: true,
              onSelect: () => (jobs.length > 0 ? setAsks(true) : void stop(worker)),
            },
          ],
        ]}
      />
      {asks && (
        <Confirm open onOpenChange={setAsks} action={`Stop worker ${id}`} onConfirm={() => void stop(worker)}>
          {whatStopDoes(jobs.length)}
        </Confirm>
      )}
    </>
  )
}

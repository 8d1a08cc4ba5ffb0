import { useQuery } from '@tanstack/react-query'
import { Activity, CircleCheck, CircleX, Hourglass, Moon } from 'lucide-react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { useShallow } from 'zustand/react/shallow'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { type EndpointHealth, endpointHealth } from '../../../src-main/features/endpoints/rules/endpoint-health.ts'
import { errorLine } from '../../../src-main/features/jobs/rules/read-error.ts'
import { isBridge } from '../../../src-main/features/workflows/rules/runs/takes-workflows.ts'
import { ADDRESS } from '../../addresses.ts'
import {
  fittingRangeQuery,
  latestJobsQuery,
  metricsQuery,
  RANGES,
  type Range,
  statsQuery,
} from '../../api-client/queries.ts'
import { loadCode } from '../../browser/load-code.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { JOB_COLUMNS_OF_ENDPOINT, NowForCells } from '../../ui/jobs/JobColumns.tsx'
import { useJobKeys } from '../../ui/jobs/JobKeys.tsx'
import { lazily } from '../../ui/LazyView.tsx'
import { TextLink } from '../../ui/Links.tsx'
import { CommandLine, EmptyState, QueryState, Said, Skeleton } from '../../ui/PageStates.tsx'
import { sampleCommand } from '../../ui/sample-command.ts'
import { SegmentedChoice } from '../../ui/Tabs.tsx'
import { Table } from '../../ui/table/Table.tsx'
import { stateNow } from './endpoint-state.ts'
import { MetricCharts } from './MetricCharts.tsx'
import { ServersCard } from './ServersCard.tsx'
import { useEndpointActions } from './use-endpoint-actions.ts'

const FormOfGraph = lazily(async () => (await loadCode(() => import('../requests/GraphForm.tsx'))).FormOfGraph)

const RANGE_NAMES = Object.keys(RANGES) as readonly Range[]

export type OverviewTabProps = { readonly endpoint: LiveEndpoint; readonly isCrashing: boolean }

export function OverviewTab({ endpoint, isCrashing }: OverviewTabProps) {
  const [search, setSearch] = useSearchParams()
  const { client, platform } = useApp()
  // Jobs count for the endpoint whose workers run them.
  const isGraph = endpoint.graph !== undefined
  const chosen = RANGE_NAMES.find((name) => name.replace(' ', '') === search.get('range'))
  const fitting = useQuery({
    ...fittingRangeQuery(client, endpoint.id, platform.now),
    enabled: chosen === undefined && !isGraph,
  })
  const range = chosen ?? fitting.data ?? (fitting.isError ? '1 h' : undefined)
  return (
    <>
      {!isCrashing && !isGraph && <HealthNotice endpoint={endpoint} range={range} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <CommandLine command={endpoint.url} />
        {endpoint.hostUrl !== undefined && endpoint.loadBalanced === undefined && (
          <span className="flex items-center gap-2 text-ink-2">
            For ComfyUI clients <CommandLine command={endpoint.hostUrl} />
          </span>
        )}
        {!isGraph && (
          <SegmentedChoice
            label="Time span of the charts"
            choices={RANGE_NAMES}
            value={range ?? '1 h'}
            onChange={(name) => setSearch({ range: name.replace(' ', '') }, { replace: true })}
          />
        )}
      </div>
      {isBridge(endpoint) && (
        <p className="text-small text-ink-2">
          Each result has a <code>mediaType</code>. The public image worker returns pictures, and videos from Save
          Video, without one; it omits audio, 3D models, text and other videos.
        </p>
      )}
      {endpoint.workflows?.server !== undefined && <ServersCard endpoint={endpoint} />}
      {!isGraph && range === undefined && <Skeleton className="h-[455px]" />}
      {!isGraph && range !== undefined && <MetricCharts endpoint={endpoint} range={range} />}
      {isGraph && <FormOfGraph graphId={endpoint.id} />}
      {endpoint.loadBalanced === undefined && !isGraph && <LatestJobs endpointId={endpoint.id} />}
    </>
  )
}

const STYLES = {
  good: { Icon: CircleCheck, icon: 'text-completed', box: 'border border-line bg-surface-1' },
  busy: { Icon: Activity, icon: 'text-running', box: 'border border-line bg-surface-1' },
  resting: { Icon: Moon, icon: 'text-ink-2', box: 'border border-line bg-surface-1' },
  warning: { Icon: Hourglass, icon: '', box: 'bg-warn-soft text-warn-ink' },
  bad: { Icon: CircleX, icon: '', box: 'bg-failed-soft text-failed-ink' },
} as const satisfies Record<EndpointHealth['level'], unknown>

function HealthNotice({ endpoint, range }: { readonly endpoint: LiveEndpoint; readonly range: Range | undefined }) {
  const { client, platform } = useApp()
  const { resume } = useEndpointActions(endpoint)
  const workers = useAppState(
    useShallow(({ live }) => Object.values(live.workers).filter(({ endpointId }) => endpointId === endpoint.id)),
  )
  const { data } = useQuery({
    ...metricsQuery(client, endpoint.id, range ?? '1 h', platform.now),
    enabled: range !== undefined,
  })
  const { data: stats } = useQuery(statsQuery(client))
  const error = stats?.endpoints.find(({ endpointId }) => endpointId === endpoint.id)?.lastError
  const recent = error !== undefined && data !== undefined && error.at >= data.from ? error : undefined
  const health = endpointHealth({
    state: stateNow(endpoint, workers),
    inQueue: endpoint.inQueue,
    inProgress: endpoint.inProgress,
    waitingReason: endpoint.waitingReason,
    throttledReason: endpoint.throttledReason,
    brokenReason: endpoint.brokenReason,
    loadBalanced: endpoint.loadBalanced !== undefined,
    stats: data && range && { totals: data.totals, points: data.points, range: RANGES[range].words },
    lastError: recent && errorLine(recent.error),
  })
  if (health === undefined) return null
  const { Icon, icon, box } = STYLES[health.level]
  const failedJob = (data?.totals.failed ?? 0) > 0 && !endpoint.paused ? recent?.jobId : undefined
  return (
    <div role="status" aria-label="Health" className={`flex items-center gap-2 rounded-control px-3 py-2 ${box}`}>
      <Icon aria-hidden className={`size-4 shrink-0 ${icon}`} />
      <p className="line-clamp-3 min-w-0 flex-1 break-words">
        <span className="font-medium">{health.text}.</span> <Said text={health.reason} />
      </p>
      {failedJob !== undefined && (
        <Link to={ADDRESS.job(failedJob)} className="shrink-0 underline">
          Open the newest failure
        </Link>
      )}
      {endpoint.paused && <Button onClick={() => void resume()}>Resume</Button>}
    </div>
  )
}

const LATEST = 10

function LatestJobs({ endpointId }: { readonly endpointId: string }) {
  const { client } = useApp()
  const [, go] = useLocation()
  const { data, error } = useQuery(latestJobsQuery(client, endpointId, LATEST))
  const jobs = data?.requests
  const { onRerun, onCancel, question } = useJobKeys()
  return (
    <Card
      title="Latest jobs"
      aside={
        <TextLink to={ADDRESS.endpoint(endpointId, 'jobs')} className="text-small">
          All jobs
        </TextLink>
      }
    >
      <QueryState data={jobs} error={error} rows={4} />
      {jobs?.length === 0 && (
        <EmptyState command={sampleCommand('runsync', endpointId)}>
          There are no jobs yet, or they are no longer stored. To send one:
        </EmptyState>
      )}
      {jobs !== undefined && jobs.length > 0 && (
        <NowForCells>
          <Table
            label="Latest jobs"
            columns={JOB_COLUMNS_OF_ENDPOINT}
            rows={jobs}
            onOpen={({ id }) => go(ADDRESS.job(id))}
            onRerun={onRerun}
            onCancel={onCancel}
          />
          {question}
        </NowForCells>
      )}
    </Card>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { fittingRangeQuery, RANGES, type Range } from '../../../api-client/queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { CommandLine } from '../../../ui/EmptyState.tsx'
import { SegmentedChoice } from '../../../ui/SegmentedChoice.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { HealthNotice } from './HealthNotice.tsx'
import { LatestJobs } from './LatestJobs.tsx'
import { MetricCharts } from './MetricCharts.tsx'

const RANGE_NAMES = Object.keys(RANGES) as readonly Range[]

/** An endpoint, and whether it is crashing, which the page says already. */
export type OverviewTabProps = { readonly endpoint: LiveEndpoint; readonly isCrashing: boolean }

/** An endpoint at one glance: whether it is healthy and why, its charts, its latest jobs. */
export function OverviewTab({ endpoint, isCrashing }: OverviewTabProps) {
  const [search, setSearch] = useSearchParams()
  const { client, platform } = useApp()
  // What its jobs do is counted with the endpoint whose workers run them.
  const isGraph = endpoint.graph !== undefined
  const chosen = RANGE_NAMES.find((name) => name.replace(' ', '') === search.get('range'))
  const fitting = useQuery({
    ...fittingRangeQuery(client, endpoint.id, platform.now),
    enabled: chosen === undefined && !isGraph,
  })
  const range = chosen ?? fitting.data ?? (fitting.isError ? '1 h' : undefined)
  return (
    <>
      {!isCrashing && <HealthNotice endpoint={endpoint} range={isGraph ? undefined : range} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <CommandLine command={endpoint.url} />
        {!isGraph && (
          <SegmentedChoice
            label="Time span of the charts"
            choices={RANGE_NAMES}
            value={range ?? '1 h'}
            onChange={(name) => setSearch({ range: name.replace(' ', '') }, { replace: true })}
          />
        )}
      </div>
      {!isGraph && range === undefined && <Skeleton className="h-[455px]" />}
      {!isGraph && range !== undefined && <MetricCharts endpoint={endpoint} range={range} />}
      {endpoint.loadBalanced === undefined && !isGraph && <LatestJobs endpointId={endpoint.id} />}
    </>
  )
}

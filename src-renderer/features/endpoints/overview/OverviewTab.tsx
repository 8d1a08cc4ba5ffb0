import { useSearchParams } from 'wouter'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { RANGES, type Range } from '../../../api-client/queries.ts'
import { CommandLine } from '../../../ui/EmptyState.tsx'
import { SegmentedChoice } from '../../../ui/SegmentedChoice.tsx'
import { LatestJobs } from './LatestJobs.tsx'
import { MetricCharts } from './MetricCharts.tsx'
import { WaitingNotice } from './WaitingNotice.tsx'

const RANGE_NAMES = Object.keys(RANGES) as readonly Range[]

/** An endpoint, and whether it is crashing, which the page says already. */
export type OverviewTabProps = { readonly endpoint: LiveEndpoint; readonly isCrashing: boolean }

/** An endpoint at one glance: why it waits, its charts, its latest jobs. */
export function OverviewTab({ endpoint, isCrashing }: OverviewTabProps) {
  const [search, setSearch] = useSearchParams()
  const range = RANGE_NAMES.find((name) => name.replace(' ', '') === search.get('range')) ?? '1 h'
  // What its jobs do is counted with the endpoint whose workers run them.
  const isGraph = endpoint.graph !== undefined
  return (
    <>
      {!isCrashing && <WaitingNotice endpoint={endpoint} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <CommandLine command={endpoint.url} />
        {!isGraph && (
          <SegmentedChoice
            label="Time span of the charts"
            choices={RANGE_NAMES}
            value={range}
            onChange={(name) => setSearch({ range: name.replace(' ', '') }, { replace: true })}
          />
        )}
      </div>
      {!isGraph && <MetricCharts endpoint={endpoint} range={range} />}
      {endpoint.loadBalanced === undefined && !isGraph && <LatestJobs endpointId={endpoint.id} />}
    </>
  )
}

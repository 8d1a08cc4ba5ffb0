import { useSearchParams } from 'wouter'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { CommandsHere } from '../../ui/Page.tsx'
import { SegmentedChoice } from '../../ui/Tabs.tsx'
import { Batches } from './batches/Batches.tsx'
import { JobRequests } from './jobs/JobRequests.tsx'
import { LoadTests } from './load/LoadTests.tsx'
import { Schedules } from './schedules/Schedules.tsx'
import { WebRequests } from './web/WebRequests.tsx'

const VIEWS = ['Requests', 'Batches', 'Load test', 'Schedules'] as const
const IN_ADDRESS = { Requests: undefined, Batches: 'batches', 'Load test': 'load', Schedules: 'schedules' } as const
const OF_JOBS: ReadonlySet<string> = new Set(['Batches', 'Schedules'])

export function RequestsTab({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const [search, setSearch] = useSearchParams()
  const views = VIEWS.filter((one) => !OF_JOBS.has(one) || endpoint.loadBalanced === undefined)
  const view = views.find((one) => IN_ADDRESS[one] === search.get('view')) ?? 'Requests'
  const setView = (wanted: (typeof VIEWS)[number]) => {
    const name = IN_ADDRESS[wanted]
    setSearch(name === undefined ? {} : { view: name })
  }
  const choice = <SegmentedChoice label="How requests are made" choices={views} value={view} onChange={setView} />
  return (
    <div className="flex flex-col gap-4 pb-4">
      <CommandsHere
        commands={[
          {
            id: 'requests-view',
            group: `Endpoint ${endpoint.name}`,
            label: view === 'Requests' ? 'Load test' : 'Requests one by one',
            keys: 'l',
            run: () => setView(view === 'Requests' ? 'Load test' : 'Requests'),
          },
        ]}
      />
      {view === 'Batches' && <Batches key={endpoint.id} endpoint={endpoint} choice={choice} />}
      {view === 'Load test' && <LoadTests key={endpoint.id} endpoint={endpoint} choice={choice} />}
      {view === 'Schedules' && <Schedules key={endpoint.id} endpoint={endpoint} choice={choice} />}
      {view === 'Requests' &&
        (endpoint.loadBalanced === undefined ? (
          <JobRequests key={endpoint.id} endpoint={endpoint} choice={choice} />
        ) : (
          <WebRequests key={endpoint.id} endpoint={endpoint} choice={choice} />
        ))}
    </div>
  )
}

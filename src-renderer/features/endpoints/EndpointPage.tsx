import { Share2, SquareTerminal, TriangleAlert } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { useShallow } from 'zustand/react/shallow'
import type { EndpointCrash } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { crashSummary, shownCrash } from '../../../src-main/features/endpoints/rules/endpoint-state.ts'
import { faultsText } from '../../../src-main/features/workers/rules/faults.ts'
import { workersText } from '../../../src-main/features/workers/rules/pools.ts'
import { ADDRESS, type EndpointTab } from '../../addresses.ts'
import { useAppState } from '../../store/app-context.ts'
import type { Command } from '../../store/app-slices.ts'
import { Button } from '../../ui/Button.tsx'
import { onMachineText } from '../../ui/form/machine-choice.ts'
import { FollowedLog } from '../../ui/output/LogView.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, NotFound, SkeletonRows } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useSearchParts } from '../../ui/use-address.ts'
import { useNow } from '../../ui/Values.tsx'
import { JobsView } from '../jobs/JobsView.tsx'
import { RequestsTab } from '../requests/RequestsTab.tsx'
import { WorkerGrid } from '../workers/WorkerGrid.tsx'
import { CodeChangeNote, CrashBanner, EndpointMenu, GraphNotice } from './EndpointHead.tsx'
import { endpointStateDot, endpointTabs, stateNow } from './endpoint-state.ts'
import { OverviewTab } from './OverviewTab.tsx'
import { QueueTab } from './QueueTab.tsx'
import { SettingsTab } from './settings/SettingsTab.tsx'
import { type DraftState, useSettingsDraft } from './settings/use-settings.ts'
import { useEndpointActions } from './use-endpoint-actions.ts'
import { WhatIfTab } from './what-if/WhatIfTab.tsx'

const TAB_NAMES: Readonly<Record<EndpointTab, string>> = {
  overview: 'Overview',
  requests: 'Requests',
  jobs: 'Jobs',
  workers: 'Workers',
  logs: 'Logs',
  settings: 'Settings',
  'what-if': 'What if',
  queue: 'Queue',
}

const SCROLLING: readonly EndpointTab[] = ['overview', 'settings', 'what-if']

export function EndpointPage({ endpointId, tab }: { readonly endpointId: string; readonly tab: EndpointTab }) {
  const endpoint = useAppState((state) => state.live.endpoints[endpointId])
  const loaded = useAppState((state) => state.live.loaded)
  if (endpoint !== undefined) return <KnownEndpoint key={endpointId} endpoint={endpoint} tab={tab} />
  return loaded ? <NotFound what={`an endpoint ${endpointId}`} /> : <SkeletonRows rows={8} />
}

function KnownEndpoint({ endpoint, tab }: { readonly endpoint: LiveEndpoint; readonly tab: EndpointTab }) {
  const workers = useAppState(
    useShallow((state) => Object.values(state.live.workers).filter((worker) => worker.endpointId === endpoint.id)),
  )
  const ready = workers.filter(({ state }) => state === 'idle' || state === 'running')
  const state = stateNow(endpoint, workers)
  const crash = shownCrash(state, endpoint.crash)
  const isCrashing = state === 'crashing'
  const commands = useEndpointCommands(endpoint)
  const settings = useSettingsDraft(endpoint.id)
  return (
    <Page
      crumbs={[{ name: 'Endpoints', to: ADDRESS.endpoints }, { name: endpoint.name }]}
      state={
        <>
          {isCrashing && crash !== undefined ? (
            <CrashingDot crash={crash} />
          ) : (
            <StateDot
              {...endpointStateDot(state)}
              {...(endpoint.graph === undefined && {
                detail: `${workersText(ready, endpoint)}${onMachineText(endpoint)}`,
              })}
            />
          )}
          {endpoint.codeChange !== undefined && (
            <CodeChangeNote change={endpoint.codeChange} endpointId={endpoint.id} />
          )}
        </>
      }
      actions={<EndpointMenu endpoint={endpoint} tab={tab} />}
      commands={commands}
      fills={!SCROLLING.includes(tab)}
      tabs={
        <Tabs
          label={`Parts of ${endpoint.name}`}
          tabs={endpointTabs(endpoint).map((one) => ({
            name: TAB_NAMES[one],
            to: ADDRESS.endpoint(endpoint.id, one),
            current: one === tab,
          }))}
        />
      }
    >
      <FaultInjectionBanner endpoint={endpoint} />
      {crash !== undefined && <CrashBanner endpoint={endpoint} crash={crash} isCrashing={isCrashing} />}
      {endpoint.graph !== undefined && <GraphNotice {...endpoint} graph={endpoint.graph} />}
      <TabContent endpoint={endpoint} tab={tab} settings={settings} isCrashing={isCrashing} />
    </Page>
  )
}

type TabContentProps = {
  readonly endpoint: LiveEndpoint
  readonly tab: EndpointTab
  readonly settings: DraftState
  readonly isCrashing: boolean
}

function TabContent({ endpoint, tab, settings, isCrashing }: TabContentProps) {
  if (endpoint.graph !== undefined && !endpointTabs(endpoint).includes(tab))
    return <TabOfWorkers {...endpoint.graph} isBroken={endpoint.brokenReason !== undefined} tab={tab} />
  switch (tab) {
    case 'overview':
      return <OverviewTab endpoint={endpoint} isCrashing={isCrashing} />
    case 'requests':
      return <RequestsTab endpoint={endpoint} />
    case 'jobs':
      if (endpoint.loadBalanced !== undefined) return <NoJobsTaken endpointId={endpoint.id} />
      return <JobsView endpointId={endpoint.id} />
    case 'workers':
      return <WorkerGrid endpointId={endpoint.id} />
    case 'logs':
      return <EndpointLog endpoint={endpoint} />
    case 'settings':
      return <SettingsTab endpoint={endpoint} state={settings} />
    case 'what-if':
      return <WhatIfTab endpoint={endpoint} />
    case 'queue':
      if (endpoint.loadBalanced !== undefined) return <NoJobsTaken endpointId={endpoint.id} />
      return <QueueTab endpointId={endpoint.id} />
  }
}

function useEndpointCommands(endpoint: LiveEndpoint): readonly Command[] {
  const { id, name, paused, faults } = endpoint
  const [, go] = useLocation()
  const { pause, resume, clearFaults } = useEndpointActions({ id, name })
  const group = `Endpoint ${name}`
  const rest = paused
    ? { label: `Resume ${name}`, run: () => void resume() }
    : { label: `Pause ${name}`, run: () => void pause() }
  const off = { id: 'faults-off', group, label: `Turn off fault injection on ${name}` }
  return [
    ...endpointTabs(endpoint).map((tab, at) => ({
      id: `tab-${tab}`,
      group,
      label: TAB_NAMES[tab],
      keys: String(at + 1),
      run: () => go(ADDRESS.endpoint(id, tab)),
    })),
    { id: 'pause', group, keys: 'p', ...rest },
    ...(faults === undefined ? [] : [{ ...off, run: () => void clearFaults(faults) }]),
  ]
}

function EndpointLog({ endpoint: { id, name } }: { readonly endpoint: LiveEndpoint }) {
  const [parts] = useSearchParts()
  const search = parts.get('q') ?? ''
  return <FollowedLog key={search} of="endpoint" id={id} label={`Log of ${name}`} search={search} />
}

function CrashingDot({ crash }: { readonly crash: EndpointCrash }) {
  const now = useNow()
  return <StateDot {...endpointStateDot('crashing')} detail={crashSummary(crash, now)} />
}

type TabOfWorkersProps = { readonly behind: string; readonly isBroken: boolean; readonly tab: EndpointTab }

function TabOfWorkers({ behind, isBroken, tab }: TabOfWorkersProps) {
  const [, go] = useLocation()
  const text = 'A published graph has no jobs, workers or log of its own'
  if (isBroken) return <EmptyState icon={<Share2 />}>{text}.</EmptyState>
  return (
    <EmptyState
      icon={<Share2 />}
      action={
        <Button kind="main" onClick={() => go(ADDRESS.endpoint(behind, tab))}>
          {TAB_NAMES[tab]} of {behind}
        </Button>
      }
    >
      {text}: its jobs run on {behind}.
    </EmptyState>
  )
}

export function NoJobsTaken({ endpointId }: { readonly endpointId: string }) {
  const [, go] = useLocation()
  return (
    <EmptyState
      icon={<SquareTerminal />}
      command={`drydock requests ${endpointId}`}
      action={
        <Button kind="main" onClick={() => go(ADDRESS.endpoint(endpointId, 'requests'))}>
          Show its requests
        </Button>
      }
    >
      A load-balanced endpoint answers requests directly and takes no jobs.
    </EmptyState>
  )
}

function FaultInjectionBanner({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const { id, name, faults } = endpoint
  const { clearFaults } = useEndpointActions(endpoint)
  if (faults === undefined) return null
  return (
    <section
      aria-label="Fault injection"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 rounded-control bg-warn-soft px-3 py-2 text-warn-ink"
    >
      <TriangleAlert aria-hidden className="size-4 shrink-0" />
      <p className="min-w-60 flex-1 break-words">
        Fault injection is on: {name} {faultsText(faults)}, on purpose.
      </p>
      <Link to={`${ADDRESS.endpoint(id, 'settings')}?section=faults`} className="hover:underline">
        Change
      </Link>
      <Button onClick={() => void clearFaults(faults)}>Turn all off</Button>
    </section>
  )
}

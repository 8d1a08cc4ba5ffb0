import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import type { JobListItem } from '../../src-main/contract/job.ts'
import type { LiveEndpoint } from '../../src-main/contract/live.ts'
import { shortJobId } from '../../src-main/features/endpoints/rules/ids.ts'
import { appliedSections } from '../../src-main/features/endpoints/rules/settings/sections.ts'
import { errorLine } from '../../src-main/features/jobs/rules/read-error.ts'
import { ADDRESS, SYSTEM_TAB_NAMES, SYSTEM_TABS, thingOf, WORKFLOW_TABS } from '../addresses.ts'
import type { ApiClient } from '../api-client/client.ts'
import { endpointState } from '../features/endpoints/endpoint-state.ts'
import { SETTING_TEXTS } from '../features/settings/setting-texts.ts'
import { workflowsQuery } from '../features/workflows/workflow-queries.ts'
import { useApp, useAppState } from '../store/app-context.ts'
import type { Opened } from '../store/habits.ts'
import { useAsCalled } from '../ui/PageStates.tsx'
import { JOB_STATES } from '../ui/StateDot.tsx'
import { usePaused } from '../ui/Values.tsx'
import type { Entry, GeneralGroup } from './arrange-palette.ts'

// The address is also the id, so that usage counts across groups.
type Lead = Omit<Entry, 'id' | 'run' | 'group'> & { readonly to: string; readonly group: GeneralGroup }

export function useThingEntries(opened: readonly Opened[]): readonly Entry[] {
  const [path, go] = useLocation()
  const live = useAppState((state) => state.live.endpoints)
  const endpoints = useEndpointLeads()
  const workflows = useWorkflowLeads()
  const loaded = useAppState(({ live }) => live.loaded)
  return useMemo(() => {
    const current = thingOf(path)?.to
    const things = new Map([...endpoints, ...(workflows ?? [])].map((lead) => [lead.to, lead]))
    const isGone = (to: string) =>
      !things.has(to) &&
      ((loaded && to.startsWith(`${ADDRESS.endpoints}/`)) ||
        (workflows !== undefined && to.startsWith(ADDRESS.workflow(''))))
    const recent = opened
      .filter(({ to }) => to !== current && !isGone(to))
      .map(({ to, name }): Lead => {
        const detail = thingOf(to)?.what ?? ''
        return { label: name, ...things.get(to), to, detail, group: 'Recent' }
      })
    const leads = [
      ...recent,
      ...things.values(),
      ...SERVICE_SETTINGS,
      ...settingLeads(shownFirst(path, live)),
      ...PAGES,
    ]
    return leads.map(({ to, ...lead }): Entry => ({ ...lead, id: to, run: () => go(to) }))
  }, [path, go, live, endpoints, workflows, opened, loaded])
}

function useEndpointLeads(): readonly Lead[] {
  const endpoints = useAppState(({ live }) => live.endpoints)
  const workers = useAppState(({ live }) => live.workers)
  const asCalled = useAsCalled()
  return useMemo(
    () =>
      Object.values(endpoints).flatMap((endpoint): Lead[] => {
        const { id, name, crash, codeChange, brokenReason, throttledReason, waitingReason } = endpoint
        const why = crash?.lastWords ?? codeChange?.why ?? brokenReason ?? throttledReason ?? waitingReason
        const detail = why === undefined ? {} : { detail: asCalled(why) }
        const own = Object.values(workers).filter(({ endpointId }) => endpointId === id)
        const label = name === id ? id : `${name} (${id})`
        const made = { group: 'New', onlyFor: 'new' } as const
        return [
          { to: ADDRESS.endpoint(id), group: 'Endpoints', label, ...detail, state: endpointState(endpoint, own) },
          { ...made, to: ADDRESS.endpointSetting(id, 'key'), label: `New key for ${name}` },
          { ...made, to: ADDRESS.savedRequests(id), label: `New saved request for ${name}` },
        ]
      }),
    [endpoints, workers, asCalled],
  )
}

function useWorkflowLeads(): readonly Lead[] | undefined {
  const { client } = useApp()
  const { data } = useQuery(workflowsQuery(client))
  return useMemo(
    () => data?.workflows.map(({ id, name }): Lead => ({ to: ADDRESS.workflow(id), group: 'Workflows', label: name })),
    [data],
  )
}

const SERVICE_SETTINGS: readonly Lead[] = [
  ...Object.entries(SETTING_TEXTS).map(([name, { label }]) => ({ name, label })),
  { name: 'registries', label: 'Registry credentials' },
  { name: 'key', label: 'Account key and signed-in browsers' },
  { name: 'keys', label: 'API keys, with roles' },
  { name: 'changes', label: 'Changes: who changed what' },
  { name: 'browser', label: 'Theme, sidebar and editor of this browser' },
].map(({ name, label }) => ({ to: ADDRESS.setting(name), group: 'Settings', label, detail: 'Service' }))

function shownFirst(path: string, endpoints: Readonly<Record<string, LiveEndpoint>>): readonly LiveEndpoint[] {
  const shown = thingOf(path)?.to
  return Object.values(endpoints).sort((one, other) => Number(isShown(other)) - Number(isShown(one)))

  function isShown({ id }: LiveEndpoint): boolean {
    return ADDRESS.endpoint(id) === shown
  }
}

function settingLeads(endpoints: readonly LiveEndpoint[]): readonly Lead[] {
  return endpoints.flatMap((endpoint) => {
    const { id, name } = endpoint
    const page: Lead = { to: ADDRESS.endpoint(id, 'settings'), group: 'Settings', label: `Settings of ${name}` }
    const fields = appliedSections(endpoint).flatMap(({ id: section, title, fields: all }) =>
      all.map(({ path, label }): Lead => {
        const to = ADDRESS.endpointSetting(id, section, path)
        return { to, group: 'Settings', label, detail: `${title} of ${name}` }
      }),
    )
    return [page, ...fields]
  })
}

const PAGES: readonly Lead[] = [
  { to: ADDRESS.comparisons, label: 'Comparisons', detail: 'Jobs' },
  ...WORKFLOW_TABS.slice(1).map(({ name, to }) => ({ to, label: name, detail: 'Workflows' })),
  ...SYSTEM_TABS.slice(1).map((tab) => ({ to: ADDRESS.system(tab), label: SYSTEM_TAB_NAMES[tab], detail: 'System' })),
].map((page) => ({ ...page, group: 'Go to' }))

// Longer than pauses within a word; ms. Source: ours.
const PAUSE_MS = 150
// A single letter would be found in every job.
const SHORTEST = 2
const JOBS = 8
const LOGS = 3

const NOTHING: readonly Entry[] = []

/** Jobs by id or by words in input, output or error, once typing pauses; then the searches of all jobs and of logs. */
export function useJobEntries(typed: string): readonly Entry[] {
  const { client } = useApp()
  const [path, go] = useLocation()
  const endpoints = useAppState(({ live }) => live.endpoints)
  const query = usePaused(typed.trim(), PAUSE_MS)
  const { data } = useQuery({
    // Not ['jobs', ...], whose rows are changed by events.
    queryKey: ['found-jobs', query],
    queryFn: ({ signal }) => findJobs(client, query, signal),
    enabled: query.length >= SHORTEST,
  })
  return useMemo(() => {
    if (data === undefined) return NOTHING
    const found = data.map(
      ({ id, endpointId, status, preview, error, found }): Entry => ({
        id: ADDRESS.job(id),
        group: 'Jobs',
        label: shortJobId(id),
        title: id,
        detail: [
          endpoints[endpointId]?.name ?? endpointId,
          found?.some((one) => one.in === 'input') ? undefined : preview?.input,
          found !== undefined ? undefined : error === undefined ? preview?.output : errorLine(error),
        ]
          .filter((text) => text !== undefined)
          .join(' · '),
        ...(found === undefined ? {} : { found }),
        // The result was found by words that its id need not contain.
        also: query,
        state: { ...JOB_STATES[status], pulses: false },
        run: () => go(ADDRESS.job(id)),
      }),
    )
    // They come with the jobs: an entry that is chosen stays chosen when others come above it.
    const searches = [
      { id: 'search-jobs', to: ADDRESS.jobsWith(query), label: `Search jobs for “${query}”` },
      ...shownFirst(path, endpoints)
        .slice(0, LOGS)
        .map(({ id, name }) => ({
          id: `search-log-${id}`,
          to: ADDRESS.endpointLog(id, query),
          label: `Search the log of ${name} for “${query}”`,
        })),
    ].map(({ to, ...entry }): Entry => ({ ...entry, group: 'Search', also: query, run: () => go(to) }))
    return [...found, ...searches]
  }, [data, query, endpoints, path, go])
}

// Ids are looked up directly, independent of the number of jobs.
async function findJobs(client: ApiClient, query: string, signal: AbortSignal): Promise<readonly JobListItem[]> {
  const isSingleTerm = !/[\s,]/.test(query)
  const lists = await Promise.all([
    ...(isSingleTerm ? [client.call('jobList', { query: { ids: query, previews: 'true' }, signal })] : []),
    client.call('jobList', { query: { q: query, limit: JOBS, previews: 'true', order: 'match' }, signal }),
  ])
  const byId = new Map(lists.flatMap(({ requests }) => requests).map((job) => [job.id, job]))
  return [...byId.values()].slice(0, JOBS)
}

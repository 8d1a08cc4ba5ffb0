import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import type { EnvironmentDetail } from '../../../../src-main/contract/app.ts'
import { ADDRESS, ENVIRONMENT_TABS, type EnvironmentTab } from '../../../addresses.ts'
import { environmentQuery, type Place } from '../../../api-client/app-queries.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import type { Command } from '../../../store/commands-slice.ts'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { NotFound } from '../../../ui/NotFound.tsx'
import { Page } from '../../../ui/Page.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { isGone } from '../is-gone.ts'
import { EndpointsTab } from './EndpointsTab.tsx'
import { EnvironmentMenu } from './EnvironmentMenu.tsx'
import { environmentState } from './environment-state.ts'
import { ReleasesTab } from './ReleasesTab.tsx'
import { useMembers } from './use-members.ts'
import { VariablesTab } from './VariablesTab.tsx'

/** An environment, and which of its tabs is shown. */
export type EnvironmentPageProps = Place & { readonly tab: EnvironmentTab }

const TAB_NAMES: Readonly<Record<EnvironmentTab, string>> = {
  endpoints: 'Endpoints',
  releases: 'Releases',
  variables: 'Variables',
}

/** The page of an environment of a deployed app. */
export function EnvironmentPage({ app, environment, tab }: EnvironmentPageProps) {
  const { client } = useApp()
  const place = { app, environment }
  const { data, error } = useQuery(environmentQuery(client, place))
  const commands = useTabCommands(app, environment)
  if (isGone(error)) return <NotFound what={`an environment ${app}/${environment}`} />
  return (
    <Page
      crumbs={[{ name: 'Apps', to: ADDRESS.apps }, { name: app, to: ADDRESS.app(app) }, { name: environment }]}
      state={data && <EnvironmentState detail={data} place={place} />}
      actions={<EnvironmentMenu place={place} detail={data} />}
      commands={commands}
      fills={tab === 'endpoints'}
      tabs={
        <Tabs
          label={`Parts of ${app}/${environment}`}
          tabs={ENVIRONMENT_TABS.map((one) => ({
            name: TAB_NAMES[one],
            to: ADDRESS.environment(app, environment, one),
            current: one === tab,
          }))}
        />
      }
    >
      {data === undefined && error !== null && <ErrorNotice error={error} />}
      {data === undefined && error === null && <SkeletonRows rows={8} />}
      {data !== undefined && <TabContent detail={data} place={place} tab={tab} />}
    </Page>
  )
}

type WithDetail = { readonly detail: EnvironmentDetail; readonly place: Place }

function EnvironmentState({ detail, place }: WithDetail) {
  const members = useMembers(place)
  const workers = useAppState((state) => state.live.workers)
  const preparing = detail.releases.find(({ state }) => state === 'preparing')
  const serving = detail.active === undefined ? undefined : `release ${detail.active.number}`
  if (preparing !== undefined)
    return <StateDot tone="running" word="Deploying" detail={`release ${preparing.number}`} pulses />
  return <StateDot {...environmentState(members, workers)} detail={members.length === 0 ? undefined : serving} />
}

function TabContent({ detail, place, tab }: WithDetail & { readonly tab: EnvironmentTab }) {
  switch (tab) {
    case 'endpoints':
      return <EndpointsTab detail={detail} place={place} />
    case 'releases':
      return <ReleasesTab detail={detail} place={place} />
    case 'variables':
      return <VariablesTab detail={detail} place={place} />
  }
}

function useTabCommands(app: string, environment: string): readonly Command[] {
  const [, go] = useLocation()
  return useMemo(
    () =>
      ENVIRONMENT_TABS.map((tab, at) => ({
        id: `tab-${tab}`,
        group: `${app}/${environment}`,
        label: TAB_NAMES[tab],
        keys: String(at + 1),
        run: () => go(ADDRESS.environment(app, environment, tab)),
      })),
    [go, app, environment],
  )
}

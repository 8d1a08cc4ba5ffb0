import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import type { AppView } from '../../../src-main/contract/app.ts'
import { percentDecoded } from '../../../src-main/lib/percent-encoding.ts'
import { ADDRESS, ENVIRONMENT_TABS, PROJECT_TABS } from '../../addresses.ts'
import { appsQuery } from '../../api-client/app-queries.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { Confirm } from '../../ui/Dialog.tsx'
import { MoreMenu } from '../../ui/Menu.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorNotice, NotFound, SkeletonRows } from '../../ui/PageStates.tsx'
import { AppListPage } from './AppListPage.tsx'
import { useEnvironments } from './AppTabs.tsx'
import { EnvironmentPage } from './deployed/EnvironmentPage.tsx'
import { ProjectPage } from './project/ProjectPage.tsx'
import { useEnvironmentActions } from './use-environment-actions.ts'

export function AppPages() {
  useFreshApps()
  return (
    <Switch>
      <Route path={ADDRESS.apps} component={AppListPage} />
      <Route path={`${ADDRESS.apps}/projects/:projectId/:tab?`}>
        {({ projectId, tab = 'picture' }) => {
          const known = PROJECT_TABS.find((one) => one === tab)
          return known === undefined ? <NotFound /> : <ProjectPage projectId={percentDecoded(projectId)} tab={known} />
        }}
      </Route>
      <Route path={`${ADDRESS.apps}/deployed/:app`}>{({ app }) => <AppPage app={percentDecoded(app)} />}</Route>
      <Route path={`${ADDRESS.apps}/deployed/:app/:environment/:tab?`}>
        {({ app, environment, tab = 'endpoints' }) => {
          const known = ENVIRONMENT_TABS.find((one) => one === tab)
          if (known === undefined) return <NotFound />
          // The router may have decoded them already, and app names may contain any character.
          const target = { app: percentDecoded(app), environment: percentDecoded(environment) }
          return <EnvironmentPage key={`${target.app}/${target.environment}`} {...target} tab={known} />
        }}
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

/** Refetches apps when the live state shows changed endpoints, so that both halves of a page agree. */
function useFreshApps(): void {
  const queries = useQueryClient()
  const members = useAppState(({ live }) =>
    Object.values(live.endpoints)
      .flatMap(({ id, app }) => (app === undefined ? [] : `${id} ${app.code} ${app.variables}`))
      .sort()
      .join('\n'),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks when they change
  useEffect(() => {
    for (const queryKey of [['apps'], ['environment']]) void queries.invalidateQueries({ queryKey })
  }, [queries, members])
}

function AppPage({ app: name }: { readonly app: string }) {
  const { client } = useApp()
  const { data, error } = useQuery(appsQuery(client))
  const app = data?.apps.find((one) => one.name === name)
  const { shown: environment } = useEnvironments(name)
  if (data !== undefined && app === undefined) return <NotFound what={`an app ${name}`} />
  if (environment !== undefined) return <Redirect to={ADDRESS.environment(name, environment)} replace />
  return (
    <Page fills crumbs={[{ name: 'Apps', to: ADDRESS.apps }, { name }]} actions={app && <AppMenu app={app} />}>
      {data === undefined && (error === null ? <SkeletonRows rows={3} /> : <ErrorNotice error={error} />)}
      {app?.environments.length === 0 && (
        <EmptyState command="drydock deploy">
          {name} has no environments. A deploy from its folder creates one.
        </EmptyState>
      )}
    </Page>
  )
}

function AppMenu({ app: { name } }: { readonly app: AppView }) {
  const [, go] = useLocation()
  const [asks, setAsks] = useState(false)
  const { removeApp } = useEnvironmentActions({ app: name, environment: '' })
  return (
    <>
      <MoreMenu
        label={`More for ${name}`}
        groups={[[{ label: `Delete app ${name}`, icon: <Trash2 />, danger: true, onSelect: () => setAsks(true) }]]}
      />
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        action={`Delete app ${name}`}
        onConfirm={async () => (await removeApp()) && go(ADDRESS.apps)}
      >
        It has no environments. The source folder is kept.
      </Confirm>
    </>
  )
}

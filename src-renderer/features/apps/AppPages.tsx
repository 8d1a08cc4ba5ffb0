import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Route, Switch } from 'wouter'
import { percentDecoded } from '../../../src-main/lib/percent-encoding.ts'
import { ADDRESS, ENVIRONMENT_TABS, PROJECT_TABS } from '../../addresses.ts'
import { useAppState } from '../../store/app-context.ts'
import { NotFound } from '../../ui/PageStates.tsx'
import { AppListPage } from './AppListPage.tsx'
import { AppPage } from './deployed/AppPage.tsx'
import { EnvironmentPage } from './deployed/EnvironmentPage.tsx'
import { ProjectPage } from './project/ProjectPage.tsx'

export function AppPages() {
  useFreshApps()
  return (
    <Switch>
      <Route path={ADDRESS.apps}>
        <AppListPage />
      </Route>
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

import { Route, Switch } from 'wouter'
import { ADDRESS, ENVIRONMENT_TABS, PROJECT_TABS } from '../../addresses.ts'
import { NotFound } from '../../ui/NotFound.tsx'
import { AppPage } from './deployed/AppPage.tsx'
import { EnvironmentPage } from './deployed/EnvironmentPage.tsx'
import { AppListPage } from './list/AppListPage.tsx'
import { ProjectPage } from './project/ProjectPage.tsx'
import { useFreshApps } from './use-fresh-apps.ts'

/** The pages of apps: both lists, each project, each app that is deployed with its environments. */
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
          return known === undefined ? <NotFound /> : <ProjectPage projectId={readPart(projectId)} tab={known} />
        }}
      </Route>
      <Route path={`${ADDRESS.apps}/deployed/:app`}>{({ app }) => <AppPage app={readPart(app)} />}</Route>
      <Route path={`${ADDRESS.apps}/deployed/:app/:environment/:tab?`}>
        {({ app, environment, tab = 'endpoints' }) => {
          const known = ENVIRONMENT_TABS.find((one) => one === tab)
          if (known === undefined) return <NotFound />
          const place = { app: readPart(app), environment: readPart(environment) }
          return <EnvironmentPage key={`${place.app}/${place.environment}`} {...place} tab={known} />
        }}
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

// The router may have read a part already, and names of apps hold any sign.
function readPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

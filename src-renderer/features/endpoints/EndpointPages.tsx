import { Route, Switch } from 'wouter'
import { ADDRESS, ENDPOINT_TABS } from '../../addresses.ts'
import { NotFound } from '../../ui/NotFound.tsx'
import { EndpointListPage } from './EndpointListPage.tsx'
import { EndpointPage } from './EndpointPage.tsx'

/** The pages of endpoints: the list, and each endpoint with its tabs. */
export function EndpointPages() {
  return (
    <Switch>
      <Route path={ADDRESS.endpoints}>
        <EndpointListPage />
      </Route>
      <Route path={`${ADDRESS.endpoints}/:endpointId/:tab?`}>
        {({ endpointId, tab = 'overview' }) => {
          const known = ENDPOINT_TABS.find((one) => one === tab)
          return known === undefined ? (
            <NotFound />
          ) : (
            <EndpointPage endpointId={decodeURIComponent(endpointId)} tab={known} />
          )
        }}
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

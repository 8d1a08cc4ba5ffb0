import { lazy, Suspense, useEffect } from 'react'
import { Route, Switch } from 'wouter'
import { ADDRESS, ENDPOINT_TABS } from '../../addresses.ts'
import { useApp } from '../../store/app-context.ts'
import { NotFound, SkeletonRows } from '../../ui/PageStates.tsx'
import { EndpointListPage } from './EndpointListPage.tsx'

const loadPage = () => import('./EndpointPage.tsx')

// Charts, settings and the tabs of others are most of it, and the list, which is seen first, needs none of that.
const EndpointPage = lazy(async () => ({ default: (await loadPage()).EndpointPage }))

// When the list has long been there, ms: an endpoint then opens at once, also while the service is away.
const LOAD_AFTER_MS = 3000

/** The pages of endpoints: the list, and each endpoint with its tabs. */
export function EndpointPages() {
  const { platform } = useApp()
  // What cannot be had now is asked for again when it is shown.
  useEffect(() => platform.after(LOAD_AFTER_MS, () => void loadPage().catch(() => undefined)), [platform])
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
            <Suspense fallback={<SkeletonRows rows={8} />}>
              <EndpointPage endpointId={decodeURIComponent(endpointId)} tab={known} />
            </Suspense>
          )
        }}
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

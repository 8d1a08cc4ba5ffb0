import { lazy, Suspense, useEffect } from 'react'
import { Route, Switch } from 'wouter'
import { ADDRESS, ENDPOINT_TABS } from '../../addresses.ts'
import { loadCode } from '../../browser/load-code.ts'
import { useApp } from '../../store/app-context.ts'
import { NotFound, SkeletonRows } from '../../ui/PageStates.tsx'
import { EndpointListPage } from './EndpointListPage.tsx'

const loadPage = () => loadCode(() => import('./EndpointPage.tsx'))

const EndpointPage = lazy(async () => ({ default: (await loadPage()).EndpointPage }))

// Preloaded later, ms, so that endpoints open at once, even without the service.
const LOAD_AFTER_MS = 3000

export function EndpointPages() {
  const { platform } = useApp()
  // A failed preload is retried when the page is shown.
  useEffect(() => platform.after(LOAD_AFTER_MS, () => void loadPage().catch(() => undefined)), [platform])
  return (
    <Switch>
      <Route path={ADDRESS.endpoints} component={EndpointListPage} />
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

import { Route, Switch } from 'wouter'
import { ADDRESS, SYSTEM_TABS } from '../../addresses.ts'
import { NotFound } from '../../ui/PageStates.tsx'
import { ChecksPage } from './ChecksPage.tsx'
import { DiskPage } from './DiskPage.tsx'
import { EventsPage } from './EventsPage.tsx'
import { MachinePage } from './MachinePage.tsx'
import { ProductionPage } from './ProductionPage.tsx'

const PAGES = {
  checks: ChecksPage,
  production: ProductionPage,
  machine: MachinePage,
  disk: DiskPage,
  events: EventsPage,
} as const

export function SystemPages() {
  return (
    <Switch>
      <Route path={`${ADDRESS.system()}/:tab?`}>
        {({ tab = 'checks' }) => {
          const known = SYSTEM_TABS.find((one) => one === tab)
          if (known === undefined) return <NotFound />
          const Tab = PAGES[known]
          return <Tab />
        }}
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

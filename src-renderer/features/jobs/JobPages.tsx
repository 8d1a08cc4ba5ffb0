import { Route, Switch, useLocation } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { Page } from '../../ui/Page.tsx'
import { NotFound } from '../../ui/PageStates.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { ComparePage } from './ComparePage.tsx'
import { ComparisonListPage } from './comparisons/ComparisonListPage.tsx'
import { ComparisonPage } from './comparisons/ComparisonPage.tsx'
import { JobsView } from './JobsView.tsx'
import { JobPage } from './page/JobPage.tsx'

export function JobPages() {
  return (
    <Switch>
      <Route path={ADDRESS.jobs} component={JobListPage} />
      <Route path={`${ADDRESS.jobs}/compare`} component={ComparePage} />
      <Route path={ADDRESS.comparisons}>
        <ComparisonListPage tabs={<SectionTabs current="comparisons" />} />
      </Route>
      <Route path={`${ADDRESS.comparisons}/:comparisonId`}>
        {({ comparisonId }) => <ComparisonPage comparisonId={decodeURIComponent(comparisonId)} />}
      </Route>
      <Route path={`${ADDRESS.jobs}/:jobId`}>{({ jobId }) => <JobPage jobId={decodeURIComponent(jobId)} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

function SectionTabs({ current }: { readonly current: 'jobs' | 'comparisons' }) {
  return (
    <Tabs
      label="Jobs"
      tabs={[
        { name: 'Jobs', to: ADDRESS.jobs, current: current === 'jobs' },
        { name: 'Comparisons', to: ADDRESS.comparisons, current: current === 'comparisons' },
      ]}
    />
  )
}

function JobListPage() {
  const [, go] = useLocation()
  const command = { id: 'comparisons', group: 'Jobs here', label: 'Comparisons of versions', also: 'compare bisect' }
  return (
    <Page
      fills
      crumbs={[{ name: 'Jobs' }]}
      tabs={<SectionTabs current="jobs" />}
      commands={[{ ...command, run: () => go(ADDRESS.comparisons) }]}
    >
      <JobsView />
    </Page>
  )
}

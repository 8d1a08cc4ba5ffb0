import { Route, Switch } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { Page } from '../../ui/Page.tsx'
import { NotFound } from '../../ui/PageStates.tsx'
import { ComparePage } from './ComparePage.tsx'
import { JobsView } from './JobsView.tsx'
import { JobPage } from './page/JobPage.tsx'

/** The pages of jobs: the list, each job, and two of them beside each other. */
export function JobPages() {
  return (
    <Switch>
      <Route path={ADDRESS.jobs}>
        <JobListPage />
      </Route>
      <Route path={`${ADDRESS.jobs}/compare`}>
        <ComparePage />
      </Route>
      <Route path={`${ADDRESS.jobs}/:jobId`}>{({ jobId }) => <JobPage jobId={decodeURIComponent(jobId)} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

const CRUMBS = [{ name: 'Jobs' }]

/** All jobs. */
function JobListPage() {
  return (
    <Page fills crumbs={CRUMBS}>
      <JobsView />
    </Page>
  )
}
